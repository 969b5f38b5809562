// Drives every method of npm reflect-memory-sdk (CLIENT is its entry file).
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { main, tell } from './scenario.mjs';

await main('reflect-memory-sdk', async (server) => {
  const { ReflectMemory, ReflectMemoryError } = await import(pathToFileURL(process.env.CLIENT));
  const make = (apiKey) => {
    const sdk = new ReflectMemory({ apiKey, baseUrl: `${server.baseUrl}/` });
    return {
      vendor: server.vendor,
      write: (p) => sdk.write(p),
      getById: (id) => sdk.getById(id),
      getLatest: (tag) => sdk.getLatest(tag),
      browse: (p) => sdk.browse(p),
      getByTag: (p) => sdk.getByTag(p),
      search: (p) => sdk.search(p),
      whoami: () => sdk.whoami(),
      withKey: make,
      checkError(err, status) {
        assert.ok(err instanceof ReflectMemoryError, err.stack);
        assert.equal(err.status, status);
        assert.equal(typeof err.body.error, 'string');
      },
    };
  };
  await tell(make(server.key), server);
});
