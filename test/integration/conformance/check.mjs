// Compares the results of one conformance run with a list of what should come out of it.
//
//   node check.mjs LIST TARGET RESULTS
//
// A line of LIST is `scenario target [!check …] [# why]`. The target says which server decides about the scenario: `real`,
// `fixture`, `both`, or `none` for what we do not implement. `!check` is a check that is expected to fail there. `none` and
// `!check` need a reason. A scenario without a line, a line without a result, an unexpected failure and an unexpected pass
// are errors.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const [list, target, results] = process.argv.slice(2);
const errors = [];
const listed = new Set(); // every scenario that has a line, also for the other target

function readList() {
  const lines = new Map();
  for (const line of readFileSync(list, 'utf8').split('\n')) {
    const [entry, why] = line.split('#').map((s) => s.trim());
    if (!entry) continue;
    const [scenario, where, ...expected] = entry.split(/\s+/);
    if (!['real', 'fixture', 'both', 'none'].includes(where) || expected.some((e) => !e.startsWith('!'))) {
      errors.push(`bad line: ${line}`);
    }
    if ((expected.length || where === 'none') && !why) errors.push(`${scenario}: an expected failure needs a reason`);
    listed.add(scenario);
    if (where !== target && where !== 'both' && where !== 'none') continue;
    if (lines.has(scenario)) errors.push(`${scenario}: listed twice for ${target}`);
    lines.set(scenario, { implemented: where !== 'none', expected: expected.map((e) => e.slice(1)) });
  }
  return lines;
}

// The tool writes server-<scenario>-<time>/checks.json.
function readResults() {
  const found = new Map();
  for (const dir of readdirSync(results)) {
    const name = dir.match(/^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/)?.[1];
    if (name) found.set(name, JSON.parse(readFileSync(join(results, dir, 'checks.json'), 'utf8')));
  }
  return found;
}

function judge(scenario, expected, checks) {
  const failed = checks.filter((c) => c.status === 'FAILURE');
  for (const c of failed) {
    if (!expected.includes(c.id)) {
      errors.push(`${scenario}: ${c.id} failed: ${(c.errorMessage ?? c.description).split('\n')[0]}`);
    }
  }
  for (const e of expected) {
    if (!failed.some((c) => c.id === e)) {
      errors.push(`${scenario}: ${e} was expected to fail and did not; remove it from ${list}`);
    }
  }
  if (!checks.some((c) => c.status === 'SUCCESS')) errors.push(`${scenario}: nothing was checked`);
  return failed.length;
}

const lines = readList();
const found = readResults();
let ran = 0, passed = 0, expectedFailures = 0, warnings = 0, skipped = 0;
for (const scenario of found.keys()) {
  if (!listed.has(scenario)) errors.push(`${scenario}: no line in ${list}`);
}
for (const [scenario, { implemented, expected }] of lines) {
  const checks = found.get(scenario);
  if (!checks) {
    errors.push(`${scenario}: no result`);
    continue;
  }
  if (!implemented) {
    const statuses = checks.map((c) => c.status);
    if (statuses.includes('SUCCESS') && !statuses.includes('FAILURE')) errors.push(`${scenario}: passes; give it a target in ${list}`);
    continue;
  }
  ran++;
  const failed = judge(scenario, expected, checks);
  expectedFailures += failed;
  if (!failed) passed++;
  for (const c of checks.filter((c) => c.status === 'WARNING' || c.status === 'SKIPPED')) {
    if (c.status === 'WARNING') warnings++;
    else skipped++;
    const why = c.errorMessage ?? c.details?.reason ?? c.description ?? '';
    console.log(`  ${c.status.toLowerCase()} ${scenario}: ${c.id}: ${why.split('\n')[0]}`);
  }
}
for (const e of errors) console.log(`  ${e}`);
const unproven = [...found].filter(([scenario, checks]) => !lines.has(scenario)
  && checks.some((c) => c.status === 'SUCCESS') && !checks.some((c) => c.status === 'FAILURE')).map(([scenario]) => scenario);
if (unproven.length) console.log(`  pass, but not counted, because they call what the server does not have: ${unproven.sort().join(' ')}`);
// What passes although the server has no line for it proves nothing and does not count.
const server = { real: 'the binary', fixture: 'the fixture server' }[target];
console.log(`${list.replace(/.*\/|\.txt$/g, '')}: ${server} passes ${passed} of ${found.size} scenarios (${ran} apply to it, ${expectedFailures} checks of them fail as expected; ${warnings} warnings, ${skipped} skipped checks, ${errors.length} errors)`);
process.exit(errors.length ? 1 : 0);
