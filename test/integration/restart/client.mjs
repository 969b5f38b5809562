// client.mjs SDK DATA PORT PORT PORT: one client, servers that come and go on the first two ports, and a proxy on the third.
import { spawn } from 'node:child_process'
import { createServer, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const [sdk, data, ...ports] = process.argv.slice(2)
const { Client } = await import(`${sdk}/dist/esm/client/index.js`)
const { StreamableHTTPClientTransport } = await import(`${sdk}/dist/esm/client/streamableHttp.js`)
const key = process.env.LOCI_AGENT_KEY_CLAUDE
const servers = new Map()

async function start(port) {
  const server = spawn(process.env.LOCI_BIN, ['serve', '--data-dir', data, '--listen', `127.0.0.1:${port}`], { stdio: 'ignore' })
  servers.set(port, server)
  for (let i = 0; i < 200; i++) {
    if (await fetch(`http://127.0.0.1:${port}/health`).then((r) => r.ok, () => false)) return
    await sleep(100)
  }
  throw new Error('the server does not start')
}

async function kill(port) {
  const server = servers.get(port)
  const ended = new Promise((done) => server.on('exit', done))
  server.kill('SIGKILL')
  await ended
}

// The proxy sends each request to another of the servers that run.
let target = [ports[0]]
let turn = 0
const proxy = createServer((req, res) => {
  const port = target[turn++ % target.length]
  const on = request({ host: '127.0.0.1', port, path: req.url, method: req.method, headers: req.headers }, (answer) => {
    res.writeHead(answer.statusCode, answer.headers)
    answer.on('error', () => res.destroy())
    answer.pipe(res)
  })
  on.on('error', () => res.destroy())
  req.pipe(on)
}).listen(Number(ports[2]), '127.0.0.1')

async function check(what, client) {
  await client.callTool({ name: 'write_memory', arguments: { title: what, content: what } }).then((r) => {
    if (r.isError) throw new Error(r.content[0].text)
  })
  const project = await client.callTool({ name: 'get_current_project', arguments: {} })
  if (project.structuredContent.name !== 'kept') throw new Error(`${what}: the project is ${project.content[0].text}`)
  console.log(`ok: ${what}`)
}

let code = 1
try {
  await start(ports[0])
  const client = new Client({ name: 'restart-test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${ports[2]}/mcp`), { requestInit: { headers: { Authorization: `Bearer ${key}` } } })
  await client.connect(transport)
  const id = transport.sessionId
  await client.callTool({ name: 'create_project', arguments: { name: 'kept' } })
  await check('before', client)
  await kill(ports[0])
  await start(ports[0])
  await check('after kill -9 and a restart', client)
  await start(ports[1])
  target = [ports[0], ports[1]]
  for (let i = 0; i < 3; i++) await check(`two processes, round ${i + 1}`, client)
  if (transport.sessionId !== id) throw new Error('the client has opened another session')
  await transport.terminateSession()
  const gone = await fetch(`http://127.0.0.1:${ports[2]}/mcp`, {
    method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    headers: { Authorization: `Bearer ${key}`, 'Mcp-Session-Id': id, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
  })
  if (gone.status !== 404) throw new Error(`after DELETE: ${gone.status}`)
  console.log('ok: ended on both')
  code = 0
} catch (e) {
  console.log(`FAILED ${e.stack}`)
}
proxy.closeAllConnections?.()
for (const s of servers.values()) s.kill('SIGKILL')
process.exit(code)
