// Drives every tool of the stdio bridge of npm reflect-memory-mcp (CLIENT is its script) with the official MCP client from
// MCP_SDK, a directory with @modelcontextprotocol/sdk installed.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { main, tell } from './scenario.mjs';

const require = createRequire(join(process.env.MCP_SDK, 'x.js'));
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');

const tools = ['browse_memories', 'get_latest_memory', 'get_memories_by_tag', 'get_memory_by_id', 'write_memory'];

async function connect(baseUrl, env) {
  const client = new Client({ name: 'loci-compat', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [process.env.CLIENT],
      env: { PATH: process.env.PATH, REFLECT_MEMORY_API_URL: baseUrl, ...env },
    }),
  );
  return client;
}

// properties says what arguments the tools of this version of the bridge have: 1.0.0 has no memory type and no origin.
async function properties(mcp) {
  const { tools: listed } = await mcp.listTools();
  assert.deepEqual(listed.map((t) => t.name).sort(), tools);
  return Object.fromEntries(listed.map((t) => [t.name, t.inputSchema.properties]));
}

function adapt(mcp, server, has) {
  const call = async (name, args) => {
    const result = await mcp.callTool({ name, arguments: args });
    const text = result.content[0].text;
    if (result.isError) throw new Error(text);
    return JSON.parse(text.replace(/^Memory created: .*\n/, ''));
  };
  return {
    vendor: server.vendor,
    noOffset: true,
    noMemoryType: !has.write_memory.memory_type,
    write: ({ title, content, tags, allowedVendors, memoryType }) =>
      call('write_memory', { title, content, tags, allowed_vendors: allowedVendors, memory_type: memoryType }),
    getById: (id) => call('get_memory_by_id', { id }),
    getLatest: (tag) => call('get_latest_memory', { tag }),
    browse: ({ limit }) => call('browse_memories', { limit }),
    getByTag: ({ tags, limit }) => call('get_memories_by_tag', { tags, limit }),
    search: ({ query, limit }) => call('browse_memories', { filter: 'search', term: query, limit }),
    call,
    withKey: (key) => ({
      getLatest: async () => {
        const other = await connect(server.baseUrl, { RM_AGENT_KEY_CURSOR: key });
        try {
          return await adapt(other, server, has).getLatest();
        } finally {
          await other.close();
        }
      },
    }),
    checkError(err) {
      assert.match(err.message, /^Error: ./);
      assert.doesNotMatch(err.message, /API error \d+$|undefined|fetch failed/, 'the bridge found no error text');
    },
  };
}

await main('reflect-memory-mcp', async (server) => {
  const mcp = await connect(server.baseUrl, { REFLECT_MEMORY_API_KEY: server.key });
  const has = await properties(mcp);
  const client = adapt(mcp, server, has);
  await tell(client, server);

  const titles = async (name, args) => (await client.call(name, args)).memories.map((m) => m.title);
  assert.deepEqual(await titles('browse_memories', { filter: 'tags', tags: ['decision'] }), ['Only mine', 'Event sourcing']);
  if (has.browse_memories.origin) {
    assert.deepEqual(await titles('browse_memories', { filter: 'origin', origin: server.vendor }), ['Standup', 'Only mine', 'Event sourcing']);
    assert.deepEqual(await titles('browse_memories', { filter: 'origin', origin: server.otherVendor }), []);
    assert.equal((await client.call('get_latest_memory', { origin: server.vendor })).title, 'Standup');
  }
  await mcp.close();
});
