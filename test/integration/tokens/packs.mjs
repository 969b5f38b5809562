// Usage: packs.mjs BASE KEY NODE_MODULES TEXTS. Saves each text as a memory, some of them pinned, and the names of the
// scripts as words to ask for. Then asks for packs, and counts.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const [base, key, modules, file] = process.argv.slice(2)
const load = path => import(pathToFileURL(`${modules}/${path}`))
const require = createRequire(`${modules}/`)
const cl100k = await load('gpt-tokenizer/esm/encoding/cl100k_base.js')
const o200k = await load('gpt-tokenizer/esm/encoding/o200k_base.js')
const claude = require('@anthropic-ai/tokenizer')
const llama3 = (await load('llama3-tokenizer-js/bundle/llama3-tokenizer-with-baked-data.js')).default
const plain = { allowedSpecial: new Set(), disallowedSpecial: new Set() }
const tokenizers = {
  cl100k: text => cl100k.encode(text, plain).length,
  o200k: text => o200k.encode(text, plain).length,
  claude: text => claude.countTokens(text),
  llama3: text => llama3.encode(text, { bos: false, eos: false }).length,
}

async function post(path, body) {
  const answer = await fetch(`${base}/api/v1${path}`, { method: 'POST', body: JSON.stringify(body),
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' } })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
  return JSON.parse(text)
}

const texts = JSON.parse(readFileSync(file, 'utf8'))
for (const [i, { text, Text }] of texts.entries()) {
  const content = `Topic${i % 7} heron ` + (text ?? Text)
  await post('/memories', { title: `Note ${i}`, content, pinned: i % 9 === 0, memory_type: i % 4 ? 'semantic' : 'procedural',
    tags: i % 5 ? [] : ['decision'] })
  await post('/events', { content, actor: 'tester', memory_type: i % 3 ? 'episodic' : 'decision' })
}
const session = await post('/sessions', { title: 'counted' })
let packs = 0, failed = 0, closest = 0
for (const max_tokens of [200, 250, 333, 500, 777, 1000, 1500, 2500, 4000, 8000, 32000]) {
  for (let topic = 0; topic < 7; topic++) {
    for (const session_id of [undefined, session.id]) {
      const pack = await post('/context', { goal: `What about the heron and topic${topic}?`, max_tokens, limit: 50, session_id,
        fresh: topic % 2 === 0 })
      packs++
      for (const [name, count] of Object.entries(tokenizers)) {
        const n = count(pack.context)
        closest = Math.max(closest, n / pack.tokens)
        if (n > pack.tokens || pack.tokens > max_tokens || pack.max_tokens !== max_tokens) {
          failed++
          console.log(`${name} counts ${n} tokens, the pack says ${pack.tokens} of ${max_tokens}:\n${pack.context}`)
        }
      }
    }
  }
}
console.log(`${packs} packs over ${texts.length} texts, ${Object.keys(tokenizers).length} tokenizers: ${failed} beyond the bound; ` +
  `the closest has ${Math.round(closest * 100)} % of it`)
process.exit(failed || packs < 100 ? 1 : 0)
