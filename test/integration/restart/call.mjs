// What a client does in each language: it creates the project `kept` once, and for each line of its input, which is a title,
// it saves a memory and reads the project. A client without connections names the project instead of choosing it.
import { createInterface } from 'node:readline'

export async function serve(client, version, modern) {
  const call = async (name, args) => {
    const result = await client.callTool({ name, arguments: args })
    if (result.isError) throw new Error(result.content[0].text)
    return result
  }
  await call('create_project', { name: 'kept' })
  console.log(`connected with ${version}`)
  for await (const title of createInterface({ input: process.stdin })) {
    try {
      await call('write_memory', { title, content: title })
      const { structuredContent } = modern ? await call('read_graph', { project: 'kept' }) : await call('get_current_project', {})
      if (!modern && structuredContent.name !== 'kept') throw new Error(`the project is ${JSON.stringify(structuredContent)}`)
      console.log(`ok ${title}`)
    } catch (e) {
      console.log(`failed ${String(e.message).replaceAll('\n', ' ')}`)
    }
  }
}
