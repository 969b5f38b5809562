// What both servers are told, in the words of the reference server: [tool, arguments]. A third part says where ours differs on
// purpose: why, and what each side must answer.
const ent = (name, entityType, ...observations) => ({ name, entityType, observations })
const rel = (from, relationType, to) => ({ from, relationType, to })
const of = (entityName, ...contents) => ({ entityName, contents })

export const steps = [
  ['read_graph', {}],
  ['create_entities', { entities: [ent('Alice', 'person', 'runs kubernetes', 'plays chess'), ent('Bob', 'person'), ent('Acme & Söhne', 'company', 'founded 1999')] }],
  ['create_entities', { entities: [ent('Bob', 'person'), ent('Carol', 'person', 'likes tea')] }],
  ['create_relations', { relations: [rel('Alice', 'works_at', 'Acme & Söhne'), rel('Bob', 'works_at', 'Acme & Söhne'), rel('Alice', 'knows', 'Bob')] }],
  ['create_relations', { relations: [rel('Alice', 'knows', 'Bob'), rel('Bob', 'knows', 'Alice')] }],
  ['add_observations', { observations: [of('Alice', 'plays chess', 'speaks German'), of('Bob', 'plays go')] }],
  ['add_observations', { observations: [of('Carol', 'never stored'), of('Nobody', 'lost')] }],
  ['read_graph', {}],
  ['open_nodes', { names: ['Alice', 'Nobody'] }],
  ['open_nodes', { names: ['Nobody'] }],
  ['open_nodes', { names: [] }, 'no name is a mistake that is told', { entities: [], relations: [] }, { error: true }],
  ['search_nodes', { query: 'chess' }],
  ['search_nodes', { query: 'CHESS' }],
  ['search_nodes', { query: 'company' }],
  ['search_nodes', { query: 'runs kubernetes' }],
  ['search_nodes', { query: 'söhne' }],
  ['search_nodes', { query: 'zeppelin' }],
  ['search_nodes', { query: 'kuber' }],
  ['search_nodes', { query: 'bernetes' }],

  ['search_nodes', { query: 'chess German' }, 'words may stand apart',
    { entities: [], relations: [] }, { entities: ['Alice (person): plays chess | runs kubernetes | speaks German'] }],
  ['search_nodes', { query: '' }, 'no word is a mistake that is told; read_graph reads everything', { entities: 4 }, { error: true }],
  ['create_entities', { entities: [ent('Alice', 'person', 'rides a bike')] }, 'observations of an entity that is there are added, not dropped',
    { created: [] }, { created: [] }],
  ['create_entities', { entities: [ent('Alice', 'ship')] }, 'name and type together say which entity it is',
    { created: [] }, { created: ['Alice'] }],
  ['create_entities', { entities: [ent('Twin', 'x', 'a', 'a'), ent('Twin', 'x', 'b')] }, 'nothing is stored twice, also within a call',
    { created: ['Twin', 'Twin'] }, { created: ['Twin'] }],
  ['add_observations', { observations: [of('Bob', 'naps', 'naps')] }, 'nothing is stored twice, also within a call',
    { added: ['Bob: naps', 'Bob: naps'] }, { added: ['Bob: naps'] }],
  ['create_relations', { relations: [rel('Bob', 'met', 'Nobody')] }, 'a relation needs both ends',
    { created: ['Bob met Nobody'] }, { error: true }],
  ['add_observations', { observations: [of('Alice', 'which of the two?')] }, 'a name that two entities have asks for entity_type',
    { added: ['Alice: which of the two?'] }, { error: true }],
  ['create_entities', { entities: [{ name: 'Dave', entityType: 'person' }] }, 'observations may be left out', { error: true }, { created: ['Dave'] }],

  ['delete_observations', { deletions: [{ entityName: 'Bob', observations: ['plays go', 'naps', 'never was'] }, { entityName: 'Nobody', observations: ['x'] }] }],
  ['delete_relations', { relations: [rel('Bob', 'met', 'Nobody'), rel('Alice', 'knows', 'Bob'), rel('x', 'y', 'z')] }],
  ['delete_entities', { entityNames: ['Alice', 'Twin', 'Dave', 'Nobody'] }],
  ['read_graph', {}],
  ['create_entities', { entities: [ent('Alice', 'person', 'is back')] }],
  ['open_nodes', { names: ['Alice'] }],
  ['read_graph', {}],
  ['create_entities', { entities: 'no list' }],
  ['no_such_tool', {}],
]
