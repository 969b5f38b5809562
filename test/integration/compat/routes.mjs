// The requests of dashboards, scripts and agents for which no client is published: PUT with the old four fields, sharing,
// versions, the trash, deleting permanently, the routes of agents, and the OpenAPI document of assistants.
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { main } from './scenario.mjs';

function caller({ baseUrl }, key) {
  return async (status, method, path, body) => {
    const headers = { Authorization: `Bearer ${key}` };
    if (body) headers['Content-Type'] = 'application/json';
    const res = await fetch(baseUrl + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await res.text();
    assert.equal(res.status, status, `${method} ${path}: ${text}`);
    return text && JSON.parse(text);
  };
}

const four = (title, content) => ({ title, content, tags: ['a'], allowed_vendors: ['*'] });

// putKeeps sends the old four fields and demands that the others stay.
async function putKeeps(owner) {
  const rest = { memory_type: 'procedural', pinned: true, importance: 9, key: 'deploy.day', summary: 'when', category: 'rule',
    expires_at: '2999-01-01T00:00:00Z' };
  const made = await owner(201, 'POST', '/memories', { ...four('Deploys', 'Tuesdays'), ...rest });
  const put = await owner(200, 'PUT', `/memories/${made.id}`, four('Deploys', 'Thursdays'));
  assert.equal(put.content, 'Thursdays');
  for (const field of Object.keys(rest)) assert.deepEqual(put[field], made[field], field);
  await owner(400, 'PUT', `/memories/${made.id}`, { title: 'x', content: 'y', tags: [] });
  return made;
}

async function versionsOf(call, path, id) {
  const { versions } = await call(200, 'GET', `${path}/${id}/versions`);
  assert.equal(versions.length, 1);
  assert.deepEqual([versions[0].memory_id, versions[0].version_number, versions[0].content], [id, 1, 'Tuesdays']);
  assert.notEqual(versions[0].id, id, 'the id is that of the version');
  return versions[0].id;
}

async function share(owner, agent) {
  await owner(201, 'POST', '/memories', { ...four('Mine', 'alone'), share_with_team: false });
  for (const field of [{ share_with_team: true }, { share_scope: 'team' }]) {
    const refused = await owner(409, 'POST', '/memories', { ...four('Ours', 'no team'), ...field });
    assert.match(refused.error, /team/);
  }
  const mine = await agent(201, 'POST', '/agent/memories', four('Agents', 'wrote this'));
  await agent(409, 'POST', '/agent/team/share', { memory_id: mine.id });
  const team = await owner(201, 'POST', '/teams', { name: 'Kitchen' });
  const ours = await owner(201, 'POST', '/memories', { ...four('Ours', 'shared'), share_with_team: true });
  assert.equal(ours.team_id, team.id);
  const shared = await agent(200, 'POST', '/agent/team/share', { memory_id: mine.id, scope: 'team' });
  assert.deepEqual(shared, { shared: true, memory_id: mine.id, team_id: team.id });
  await agent(403, 'POST', '/agent/team/share', { memory_id: ours.id });
  await agent(404, 'POST', '/agent/team/share', { memory_id: '00000000-0000-4000-8000-000000000000' });
  const pool = await agent(200, 'GET', '/agent/team/memories?limit=1');
  assert.deepEqual([pool.total, pool.limit, pool.offset, pool.has_more, pool.team_memories.length], [2, 1, 0, true, 1]);
}

async function trash(owner, agent) {
  const mine = await agent(201, 'POST', '/agent/memories', four('Trash', 'me'));
  const deleted = await agent(200, 'DELETE', `/agent/memories/${mine.id}`);
  assert.deepEqual([deleted.deleted, deleted.id, deleted.title], [true, mine.id, 'Trash']);
  await agent(404, 'GET', `/agent/memories/${mine.id}/versions`);
  await agent(403, 'DELETE', '/memories/trash');
  const gone = await owner(201, 'POST', '/memories', four('Gone', 'soon'));
  await owner(204, 'DELETE', `/memories/${gone.id}/permanent`);
  await owner(404, 'DELETE', `/memories/${gone.id}/permanent`);
  const other = await owner(201, 'POST', '/memories', four('Other', 'trash'));
  await owner(200, 'DELETE', `/memories/${other.id}`);
  assert.deepEqual(await owner(200, 'DELETE', '/memories/trash'), { deleted: 2 });
  assert.deepEqual(await owner(200, 'DELETE', '/memories/trash'), { deleted: 0 });
  await owner(404, 'GET', `/memories/${other.id}`);
}

async function refusals(owner, agent) {
  assert.match((await owner(403, 'GET', '/admin/metrics')).error, /loci user role \S+ admin/);
  assert.doesNotMatch((await agent(403, 'GET', '/memories')).error, /sign in|memory\./);
}

async function documents(server) {
  const { Validator } = await import(pathToFileURL(process.env.VALIDATOR));
  for (const name of ['/openapi.json', '/openapi-agent.json']) {
    const document = await (await fetch(server.baseUrl + name)).json();
    const { valid, errors } = await new Validator().validate(document);
    assert.ok(valid, `${name}: ${JSON.stringify(errors)}`);
    assert.equal(document.openapi, '3.1.0');
  }
  const agents = await (await fetch(`${server.baseUrl}/openapi-agent.json`)).json();
  assert.deepEqual(agents.servers, [{ url: 'https://loci.example' }]);
  const operations = Object.values(agents.paths).flatMap((path) => Object.values(path));
  assert.ok(operations.length <= 30, `${operations.length} operations`);
  for (const op of operations) assert.equal(typeof op['x-openai-isConsequential'], 'boolean', op.operationId);
}

await main('routes', async (server) => {
  const owner = caller(server, process.env.OWNER_KEY);
  const agent = caller(server, server.key);
  const made = await putKeeps(owner);
  assert.equal(await versionsOf(owner, '/memories', made.id), await versionsOf(agent, '/agent/memories', made.id));
  await share(owner, agent);
  await trash(owner, agent);
  await refusals(owner, agent);
  await documents(server);
  assert.ok(Number.isInteger((await owner(200, 'GET', '/health')).uptime_seconds));
  const found = await owner(200, 'POST', '/memories/list', { filter: { by: 'search', term: 'Thursdays' }, limit: 500 });
  assert.equal(found.memories.length, 1);
});
