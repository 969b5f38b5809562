// sdk1.mjs SDK URL KEY: a client of the TypeScript SDK 1.x; see call.mjs.
import { serve } from './call.mjs'

const [sdk, url, key] = process.argv.slice(2)
const { Client } = await import(`${sdk}/dist/esm/client/index.js`)
const { StreamableHTTPClientTransport } = await import(`${sdk}/dist/esm/client/streamableHttp.js`)
const client = new Client({ name: 'restart-test', version: '1' })
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${key}` } } })
await client.connect(transport)
await serve(client, transport.protocolVersion, false)
await transport.terminateSession()
process.exit()
