// An MCP client over standard input and output, and what both servers' answers have in common.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export class Client {
  static async start(command, args, env) {
    const c = new Client()
    c.waiting = new Map()
    c.id = 0
    c.process = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } })
    c.errors = ''
    c.process.stderr.on('data', (b) => (c.errors += b))
    c.ended = new Promise((done) => c.process.on('close', done))
    c.ended.then(() => c.waiting.forEach((w) => w.fail(new Error(`${command} ended: ${c.errors}`))))
    createInterface({ input: c.process.stdout }).on('line', (line) => {
      const m = JSON.parse(line)
      c.waiting.get(m.id)?.done(m)
      c.waiting.delete(m.id)
    })
    await c.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'reference-test', version: '1' } })
    c.process.stdin.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }) + '\n')
    return c
  }

  request(method, params) {
    const id = ++this.id
    return new Promise((done, fail) => {
      this.waiting.set(id, { done, fail })
      this.process.stdin.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }) + '\n')
    })
  }

  // call returns {error} or {value}, whatever the protocol of the release does with errors.
  async call(name, args) {
    const { result, error } = await this.request('tools/call', { name, arguments: args })
    if (error) return { error: error.message }
    if (result.isError) return { error: result.content[0].text }
    return { value: result.structuredContent ?? parse(result.content[0].text) }
  }

  async stop() {
    this.process.stdin.end()
    this.process.kill()
    await this.ended
  }
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return { message: text }
  }
}

export const loci = (dir, ...more) => Client.start(process.env.LOCI_BIN, ['mcp', '--data-dir', dir, '--toolsets', 'graph', '--answer-tokens', '100000', ...more], {})
export const reference = (entry, file) => Client.start(process.env.NODE22, [entry], { MEMORY_FILE_PATH: file })

const list = (x) => (Array.isArray(x) ? x : [])
const sorted = (a) => [...a].sort()
const kind = (e) => e.entityType ?? e.entity_type
const texts = (e) => sorted(list(e.observations).map((o) => o.content ?? o))
const entity = (e) => `${e.name} (${kind(e)}): ${texts(e).join(' | ')}`
const edge = (r) => `${r.from} ${r.relationType ?? r.relation_type} ${r.to}`

// common makes of an answer what both contracts promise.
export function common(tool, answer) {
  if (answer.error) return { error: true }
  const v = answer.value
  switch (tool) {
    case 'create_entities':
      return { created: sorted(list(v.entities ?? v).filter((e) => e.created ?? true).map((e) => e.name)) }
    case 'create_relations':
      return { created: sorted(list(v.relations ?? v).filter((r) => r.created ?? true).map(edge)) }
    case 'add_observations':
      return {
        added: sorted(list(v.results ?? v).flatMap((r) => list(r.added ?? r.addedObservations).map((o) => `${r.entity_name ?? r.entityName}: ${o}`))),
      }
    case 'delete_entities': case 'delete_observations': case 'delete_relations':
      return { done: true }
  }
  return graph(v)
}

// graph is a graph as sorted lines; each relation once, wherever the server puts them.
export function graph(v) {
  const relations = [...list(v.relations), ...list(v.entities).flatMap((e) => list(e.relations))]
  return { entities: sorted(list(v.entities).map(entity)), relations: sorted(new Set(relations.map(edge))) }
}

export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b)
