// Thirteen sessions of an assistant with its memory, each on a fresh data directory. A session makes the calls that the
// tools' descriptions suggest, and fails if an answer lacks what the assistant needs for its next step.
import assert from 'node:assert/strict'

const short = (text) => text.slice(0, 200)
const one = (answer) => {
  assert.equal(answer.memories.length, 1, short(JSON.stringify(answer)))
  return answer.memories[0]
}
const textOf = (hit) => hit.content ?? hit.text ?? hit.snippet
const observed = (o) => o.content ?? o

const subjects = ['billing', 'search', 'checkout', 'mobile app', 'data warehouse', 'login', 'support desk', 'newsletter']
const facts = [
  (s, i) => [`Owner of ${s}`, `Since March ${2 + i} the ${s} team is led by ${['Ana', 'Bo', 'Cem', 'Dia'][i % 4]}, who approves every change of its interface.`],
  (s, i) => [`Deploy window of ${s}`, `We deploy ${s} on ${['Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays'][i % 4]} between 9:00 and 11:00, because the people who can roll it back are in the office then.`],
  (s, i) => [`Database of ${s}`, `${s} stores its rows in ${['PostgreSQL 16', 'SQLite', 'ClickHouse', 'MySQL 8'][i % 4]}, with a nightly copy that is kept for ${14 + i} days.`],
  (s, i) => [`Incident in ${s}`, `On 2026-0${1 + (i % 8)}-1${i % 9} ${s} was down for ${11 + i} minutes. A migration held a lock on the largest table. Migrations now set a lock timeout of 2 s.`],
  (s) => [`Style of ${s}`, `Answers about ${s} should be short, with a link to the runbook and without emoji.`],
]

const forty = () => subjects.flatMap((s, i) => facts.map((f) => f(s, i))).map(([title, content], i) => ({ title, content, tags: [i % 2 ? 'work' : 'team'] }))

const long = (n) => `Minutes of meeting ${n}. ` + Array.from({ length: 1500 }, (_, i) => `Point ${i} of meeting ${n} is about the migration of table ${i % 97}.`).join(' ')

export const sessions = [
  {
    name: 'empty memory',
    async run(claude) {
      const answer = await claude.call('search_memories', { term: 'preferred editor' })
      assert.equal(answer.memories.length, 0)
    },
  },
  {
    name: 'remember a preference',
    async run(claude) {
      const saved = await claude.call('write_memory', { title: 'Prefers tabs', content: 'I prefer tabs over spaces in Go and Makefiles.', tags: ['style'] })
      assert.ok(saved.id)
    },
  },
  {
    name: 'update a fact',
    async run(claude, prepare) {
      await (await prepare('claude')).call('write_memory', { title: 'Deploy day', content: 'We deploy on Tuesdays.', key: 'deploy.day' })
      one(await claude.call('search_memories', { term: 'deploy' }))
      const saved = await claude.call('write_memory', { title: 'Deploy day', content: 'We deploy on Thursdays.', key: 'deploy.day' })
      assert.equal(saved.version, 2)
    },
  },
  {
    name: 'recall over 40 notes',
    async run(claude, prepare) {
      const cursor = await prepare('cursor')
      for (const note of forty()) await cursor.call('write_memory', note)
      const found = await claude.call('search_memories', { term: 'database team deploy incident' })
      assert.equal(found.memories.length, 10)
      assert.ok(found.memories.every((m) => textOf(m)))
    },
  },
  {
    name: "another vendor's notes",
    async run(claude, prepare) {
      const cursor = await prepare('cursor')
      const chatgpt = await prepare('chatgpt')
      for (const [title, content] of forty().slice(0, 2).map((n) => [n.title, n.content])) {
        await cursor.call('write_memory', { title, content })
        await chatgpt.call('write_memory', { title: `${title} (draft)`, content: `Draft: ${content}` })
      }
      const found = await claude.call('search_memories', { term: 'billing', origin: 'cursor' })
      assert.equal(found.memories.length, 2)
      assert.ok(found.memories.every((m) => m.origin === 'cursor'))
    },
  },
  {
    name: 'for claude only, a new memory',
    async run(claude, prepare) {
      await claude.call('write_memory', { title: 'Salary', content: 'My salary review is in May.', allowed_vendors: ['claude'] })
      const cursor = await prepare('cursor')
      assert.equal((await cursor.call('search_memories', { term: 'salary' })).memories.length, 0)
    },
  },
  {
    name: 'for claude only, an existing memory',
    async run(claude, prepare) {
      await (await prepare('claude')).call('write_memory', { title: 'Salary', content: 'My salary review is in May.' })
      const hit = one(await claude.call('search_memories', { term: 'salary' }))
      claude.needs('update_memory')
      await claude.call('update_memory', { id: hit.id, allowed_vendors: ['claude'] })
      const cursor = await prepare('cursor')
      assert.equal((await cursor.call('search_memories', { term: 'salary', include_superseded: true })).memories.length, 0)
    },
  },
  {
    name: 'a pending suggestion',
    async run(claude, prepare) {
      const cursor = await prepare('cursor')
      const old = await cursor.call('write_memory', { title: 'Release day', content: 'Releases are on Friday.' })
      await (await prepare('claude')).call('write_memory', { title: 'Release day', content: 'Releases are on Tuesday since May.', supersedes: [old.id] })
      const found = await claude.call('search_memories', { term: 'release day' })
      assert.equal(found.memories.length, 2)
      if (found.memories.some((m) => m.pending_supersede)) return // the hit tells it; the person decides
      const pending = (await claude.extra('list_suggestions', { state: 'pending' })).suggestions
      assert.equal(pending.length, 1)
      await claude.call('get_memory_by_id', { id: pending[0].by_id })
    },
  },
  {
    name: 'graph of a codebase',
    async run(claude) {
      await claude.call('create_project', { name: 'shop' })
      await claude.call('create_entities', {
        entities: [
          { name: 'billing', entity_type: 'service', observations: ['written in Go', 'owned by Ana', 'stores rows in PostgreSQL'] },
          { name: 'checkout', entity_type: 'service', observations: ['written in TypeScript', 'calls billing over HTTP'] },
        ],
      })
      await claude.call('create_relations', { relations: [{ from: 'checkout', to: 'billing', relation_type: 'depends_on' }] })
      const graph = await claude.call('read_graph', {})
      assert.equal(graph.entities.flatMap((e) => e.observations.map(observed)).length, 5)
      assert.equal(graph.relations.length, 1)
    },
  },
  {
    name: 'switch project',
    async run(claude, prepare) {
      const cursor = await prepare('cursor')
      await cursor.call('create_project', { name: 'shop' })
      await cursor.call('create_project', { name: 'website' })
      await claude.call('switch_project', { name: 'shop' })
    },
  },
  {
    name: 'what only one agent reads',
    async run(claude) {
      const session = await claude.extra('create_session', { agent: 'reviewer' })
      const saved = await claude.call('write_memory', { title: 'Review style', content: 'Ask for a test with each repair.', scope: 'agent', session_id: session.id })
      assert.ok(saved.id)
      one(await claude.call('search_memories', { term: 'repair', session_id: session.id }))
    },
  },
  {
    name: 'delete a memory',
    async run(claude, prepare) {
      await (await prepare('claude')).call('write_memory', { title: 'Old address', content: 'I live in Rue Haute 4.' })
      const hit = one(await claude.call('search_memories', { term: 'address' }))
      claude.needs('trash_memory')
      const answer = await claude.call('trash_memory', { id: hit.id })
      assert.ok(answer.result === 'trashed' || JSON.stringify(answer).length > 40, 'the answer tells what to tell the person')
    },
  },
  {
    name: 'long texts',
    async run(claude, prepare) {
      const cursor = await prepare('cursor')
      for (let n = 1; n <= 4; n++) await cursor.call('write_memory', { title: `Minutes ${n}`, content: long(n) })
      await claude.call('write_memory', { title: 'Minutes 5', content: long(5) })
      const found = await claude.call('search_memories', { term: 'minutes migration' })
      assert.equal(found.memories.length, 5)
    },
  },
]
