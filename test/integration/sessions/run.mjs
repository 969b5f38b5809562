// Runs the sessions with the TypeScript SDK over stdio and counts calls and tokens (cl100k) of the answers.
// LOCI_BIN is the binary. LOCI_BEFORE, if set, is an older binary to compare with.
import { createRequire } from 'node:module'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sessions } from './sessions.mjs'

const { LOCI_BIN, LOCI_BEFORE, WORK, MODULES } = process.env
const require = createRequire(join(MODULES, 'package.json'))
const load = (name) => import(pathToFileURL(require.resolve(name)).href)
const { Client } = await load('@modelcontextprotocol/sdk/client/index.js')
const { StdioClientTransport } = await load('@modelcontextprotocol/sdk/client/stdio.js')
const { getEncoding } = require('js-tiktoken')
const encoding = getEncoding('cl100k_base')
const tokens = (text) => encoding.encode(text).length

class Impossible extends Error {}

// Assistant is one connection of a vendor's client.
class Assistant {
  static async start(binary, dir, vendor, toolsets) {
    const a = new Assistant()
    Object.assign(a, { binary, dir, vendor, calls: 0, tokens: 0, extras: 0 })
    const more = toolsets ? ['--toolsets', toolsets] : []
    a.client = new Client({ name: 'sessions', version: '1' })
    await a.client.connect(new StdioClientTransport({ command: binary, args: ['mcp', '--vendor', vendor, '--data-dir', dir, ...more], stderr: 'ignore' }))
    a.tools = (await a.client.listTools()).tools
    return a
  }

  needs(tool) {
    if (!this.tools.some((t) => t.name === tool)) throw new Impossible(`no tool ${tool}`)
  }

  async call(name, args) {
    const result = await this.client.callTool({ name, arguments: args })
    const text = result.content.map((c) => c.text).join('')
    this.calls++
    this.tokens += tokens(text)
    if (result.isError) throw new Error(`${name}: ${text}`)
    return result.structuredContent
  }

  // extra is call for a tool that the default toolsets may lack.
  async extra(name, args) {
    if (this.tools.some((t) => t.name === name)) return this.call(name, args)
    this.extras++
    this.more ??= await Assistant.start(this.binary, this.dir, this.vendor, 'memory,memory-extra')
    this.more.needs(name)
    const before = this.more.tokens
    const answer = await this.more.call(name, args)
    this.calls++
    this.tokens += this.more.tokens - before
    return answer
  }

  async stop() {
    await this.more?.stop()
    await this.client.close()
  }
}

async function act(binary, session) {
  const dir = mkdtempSync(join(WORK, 'session-'))
  const started = []
  const start = async (vendor) => {
    const a = await Assistant.start(binary, dir, vendor)
    started.push(a)
    return a
  }
  const claude = await start('claude')
  try {
    await session.run(claude, start)
    return { calls: claude.calls, tokens: claude.tokens, extras: claude.extras }
  } catch (e) {
    if (!(e instanceof Impossible)) throw new Error(`${session.name}: ${e.message}`, { cause: e })
    return { calls: claude.calls, tokens: claude.tokens, extras: claude.extras, impossible: e.message }
  } finally {
    await Promise.all(started.map((a) => a.stop()))
    rmSync(dir, { recursive: true, force: true })
  }
}

const told = (r) => `${r.calls} | ${r.tokens}${r.impossible ? ' (impossible)' : r.extras ? ' (extra tools)' : ''}`

const sum = { before: 0, now: 0 }
let failed = 0
console.log(LOCI_BEFORE ? '| session | calls before | tokens before | calls | tokens |' : '| session | calls | tokens |')
console.log(LOCI_BEFORE ? '|---|---|---|---|---|' : '|---|---|---|')
for (const session of sessions) {
  const before = LOCI_BEFORE && (await act(LOCI_BEFORE, session))
  const now = await act(LOCI_BIN, session)
  sum.before += before?.tokens ?? 0
  sum.now += now.tokens
  if (now.impossible || now.extras) failed++
  console.log(`| ${session.name} | ${before ? told(before) + ' | ' : ''}${told(now)} |`)
}
console.log(`${sessions.length} sessions, ${sum.now} tokens of answers${LOCI_BEFORE ? `, ${sum.before} before` : ''}`)
if (failed) {
  console.log(`${failed} sessions are impossible or need a tool outside the default set`)
  process.exitCode = 1
}
