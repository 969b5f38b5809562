// The requests of the published clients, sent by ourselves: the same methods, paths, headers and bodies, so that their
// contract is checked also where the packages cannot be had.
import assert from 'node:assert/strict';
import { main, tell } from './scenario.mjs';

class WireError extends Error {
  constructor(status, body) {
    super(body?.error ?? body?.message ?? `status ${status}`);
    Object.assign(this, { status, body });
  }
}

function wireClient({ baseUrl, key, vendor }, dialect) {
  const headers = { Authorization: `Bearer ${key}`, Accept: dialect.accept ?? '*/*' };
  const send = async (method, path, body) => {
    const init = { method, headers: { ...headers } };
    // The SDK and the bridge name a content type also where there is no body.
    if (dialect.alwaysJSON || body) init.headers['Content-Type'] = 'application/json';
    if (body) init.body = JSON.stringify(body);
    const res = await fetch(baseUrl + path, init);
    const answer = await res.json();
    if (!res.ok) throw new WireError(res.status, answer);
    return answer;
  };
  return {
    vendor,
    noMemoryType: dialect.noMemoryType,
    write: ({ title, content, tags, allowedVendors = ['*'], memoryType }) =>
      send('POST', '/agent/memories', { title, content, tags, allowed_vendors: allowedVendors, memory_type: memoryType }),
    getById: (id) => send('GET', `/agent/memories/${encodeURIComponent(id)}`),
    getLatest: (tag) => send('GET', '/agent/memories/latest' + (tag ? `?tag=${encodeURIComponent(tag)}` : '')),
    browse: ({ limit, offset }) => send('POST', '/agent/memories/browse', { ...dialect.all, limit, offset }),
    getByTag: ({ tags, limit, offset }) => send('POST', '/agent/memories/by-tag', { tags, limit, offset }),
    search: ({ query, limit }) => send('POST', '/agent/memories/browse', { filter: { by: 'search', term: query }, limit }),
    whoami: () => send('GET', '/whoami'),
    withKey: (other) => wireClient({ baseUrl, key: other, vendor }, dialect),
    checkError(err, status) {
      assert.equal(err.status, status, err.stack);
      assert.equal(typeof err.body.error, 'string', `${status} without an error text: ${JSON.stringify(err.body)}`);
    },
  };
}

const dialects = {
  sdk: { alwaysJSON: true, all: { filter: { by: 'all' } } },
  'n8n 1.0.3': { accept: 'application/json', all: { filter: { by: 'all' } } },
  // The older node sends no filter and no memory type; a filter left out means all.
  'n8n 1.0.2': { accept: 'application/json', all: {}, noMemoryType: true },
};

await main(`wire ${process.env.DIALECT}`, (server) => tell(wireClient(server, dialects[process.env.DIALECT]), server));
