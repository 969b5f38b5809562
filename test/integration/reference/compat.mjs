// compat.mjs ENTRY WORK: a conversation with the reference server and with `loci mcp --compat reference`, whose whole answers
// must be the same.
import { isDeepStrictEqual } from 'node:util'
import { Client, reference } from './client.mjs'

const [entry, work] = process.argv.slice(2)
const theirs = await reference(entry, `${work}/compat.jsonl`)
const ours = await Client.start(process.env.LOCI_BIN, ['mcp', '--data-dir', `${work}/compat-data`, '--compat', 'reference'], {})

let bad = 0
let count = 0
function compare(what, want, got) {
  count++
  if (isDeepStrictEqual(want, got)) return
  bad++
  console.log(`FAILED ${what}\n  want ${JSON.stringify(want)}\n  got  ${JSON.stringify(got)}`)
}
const both = (method, params) => Promise.all([theirs.request(method, params), ours.request(method, params)])

// shape is a schema without texts for people, and without what is true of every JSON schema.
function shape(schema) {
  if (Array.isArray(schema)) return schema.map(shape)
  if (schema === null || typeof schema !== 'object') return schema
  return Object.fromEntries(Object.entries(schema).filter(([k]) => !['description', '$schema', 'additionalProperties'].includes(k))
    .map(([k, v]) => [k, shape(v)]))
}

const tools = (answer) => answer.result.tools.map((t) => ({ name: t.name, title: t.title, input: shape(t.inputSchema), output: shape(t.outputSchema), hints: t.annotations }))
  .sort((a, b) => a.name.localeCompare(b.name))
const [theirTools, ourTools] = (await both('tools/list', {})).map(tools)
compare('the number of tools', 9, ourTools.length)
theirTools.forEach((t, i) => compare(`tool ${t.name}`, t, ourTools[i]))

const ent = (name, entityType, ...observations) => ({ name, entityType, observations })
const rel = (from, relationType, to) => ({ from, relationType, to })
const of = (entityName, ...contents) => ({ entityName, contents })
const gone = (entityName, ...observations) => ({ entityName, observations })
const uri = 'memory://knowledge-graph'

// How an input is refused is in the words of each server.
const malformed = [
  ['create_entities', {}], ['create_entities', { entities: 'no list' }], ['create_entities', { entities: [{ name: 'x' }] }],
  ['create_entities', { entities: [{ name: 'x', entityType: 'y', observations: [1] }] }], ['create_entities', { entities: null }],
  ['create_relations', { relations: [{ from: 'a', to: 'b' }] }], ['create_relations', { relations: [7] }],
  ['add_observations', { observations: [{ entityName: 'Alice' }] }], ['add_observations', { observations: [{ entityName: 'Alice', contents: 'text' }] }],
  ['delete_entities', { names: ['Alice'] }], ['delete_entities', { entityNames: 'Alice' }], ['delete_entities', { entityNames: [null] }],
  ['delete_observations', { deletions: [{ entityName: 'Alice', contents: [] }] }], ['delete_relations', { relations: {} }],
  ['search_nodes', {}], ['search_nodes', { query: 7 }], ['open_nodes', {}], ['open_nodes', { names: 'Alice' }], ['no_such_tool', {}],
]

const steps = [
  ['read_graph', {}], ['search_nodes', { query: 'x' }], ['open_nodes', { names: ['x'] }], uri,
  ['add_observations', { observations: [of('Nobody', 'lost')] }],
  ['delete_entities', { entityNames: ['Nobody'] }],
  ['create_entities', { entities: [] }],
  ['create_entities', { entities: [ent('Alice', 'person', 'runs kubernetes', 'plays chess'), ent('Bob', 'person'), ent('Acme & Söhne', 'company', 'founded 1999', '<b>"quoted" \\ \n lines</b>')] }],
  ['create_entities', { entities: [ent('Bob', 'person'), ent('Carol', 'person', 'likes tea')] }],
  ['create_entities', { entities: [ent('Alice', 'person', 'rides a bike')] }],
  ['create_entities', { entities: [ent('Alice', 'ship')] }],
  ['create_entities', { entities: [{ ...ent('Dora', 'person'), extra: 1 }], more: true }],
  ['create_relations', { relations: [rel('Alice', 'works_at', 'Acme & Söhne'), rel('Bob', 'works_at', 'Acme & Söhne'), rel('Alice', 'knows', 'Bob')] }],
  ['create_relations', { relations: [rel('Alice', 'knows', 'Bob'), rel('Bob', 'knows', 'Alice')] }],
  ['create_relations', { relations: [] }],
  ['add_observations', { observations: [of('Alice', 'plays chess', 'speaks German'), of('Bob', 'plays go'), of('Carol')] }],
  ['add_observations', { observations: [of('Carol', 'never stored'), of('Nobody', 'lost')] }],
  ['add_observations', { observations: [] }],
  ['read_graph', {}], ['read_graph', { ignored: 1 }], uri,
  ['open_nodes', { names: ['Alice', 'Nobody'] }], ['open_nodes', { names: ['Carol', 'Bob'] }], ['open_nodes', { names: [] }], ['open_nodes', { names: ['alice'] }],
  ...['chess', 'CHESS', 'company', 'runs kubernetes', 'söhne', 'SÖHNE', 'zeppelin', 'kuber', 'bernetes', 'chess German', '', '"quoted"', '%', 'kub*', 'a OR b']
    .map((query) => ['search_nodes', { query }]),
  ...malformed,
  ['read_graph', {}],
  ['delete_observations', { deletions: [gone('Bob', 'plays go', 'never was'), gone('Nobody', 'x'), gone('Alice')] }],
  ['delete_relations', { relations: [rel('Alice', 'knows', 'Bob'), rel('x', 'y', 'z')] }],
  ['delete_observations', { deletions: [] }], ['delete_relations', { relations: [] }], ['delete_entities', { entityNames: [] }],
  ['read_graph', {}],
  ['delete_entities', { entityNames: ['Alice', 'Nobody'] }],
  ['read_graph', {}],
  ['create_entities', { entities: [ent('Alice', 'person', 'is back')] }],
  ['read_graph', {}], uri,
]

for (const step of steps) {
  if (step === uri) {
    const [a, b] = await both('resources/read', { uri })
    compare(`resource ${uri}`, a.result.contents, b.result.contents)
    continue
  }
  const [name, args] = step
  const [a, b] = await both('tools/call', { name, arguments: args })
  const what = `${name} ${JSON.stringify(args)}`
  if (malformed.includes(step)) {
    compare(`${what}: refused`, [true, true], [a, b].map((x) => Boolean(x.error || x.result.isError)))
    continue
  }
  const answer = (x) => ({ error: Boolean(x.error), isError: Boolean(x.result?.isError), content: x.result?.content, structured: x.result?.structuredContent })
  compare(what, answer(a), answer(b))
}
const resources = (x) => x.result.resources.map((r) => ({ uri: r.uri, name: r.name, mimeType: r.mimeType }))
compare('resources', ...(await both('resources/list', {})).map(resources))
compare('subscribing', ...(await both('resources/subscribe', { uri })).map((x) => x.result ?? x.error))
await theirs.stop()
await ours.stop()
console.log(`${count} whole answers compared with --compat reference, ${bad} differ`)
process.exit(bad ? 1 : 0)
