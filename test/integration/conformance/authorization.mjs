// Runs the tool's authorization suite and is the person in it: signs in by a one-time link, consents as claude.
//
//   node authorization.mjs TOOL BASE LINK PORT RESULTS
//
// TOOL is the package's directory, BASE the server, LINK the one-time link, PORT a free one for the tool's callback. Every
// check of both scenarios must succeed; warnings and skipped checks are errors here too.
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const [tool, base, link, port, results] = process.argv.slice(2);
const scenarios = ['authorization-server-metadata-endpoint', 'authorization-code-grant'];

function fail(text) {
  console.error(text);
  process.exit(1);
}

// post sends a form as a browser would, and follows nothing.
function post(path, pairs, cookie = '') {
  return fetch(base + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'Sec-Fetch-Site': 'same-origin', Cookie: cookie },
    body: new URLSearchParams(pairs),
  });
}

async function signIn() {
  const answer = await post('/app/link', [['token', new URL(link).searchParams.get('token')]]);
  const cookie = answer.headers.get('set-cookie')?.split(';')[0];
  if (answer.status !== 303 || !cookie) fail(`signing in: ${answer.status} ${await answer.text()}`);
  return cookie;
}

async function register() {
  const answer = await fetch(`${base}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: 'conformance', redirect_uris: [`http://127.0.0.1:${port}/callback`], token_endpoint_auth_method: 'none' }),
  });
  if (answer.status !== 201) fail(`registering: ${answer.status} ${await answer.text()}`);
  return (await answer.json()).client_id;
}

const plain = (s) => s.replace(/&(amp|lt|gt|quot|#34|#39|#43);/g, (_, e) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#34': '"', '#39': "'", '#43': '+' })[e]);

// consent opens the address, allows, and goes where the answer leads.
async function consent(address, cookie) {
  const page = await (await fetch(address, { headers: { Cookie: cookie, 'Sec-Fetch-Site': 'none' }, redirect: 'manual' })).text();
  const form = page.split('action="/oauth/authorize"')[1] ?? fail(`no consent page: ${page}`);
  const pairs = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map((m) => [plain(m[1]), plain(m[2])]);
  const answer = await post('/oauth/authorize', [...pairs, ['vendor', 'claude'], ['scope', 'memories:read'], ['scope', 'memories:write'], ['answer', 'allow']], cookie);
  const to = answer.headers.get('location');
  if (answer.status !== 303 || !to) fail(`consenting: ${answer.status} ${await answer.text()}`);
  await fetch(to);
}

const cookie = await signIn();
const child = spawn(process.execPath, [join(tool, 'dist/index.js'), 'authorization', '--url', base, '--client-id', await register(),
  '--resource', `${base}/mcp`, '--port', port, '-o', results], { stdio: ['ignore', 'pipe', 'inherit'] });
const patience = setTimeout(() => { child.kill(); fail('the tool did not end within 60 s'); }, 60_000);
let said = '', asked = false;
child.stdout.setEncoding('utf8');
child.stdout.on('data', (text) => {
  said += text;
  const address = said.match(/^(http\S+\/oauth\/authorize\?\S+)\s/m)?.[1];
  if (address && !asked) {
    asked = true;
    consent(address, cookie).catch((e) => { child.kill(); fail(`consenting: ${e}`); });
  }
});
const code = await new Promise((done) => child.on('close', done));
clearTimeout(patience);

const dirs = readdirSync(results);
const errors = code === 0 ? [] : [`the tool ended with ${code}`];
for (const scenario of scenarios) {
  const dir = dirs.find((d) => d.includes(scenario));
  const checks = dir ? JSON.parse(readFileSync(join(results, dir, 'checks.json'), 'utf8')) : [];
  if (!checks.length) errors.push(`${scenario}: nothing was checked`);
  for (const c of checks) {
    console.log(`${scenario}: ${c.id}: ${c.status}`);
    if (c.status !== 'SUCCESS') errors.push(`${scenario}: ${c.id}: ${c.status}: ${c.errorMessage ?? ''}`);
  }
}
for (const dir of dirs) {
  if (!scenarios.some((s) => dir.includes(s))) errors.push(`${dir}: a scenario that is not in the list of this script`);
}
if (errors.length) fail(`${said}\n${errors.join('\n')}`);
