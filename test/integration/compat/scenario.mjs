// One story, told through any client of the product that seed S1 describes. A client is an object with a `vendor` and
// the methods write, getById, getLatest, browse, getByTag and, where it has them, search and whoami; each answers what the
// server's JSON says and throws an Error when the client reports a failure.
import assert from 'node:assert/strict';

const strings = ['id', 'title', 'content', 'origin', 'memory_type', 'created_at', 'updated_at'];

function checkMemory(m, vendor) {
  for (const field of strings) assert.equal(typeof m[field], 'string', `${field} of ${JSON.stringify(m)}`);
  assert.match(m.id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  for (const field of ['created_at', 'updated_at']) assert.match(m[field], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  assert.ok(Array.isArray(m.tags) && Array.isArray(m.allowed_vendors));
  assert.equal(m.origin, vendor, 'the server decides the origin');
  assert.equal(m.deleted_at ?? null, null);
}

function checkEnvelope(page, { total, limit, offset = 0, has_more = false }) {
  assert.ok(Array.isArray(page.memories));
  const { total: t, limit: l, offset: o, has_more: h } = page;
  assert.deepEqual({ total: t, limit: l, offset: o, has_more: h }, { total, limit, offset, has_more });
}

function checkSummary(s) {
  for (const field of ['id', 'title', 'origin', 'memory_type', 'created_at']) assert.equal(typeof s[field], 'string', field);
  assert.ok(Array.isArray(s.tags));
  assert.equal(s.content, undefined, 'a summary has no content');
}

const titles = (page) => page.memories.map((m) => m.title);

async function writeThree(client) {
  const content = 'Zeilen\n\tmit "Anführungszeichen", emoji 🧠 and 日本語; kept to the byte. ';
  const first = await client.write({ title: 'Event sourcing', content, tags: ['architecture', 'decision'] });
  checkMemory(first, client.vendor);
  assert.equal(first.content, content);
  assert.deepEqual(first.tags, ['architecture', 'decision']);
  assert.deepEqual(first.allowed_vendors, ['*']);
  assert.equal(first.memory_type, 'semantic');

  const second = await client.write({ title: 'Only mine', content: 'restricted', tags: ['decision'], allowedVendors: [client.vendor] });
  assert.deepEqual(second.allowed_vendors, [client.vendor]);

  const third = await client.write({ title: 'Standup', content: 'we met', tags: ['meeting'], memoryType: client.noMemoryType ? undefined : 'episodic' });
  assert.equal(third.memory_type, client.noMemoryType ? 'semantic' : 'episodic');
  return [first, second, third];
}

async function readThem(client, [first, second, third]) {
  assert.deepEqual(await client.getById(first.id), first);
  assert.deepEqual(await client.getLatest(), third);
  assert.deepEqual(await client.getLatest('decision'), second);

  const page = await client.browse({ limit: 2, offset: 0 });
  checkEnvelope(page, { total: 3, limit: 2, has_more: true });
  page.memories.forEach(checkSummary);
  assert.deepEqual(titles(page), ['Standup', 'Only mine'], 'newest first');
  if (!client.noOffset) {
    const rest = await client.browse({ limit: 2, offset: 2 });
    checkEnvelope(rest, { total: 3, limit: 2, offset: 2 });
    assert.deepEqual(titles(rest), ['Event sourcing']);
  }

  const any = await client.getByTag({ tags: ['architecture', 'meeting'], limit: 20, offset: 0 });
  checkEnvelope(any, { total: 2, limit: 20 });
  assert.deepEqual(any.memories, [third, first], 'any of the tags, whole bodies');
  const none = await client.getByTag({ tags: ['nothing has this'], limit: 20, offset: 0 });
  checkEnvelope(none, { total: 0, limit: 20 });
  assert.deepEqual(none.memories, []);
}

async function searchThem(client, [first]) {
  const found = await client.search({ query: '日本語', limit: 10 });
  checkEnvelope(found, { total: 1, limit: 10 });
  checkSummary(found.memories[0]);
  assert.equal(found.memories[0].id, first.id);
  assert.deepEqual((await client.search({ query: 'no such words anywhere', limit: 10 })).memories, []);
}

// fails demands that the client reports a failure, and that its text is one a person can use.
async function fails(client, status, call) {
  const err = await call().then(
    (r) => assert.fail(`expected ${status}, got ${JSON.stringify(r)}`),
    (e) => e,
  );
  client.checkError(err, status);
}

// secretOf writes, with another vendor's key, a memory that this client must not find.
async function secretOf({ baseUrl, otherKey, otherVendor }) {
  const res = await fetch(`${baseUrl}/agent/memories`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${otherKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ title: 'Foreign', content: 'foreign secret', tags: ['decision'], allowed_vendors: [otherVendor] }),
  });
  assert.equal(res.status, 201);
  return res.json();
}

export async function tell(client, server) {
  await fails(client, 404, () => client.getLatest());
  if (client.whoami) {
    const me = await client.whoami();
    assert.equal(me.role, 'agent');
    assert.equal(me.vendor, client.vendor);
  }
  const secret = await secretOf(server);
  const written = await writeThree(client);
  await readThem(client, written);
  if (client.search) await searchThem(client, written);
  await fails(client, 404, () => client.getById(secret.id));
  await fails(client, 404, () => client.getById('00000000-0000-4000-8000-000000000000'));
  await fails(client, 400, () => client.getByTag({ tags: ['x'], limit: 5000, offset: 0 }));
  await fails(client, 401, () => client.withKey('loci_agent_wrong').getLatest());
}

// main runs one client script and prints one line.
export async function main(name, run) {
  const env = process.env;
  const server = { baseUrl: env.BASE, key: env.KEY, vendor: env.VENDOR, otherKey: env.OTHER_KEY, otherVendor: env.OTHER_VENDOR };
  try {
    await run(server);
    console.log(`compat ${name}: ok`);
    process.exit(0);
  } catch (err) {
    console.log(`compat ${name}: ${err.stack}`);
    process.exit(1);
  }
}
