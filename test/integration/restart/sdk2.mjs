// sdk2.mjs SDK MODE URL KEY: a client of the TypeScript SDK 2.x; see call.mjs. MODE is legacy or auto.
import { serve } from './call.mjs'

const [sdk, mode, url, key] = process.argv.slice(2)
const { Client, StreamableHTTPClientTransport } = await import(`${sdk}/dist/index.mjs`)
const client = new Client({ name: 'restart-test', version: '2' }, { versionNegotiation: { mode } })
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${key}` } } })
await client.connect(transport)
const modern = mode !== 'legacy'
await serve(client, client.getNegotiatedProtocolVersion(), modern)
if (!modern) await transport.terminateSession()
process.exit()
