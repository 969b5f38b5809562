// converse.mjs ENTRY WORK: tells steps.mjs to the reference server and to ours.
import { common, loci, reference, same } from './client.mjs'
import { steps } from './steps.mjs'

const [entry, work] = process.argv.slice(2)
const theirs = await reference(entry, `${work}/conversation.jsonl`)
const ours = await loci(`${work}/conversation-data`)
const made = await ours.call('create_project', { name: 'conversation' })
if (made.error) throw new Error(made.error)

let bad = 0
const wrong = (what, want, got) => {
  bad++
  console.log(`FAILED ${what}\n  want ${JSON.stringify(want)}\n  got  ${JSON.stringify(got)}`)
}

// includes: everything that want names is in got; a number counts.
const includes = (want, got) =>
  Object.entries(want).every(([k, v]) => (typeof v === 'number' ? got[k]?.length === v : same(v, got[k])))

for (const [tool, args, why, wantTheirs, wantOurs] of steps) {
  const said = [await theirs.call(tool, args), await ours.call(tool, args)]
  const [a, b] = said.map((answer) => common(tool, answer))
  const what = `${tool} ${JSON.stringify(args)}`
  if (why === undefined) {
    if (!same(a, b)) wrong(what, a, b)
  } else {
    if (!includes(wantTheirs, a)) wrong(`${what}: the reference server`, wantTheirs, a)
    if (!includes(wantOurs, b)) wrong(what, wantOurs, b)
    console.log(`differs on purpose: ${what.slice(0, 90)}: ${why}`)
  }
  // An error names what is missing.
  if (b.error && JSON.stringify(args).includes('Nobody') && !said[1].error.includes('Nobody')) wrong(`${what}: the error`, 'Nobody', said[1].error)
}
const bike = await ours.call('search_nodes', { query: 'bike' })
if (!same(common('search_nodes', bike).entities, [])) wrong('the first Alice was deleted with what was added to her', [], bike)
await theirs.stop()
await ours.stop()
console.log(`${steps.length} steps, ${bad} failed`)
process.exit(bad ? 1 : 0)
