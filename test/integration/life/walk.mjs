// The life of memories over REST. Each step says what a person would check; the first thing that is not so ends it.
import assert from 'node:assert/strict'
import { createHash, randomBytes, randomUUID } from 'node:crypto'

const { BASE, KEY, CLAUDE, CURSOR } = process.env
let steps = 0

async function call(method, path, body, { key = KEY, headers = {}, raw = false } = {}) {
  const r = await fetch(BASE + '/api/v1' + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body !== undefined && !raw ? { 'content-type': 'application/json' } : {}), ...headers },
    body: raw ? body : body === undefined ? undefined : JSON.stringify(body),
  })
  const bytes = Buffer.from(await r.arrayBuffer())
  const json = (r.headers.get('content-type') ?? '').includes('json') && bytes.length ? JSON.parse(bytes) : undefined
  return { status: r.status, headers: r.headers, bytes, json }
}

async function expect(status, method, path, body, options) {
  const r = await call(method, path, body, options)
  assert.equal(r.status, status, `${method} ${path}: ${r.status} ${r.bytes.toString().slice(0, 500)}`)
  return r.json ?? r
}

function step(text) {
  steps++
  console.log(`${String(steps).padStart(2)}. ${text}`)
}

const as = (key, more = {}) => ({ key, ...more })
const recall = async (query, more = {}, options) => (await expect(200, 'POST', '/memories/recall', { query, ...more }, options)).memories

// watch reads the change stream until it has seen n events that pass, or fails after 20 s.
async function watch(lastEventID, passes, n) {
  const stop = new AbortController()
  const late = setTimeout(() => stop.abort(), 20_000)
  const seen = []
  try {
    const r = await fetch(BASE + '/api/v1/changes', {
      signal: stop.signal,
      headers: { authorization: `Bearer ${KEY}`, ...(lastEventID ? { 'last-event-id': lastEventID } : {}) },
    })
    assert.equal(r.status, 200)
    let text = ''
    let ready
    for await (const chunk of r.body.pipeThrough(new TextDecoderStream())) {
      text += chunk
      for (let end; (end = text.indexOf('\n\n')) >= 0; text = text.slice(end + 2)) {
        const fields = Object.fromEntries(text.slice(0, end).split('\n').filter((l) => l.includes(':') && !l.startsWith(':')).map((l) => [l.slice(0, l.indexOf(':')), l.slice(l.indexOf(':') + 1).trim()]))
        if (fields.id) ready ??= fields.id
        if (fields.data && passes) {
          const data = JSON.parse(fields.data)
          if (data.change && passes(data)) seen.push({ position: fields.id, ...data })
        }
        if (seen.length >= n) return { seen, position: ready }
      }
    }
  } finally {
    clearTimeout(late)
    stop.abort()
  }
  assert.fail('the stream ended early')
}

const { position } = await watch(undefined, null, 0)
assert.ok(position, 'the stream begins with a position')
step('the change stream says where it begins')

const before = new Date().toISOString()
const day = await call('POST', '/agent/memories', { key: 'deploy.day', value: 'We deploy on Tuesdays.', importance: 8, tags: ['ops'] }, as(CURSOR))
assert.equal(day.status, 201)
assert.equal(day.json.title, 'deploy.day')
const changed = await expect(200, 'POST', '/agent/memories', { key: 'deploy.day', content: 'We deploy on Tuesdays and Thursdays.' }, as(CURSOR))
assert.equal(changed.id, day.json.id)
assert.equal(changed.replaced_version, 1)
assert.deepEqual([changed.importance, changed.tags], [8, ['ops']], 'what was left out stays')
assert.equal((await expect(200, 'POST', '/agent/memories', { key: 'deploy.day', content: 'We deploy on Tuesdays and Thursdays.' }, as(CURSOR))).unchanged, true)
step('a save of the same key updates in place, and says which version it replaced')

const both = await Promise.all(Array.from({ length: 8 }, (_, i) => call('POST', '/agent/memories', { key: 'race', content: `number ${i}` }, as(CURSOR))))
assert.equal(new Set(both.map((r) => r.json.id)).size, 1)
assert.equal(both.filter((r) => r.status === 201).length, 1)
step('eight saves of one key at once make one memory')

const theirs = await expect(201, 'POST', '/agent/memories', { key: 'deploy.day', content: 'We deploy on Mondays.' }, as(CLAUDE))
assert.notEqual(theirs.id, day.json.id)
step("another vendor's save of that key is a memory of its own")

const twin = await expect(201, 'POST', '/memories', { title: 'Deploys', content: 'We deploy on Tuesdays and Fridays.' })
assert.ok(twin.similar.some((s) => s.id === day.json.id), JSON.stringify(twin.similar))
step('a save tells of what is similar, and does nothing about it')

const truth = await expect(201, 'POST', '/agent/memories', { title: 'Deploys moved', content: 'We deploy on Wednesdays now.', supersedes: [theirs.id, day.json.id] }, as(CURSOR))
assert.deepEqual(truth.superseded, [day.json.id])
assert.equal(truth.suggestions.length, 1)
assert.equal(truth.suggestions[0].memory_id, theirs.id)
const pending = await expect(200, 'GET', '/suggestions?state=pending')
assert.equal(pending.suggestions.length, 1)
await expect(200, 'POST', `/suggestions/${pending.suggestions[0].id}/accept`)
const now = (await recall('deploy Mondays Tuesdays Wednesdays', { limit: 50 })).map((m) => m.id)
assert.ok(now.includes(truth.id) && !now.includes(day.json.id) && !now.includes(theirs.id))
const all = (await recall('deploy Mondays Tuesdays Wednesdays', { limit: 50, include_superseded: true })).map((m) => m.id)
assert.ok(all.includes(day.json.id) && all.includes(theirs.id))
step("what is one's own is superseded; what is another's only after its owner accepts")

const then = await expect(200, 'GET', `/memories/${day.json.id}?as_of=${encodeURIComponent(changed.updated_at)}`)
assert.equal(then.content, 'We deploy on Tuesdays and Thursdays.')
await expect(404, 'GET', `/memories/${day.json.id}?as_of=${encodeURIComponent(new Date().toISOString())}`)
await expect(404, 'GET', `/memories/${day.json.id}?known_at=${encodeURIComponent(before)}`)
const known = await recall('Tuesdays', { known_at: day.json.updated_at })
assert.deepEqual(known.map((m) => m.content), ['We deploy on Tuesdays.'])
step('a read says what was true, and what was stored, at another time')

const brief = await expect(201, 'POST', '/memories', { title: 'A code', content: 'The one-time code is mooring.', ttl: 1 })
for (let left = 100; (await call('GET', `/agent/memories/${brief.id}`, undefined, as(CLAUDE))).status !== 404; left--) {
  assert.ok(left, 'it never expired')
  await new Promise((done) => setTimeout(done, 100))
}
assert.deepEqual(await recall('mooring'), [])
step('a memory with a lifetime is gone when that is over')

const agent = await expect(201, 'POST', '/agents', { name: 'reviewer' }, as(CURSOR))
const session = await expect(201, 'POST', '/sessions', { agent_id: agent.id, title: 'Review' }, as(CURSOR))
const inSession = as(CURSOR, { headers: { 'loci-session': session.id } })
const own = await expect(201, 'POST', '/agent/memories', { title: 'Style', content: 'Reviews mention petrichor first.', scope: 'agent' }, inSession)
assert.equal(own.session_id, session.id)
assert.deepEqual((await recall('petrichor', {}, inSession)).map((m) => m.id), [own.id])
for (const reader of [as(CURSOR), as(CLAUDE)]) assert.deepEqual(await recall('petrichor', {}, reader), [])
assert.deepEqual((await recall('petrichor', {}, as(KEY))).map((m) => m.id), [own.id])
await expect(200, 'POST', `/sessions/${session.id}/close`, undefined, as(CURSOR))
await expect(200, 'GET', `/agent/memories/${own.id}`, undefined, inSession)
await expect(409, 'POST', '/agent/memories', { title: 'Late', content: 'A closed session takes nothing.' }, inSession)
step('agents read a memory of agent scope only in a session of that agent; its owner always does')

const file = randomBytes(300_000)
const asset = await expect(201, 'POST', `/memories/${truth.id}/assets?name=plan.bin`, file, { raw: true, headers: { 'content-type': 'application/octet-stream' }, key: KEY })
assert.equal(asset.sha256, createHash('sha256').update(file).digest('hex'))
const part = await call('GET', `/assets/${asset.id}/content`, undefined, { headers: { range: 'bytes=1000-1999' } })
assert.equal(part.status, 206)
assert.deepEqual(part.bytes, file.subarray(1000, 2000))
assert.match(part.headers.get('content-disposition'), /^attachment/)
await expect(201, 'POST', `/memories/${truth.id}/sources`, { sources: [{ kind: 'url', ref: 'https://chat.example/1', quote: 'Wednesdays now' }] })
const [hit] = await recall('Wednesdays now')
assert.equal(hit.id, truth.id)
assert.equal(hit.sources[0].ref, 'https://chat.example/1')
assert.ok(hit.why.terms.some((t) => t.fields.includes('content')))
assert.equal((await recall('ednesda'))[0].why.fallback, 'substring')
step('a hit shows why, and where it comes from; an attachment comes back in parts')

const node = await expect(201, 'POST', '/memory-nodes', { name: 'Deploying', tags: ['ops'] })
await expect(201, 'POST', `/memory-nodes/${node.id}/items`, { kind: 'text', text: 'Read this first.' })
await expect(201, 'POST', `/memory-nodes/${node.id}/items`, { kind: 'memory', memory_id: truth.id })
const pack = await call('GET', `/memory-nodes/${node.id}/pack?format=markdown`)
assert.equal(pack.status, 200)
assert.match(pack.bytes.toString(), /Read this first[\s\S]*Wednesdays/)
step('a memory node is a context pack')

await expect(201, 'POST', '/memories', { title: 'House rule', content: 'Ask before you delete.', pinned: true })
const briefing = await expect(200, 'GET', '/briefing')
assert.equal(briefing.pinned[0].title, 'House rule')
assert.match((await expect(200, 'POST', '/query', { query: 'When do we deploy?' })).prompt_sent, /Ask before you delete[\s\S]*Wednesdays/)
step('what is pinned stands first in the briefing and in every context')

const once = randomUUID()
const bulk = { operations: Array.from({ length: 50 }, (_, i) => ({ op: 'create', memory: { title: `bulk ${i}`, content: `number ${i} of a bulk` } })) }
const first = await call('POST', '/memories/bulk', bulk, { headers: { 'idempotency-key': once } })
const second = await call('POST', '/memories/bulk', bulk, { headers: { 'idempotency-key': once } })
assert.deepEqual([first.status, second.status, second.headers.get('idempotency-replayed')], [200, 200, 'true'])
assert.deepEqual(second.json.results.map((r) => [r.id, r.version]), first.json.results.map((r) => [r.id, r.version]))
await expect(409, 'POST', '/memories/bulk', { operations: bulk.operations.slice(1) }, { headers: { 'idempotency-key': once } })
const refused = await expect(404, 'POST', '/memories/bulk', { operations: [...bulk.operations, { op: 'update', id: randomUUID(), changes: { title: 'x' } }] })
assert.equal(refused.items[0].index, 50)
assert.equal((await recall('bulk', { limit: 50 })).length, 50)
step('a bulk call is carried out once, and whole or not at all')

const diff = await expect(200, 'GET', `/memories/${day.json.id}/diff?from=1&to=2`)
assert.ok(JSON.stringify(diff).includes('Thursdays'))
const reverted = await expect(200, 'POST', `/memories/${twin.id}/revert`, { version: (await expect(200, 'PATCH', `/memories/${twin.id}`, { title: 'Changed' })).version - 1 })
assert.equal(reverted.title, 'Deploys')
step('versions are compared, and an old one comes back')

await expect(200, 'POST', '/undo', { origin: 'cursor', since: before, dry_run: true })
await expect(403, 'POST', '/undo', { origin: 'cursor', since: before })
step('undo over REST needs a fresh proof of who asks, and a dry run needs none')

const wanted = new Set([day.json.id, theirs.id, truth.id, twin.id, node.id])
const events = await watch(position, (e) => wanted.has(e.id), 5)
const rest = await watch(events.seen.at(-1).position, (e) => e.change === 'created', 50)
assert.ok(!rest.seen.some((e) => events.seen.some((o) => o.position === e.position)), 'nothing is told twice')
step('the change stream tells all of it, and goes on where it was left')

console.log(`${steps} steps`)
