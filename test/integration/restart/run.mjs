// run.mjs DATA PORT PORT PORT KIND COMMAND…: a client, servers that come and go on the first two ports, and a proxy on the
// third. The client is a process that connects, and calls tools when its input has a line (see call.mjs). KIND is `legacy` if
// it must keep its connection, and `modern` if its version has none.
import { spawn } from 'node:child_process'
import { createServer, request } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const [data, first, second, front, kind, ...command] = process.argv.slice(2)
const key = process.env.LOCI_AGENT_KEY_CLAUDE
const address = `http://127.0.0.1:${front}/mcp`
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

// The proxy sends each request to another of the servers that run, and keeps the ids of connections that it sees.
let target = [first]
let turn = 0
const opened = new Set()
const proxy = createServer((req, res) => {
  const port = target[turn++ % target.length]
  const on = request({ host: '127.0.0.1', port, path: req.url, method: req.method, headers: req.headers }, (answer) => {
    if (answer.headers['mcp-session-id']) opened.add(answer.headers['mcp-session-id'])
    res.writeHead(answer.statusCode, answer.headers)
    answer.on('error', () => res.destroy())
    answer.pipe(res)
  })
  on.on('error', () => res.destroy())
  req.pipe(on)
}).listen(Number(front), '127.0.0.1')

const client = { process: undefined, lines: undefined }

async function reply() {
  const { value, done } = await Promise.race([client.lines.next(), sleep(60000, { value: 'no answer for 60 s' })])
  if (done) throw new Error('the client has ended')
  return value
}

async function check(what) {
  client.process.stdin.write(`${what}\n`)
  const line = await reply()
  if (line !== `ok ${what}`) throw new Error(`${what}: ${line}`)
  console.log(`  ok: ${what}`)
}

let code = 1
try {
  await start(first)
  client.process = spawn(command[0], [...command.slice(1), address, key], { stdio: ['pipe', 'pipe', 'inherit'] })
  client.lines = createInterface({ input: client.process.stdout })[Symbol.asyncIterator]()
  const ready = await reply()
  if (!ready.startsWith('connected ')) throw new Error(ready)
  console.log(`  ${ready}`)
  await check('before')
  await kill(first)
  await start(first)
  await check('after kill -9 and a restart')
  await start(second)
  target = [first, second]
  for (let i = 0; i < 3; i++) await check(`two processes, round ${i + 1}`)
  const want = kind === 'legacy' ? 1 : 0
  if (opened.size !== want) throw new Error(`the client has opened ${opened.size} connections, want ${want}`)
  const ended = new Promise((done) => client.process.on('exit', done))
  client.process.stdin.end() // it ends its connection, if it has one
  await ended
  for (const id of opened) {
    const gone = await fetch(address, {
      method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      headers: { Authorization: `Bearer ${key}`, 'Mcp-Session-Id': id, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    })
    if (gone.status !== 404) throw new Error(`after DELETE: ${gone.status}`)
    console.log('  ok: ended on both')
  }
  code = 0
} catch (e) {
  console.log(`FAILED ${e.stack}`)
}
client.process?.kill()
proxy.closeAllConnections?.()
for (const s of servers.values()) s.kill('SIGKILL')
process.exit(code)
