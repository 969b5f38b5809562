// Drives every operation of npm n8n-nodes-reflect-memory (CLIENT is its built node): execute() with the parameters that
// n8n would give it, and HTTP that is really sent.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { main, tell } from './scenario.mjs';

const require = createRequire(import.meta.url);

// executeContext is what n8n binds `this` to, as far as the node uses it.
function executeContext(server, key, parameters) {
  return {
    getInputData: () => [{ json: {} }],
    getCredentials: async () => ({ apiKey: key, baseUrl: `${server.baseUrl}/` }),
    getNodeParameter: (name, _item, fallback) => parameters[name] ?? fallback,
    continueOnFail: () => false,
    helpers: {
      httpRequestWithAuthentication: async (credential, { method, url, body, json }) => {
        assert.equal(credential, 'reflectMemoryApi');
        assert.equal(json, true);
        const headers = { Authorization: `Bearer ${key}`, Accept: 'application/json' };
        if (body) headers['Content-Type'] = 'application/json';
        const res = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
        const answer = await res.json();
        if (!res.ok) throw Object.assign(new Error(`Request failed with status code ${res.status}`), { status: res.status, body: answer });
        return answer;
      },
    },
  };
}

// testCredential does what n8n does behind its "Test" button, and demands the answer that n8n shows.
async function testCredential(server) {
  const { ReflectMemoryApi } = require(join(process.env.CLIENT, '../../../credentials/ReflectMemoryApi.credentials.js'));
  const { authenticate, test } = new ReflectMemoryApi();
  const status = async (apiKey) => {
    const header = authenticate.properties.headers.Authorization.replace(/^=/, '').replace('{{$credentials.apiKey}}', apiKey);
    const res = await fetch(server.baseUrl + test.request.url, { method: test.request.method, headers: { Authorization: header } });
    return res.status;
  };
  assert.equal(await status(server.key), 200, `the credential test asks for ${test.request.url}`);
  assert.equal(await status('loci_agent_wrong'), 401);
}

await main('n8n-nodes-reflect-memory', async (server) => {
  const { ReflectMemory } = require(process.env.CLIENT);
  const node = new ReflectMemory();
  const hasMemoryType = node.description.properties.some((p) => p.name === 'memory_type');
  const make = (key) => {
    const run = async (parameters) => {
      const [[item]] = await node.execute.call(executeContext(server, key, parameters));
      return item.json;
    };
    return {
      vendor: server.vendor,
      noMemoryType: !hasMemoryType,
      write: ({ title, content, tags, allowedVendors, memoryType }) =>
        run({ operation: 'write', title, content, writeTags: tags.join(', '), allowedVendors: allowedVendors?.join(','), memory_type: memoryType }),
      getById: (memoryId) => run({ operation: 'getById', memoryId }),
      getLatest: (tag) => run({ operation: 'getLatest', tag }),
      browse: ({ limit, offset }) => run({ operation: 'browse', limit, offset }),
      getByTag: ({ tags, limit, offset }) => run({ operation: 'getByTag', tags: tags.join(','), tagLimit: limit, tagOffset: offset }),
      withKey: make,
      checkError(err, status) {
        assert.equal(err.status, status, err.stack);
        assert.equal(typeof err.body.error, 'string');
      },
    };
  };
  await tell(make(server.key), server);
  await testCredential(server); // after the story: 1.0.2 asks for the latest memory, and there has to be one
});
