// The client against a real server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { isReplayed, Loci, LociError, VersionConflict, type ChangeEvent, type Memory } from "@loci-memory/sdk";
import { collect } from "./help.ts";
import { agentKey, apiKey, baseUrl, connect, signIn } from "./server.ts";

const loci = connect();
const unique = (): string => crypto.randomUUID();

test("health without a key, whoami with one", async () => {
  const open = new Loci({ baseUrl });
  assert.equal((await open.server.health()).status, "ok");
  assert.equal((await open.server.ready()).status, "ready");
  await assert.rejects(open.server.whoAmI(), (e) => e instanceof LociError && e.code === "unauthenticated" && e.status === 401);
  const person = await loci.server.whoAmI();
  assert.equal(person.vendor, null);
  const agent = await connect({ apiKey: agentKey }).server.whoAmI();
  assert.equal(agent.vendor, "claude");
});

test("a memory is saved, read, changed, trashed and restored", async () => {
  const saved = await loci.memories.create({ title: "Deploys", content: "On Tuesdays – immer.", tags: ["ops", "äöü"] });
  const read = await loci.memories.get(saved.id);
  assert.equal(read.content, "On Tuesdays – immer.");
  assert.equal(await loci.memories.get(saved.id, {}, { ifNoneMatch: read.version }), null);
  const changed = await loci.memories.edit(saved.id, { content: "On Thursdays." }, { ifMatch: read.version });
  assert.equal(changed.version, 2);
  const newer = await loci.memories.get(saved.id, {}, { ifNoneMatch: read.version });
  assert.equal(newer?.content, "On Thursdays.");
  await assert.rejects(loci.memories.edit(saved.id, { content: "On Fridays." }, { ifMatch: 1 }), (e) => {
    assert.ok(e instanceof VersionConflict);
    assert.match(e.message, /at version 2/);
    return true;
  });
  assert.equal((await loci.memories.edit(saved.id, { category: null })).category, "fact");
  const diff = await loci.history.diff(saved.id, { from: 1, to: 2 });
  assert.ok(diff);
  const old = await collect(loci.memories.allVersions(saved.id));
  assert.equal(old[0]?.content, "On Tuesdays – immer.");
  assert.ok((await loci.memories.trash(saved.id)).deleted_at);
  assert.equal((await loci.memories.restore(saved.id)).change, "restored");
  await loci.memories.trash(saved.id);
  assert.equal(await loci.memories.trash(saved.id, { permanent: true }), undefined);
  await assert.rejects(loci.memories.get(saved.id), (e) => e instanceof LociError && e.code === "not_found");
});

test("an error names the field", async () => {
  await assert.rejects(loci.memories.create({ title: "x".repeat(501), content: "y" }), (e) => {
    assert.ok(e instanceof LociError);
    assert.equal(e.code, "invalid");
    assert.equal(e.field, "title");
    assert.ok(e.requestId);
    return true;
  });
  await assert.rejects(
    loci.memories.bulk({ operations: [{ op: "trash", id: unique() }] }),
    (e) => e instanceof LociError && e.items[0]?.index === 0,
  );
});

test("a call under a key runs once", async () => {
  const idempotencyKey = unique();
  const body = { title: "Once", content: unique() };
  const first = await loci.memories.create(body, { idempotencyKey });
  assert.ok(!isReplayed(first));
  const again = await loci.memories.create(body, { idempotencyKey });
  assert.ok(!isReplayed(again)); // the row as it is now
  assert.equal(again.id, first.id);
  const bulk = { operations: [{ op: "create" as const, memory: body }] };
  const made = await loci.memories.bulk(bulk, { idempotencyKey: idempotencyKey + "b" });
  assert.deepEqual(await loci.memories.bulk(bulk, { idempotencyKey: idempotencyKey + "b" }), made);
  const parts = { ...bulk, atomic: false };
  const each = await loci.memories.bulk(parts, { idempotencyKey: idempotencyKey + "c" });
  const repeated = await loci.memories.bulk(parts, { idempotencyKey: idempotencyKey + "c" });
  assert.ok(!isReplayed(each));
  assert.ok(!isReplayed(repeated));
  assert.equal(repeated.results[0]?.id, each.results[0]?.id);
});

test("all pages of a list, in a body and in a query, and no more requests than needed", async () => {
  const tag = unique();
  const operations = Array.from({ length: 7 }, (_, i) => ({ op: "create" as const, memory: { title: `m${i}`, content: `${tag} ${i}`, tags: [tag] } }));
  await loci.memories.bulk({ operations });
  let requests = 0;
  const counting = connect({
    fetch: (...args) => {
      requests++;
      return fetch(...args);
    },
  });
  const filter = { by: "tags" as const, tags: [tag] };
  const titles = (await collect(counting.memories.all({ filter, limit: 3 }))).map((m) => m.title);
  assert.deepEqual(titles.toSorted(), ["m0", "m1", "m2", "m3", "m4", "m5", "m6"]);
  assert.equal(requests, 3);
  assert.equal((await collect(counting.memories.allByQuery({ tags: [tag], limit: 3 }))).length, 7);
  requests = 0;
  assert.equal((await collect(counting.memories.all({ filter, limit: 3 }), 2)).length, 2);
  assert.equal(requests, 1);
  const pages = await collect(loci.agent.searchPages({ term: tag, limit: 5 }));
  assert.deepEqual(pages.map((p) => p.hits.length), [5, 2]);
});

test("answers as JSON and as Markdown", async () => {
  const briefing = await loci.recall.briefing();
  assert.ok(briefing.total > 0);
  assert.match(await loci.recall.briefing({ format: "markdown" }), /^# Memory briefing$/m);
  const pack = await loci.recall.context({ goal: "deploys" });
  assert.ok(pack.receipt);
  assert.match(await loci.recall.context({ goal: "deploys", format: "markdown" }), /memor/);
  const node = await loci.nodes.create({ name: "Onboarding" });
  await loci.nodes.addItem(node.id, { kind: "text", text: "Ask for a key." });
  assert.match(await loci.nodes.pack(node.id), /Ask for a key/);
  assert.equal((await loci.nodes.pack(node.id, { format: "json" })).items.length, 1);
});

test("files go up and come down as bytes, Blobs and streams", async () => {
  const { id } = await loci.memories.create({ title: "With files", content: unique() });
  const bytes = crypto.getRandomValues(new Uint8Array(200_000 & 65535));
  const big = new Uint8Array(300_000).map((_, i) => i % 251);
  const one = await loci.assets.add(id, bytes, { name: "one.bin" });
  assert.equal(one.size, bytes.length);
  const two = await loci.assets.add(id, new Blob(["hello"], { type: "text/plain" }), { name: "zwei ü.txt" });
  assert.match(two.media_type, /^text\/plain/);
  const parts = [big.subarray(0, 100_000), big.subarray(100_000)];
  const body = new ReadableStream<Uint8Array>({
    pull(to) {
      const part = parts.shift();
      if (part) to.enqueue(part);
      else to.close();
    },
  });
  const three = await loci.assets.add(id, body, { name: "three.bin" });
  assert.equal((await loci.assets.list(id)).assets.length, 3);

  const down = await loci.assets.content(three.id);
  assert.equal(down.size, big.length);
  assert.deepEqual(await down.bytes(), big);
  const rest = await loci.assets.content(three.id, { offset: 299_990 });
  assert.equal(rest.offset, 299_990);
  assert.deepEqual(await rest.bytes(), big.slice(299_990));
  const text = await loci.assets.content(two.id);
  assert.equal(text.name, "zwei ü.txt");
  assert.equal(await (await text.blob()).text(), "hello");
  let streamed = 0;
  for await (const piece of (await loci.assets.content(three.id)).stream()) streamed += piece.length;
  assert.equal(streamed, big.length);
  await (await loci.assets.content(three.id)).cancel();
  await assert.rejects(loci.assets.content(three.id, { offset: 300_001 }), (e) => e instanceof LociError && e.code === "invalid");
});

test("a project with its graph, exported and imported", async () => {
  const { id } = await loci.projects.create({ name: unique() });
  await loci.graph.createEntities(id, { entities: [{ name: "API gateway", entity_type: "service", observations: ["Port 8443"] }] });
  const found = await loci.graph.search(id, { q: "8443" });
  assert.equal(found.entities[0]?.name, "API gateway");
  assert.equal((await collect(loci.graph.readPages(id)))[0]?.entities.length, 1);
  const file = await (await loci.graph.export(id, { format: "reference" })).text();
  const { id: other } = await loci.projects.create({ name: unique() });
  assert.equal((await loci.graph.import(other, file)).entities, 1);
});

test("events, one by one and as lines, in a session", async () => {
  const agent = await loci.agents.create({ name: unique(), vendor: "claude" });
  const session = await loci.sessions.create({ agent_id: agent.id, title: unique() });
  const lines = [1, 2].map((n) => JSON.stringify({ content: `line ${n}`, event_type: "note" })).join("\n");
  await loci.events.log({ content: "single", event_type: "note", metadata: { n: 0 } }, { session: session.id });
  assert.equal((await loci.events.logLines(lines, { session: session.id })).stored, 2);
  const got = await collect(connect({ session: session.id }).events.all({ session_id: session.id, limit: 2 }));
  assert.deepEqual(got.map((e) => e.content).toSorted(), ["line 1", "line 2", "single"]);
  assert.deepEqual(got.find((e) => e.metadata)?.metadata, { n: 0 });
  assert.equal((await loci.sessions.close(session.id)).state, "closed");
});

test("a person sees what a vendor's assistants see", async () => {
  const title = unique();
  const hidden = await loci.memories.create({ title, content: "hidden", allowed_vendors: ["cursor"] });
  assert.equal((await loci.memories.get(hidden.id, {}, { viewAs: "cursor" })).title, title);
  await assert.rejects(loci.memories.get(hidden.id, {}, { viewAs: "claude" }), { code: "not_found" });
  await assert.rejects(loci.memories.edit(hidden.id, { title: "x" }, { viewAs: "cursor" }), { code: "invalid" });
});

test("an export is read line by line", async () => {
  const kinds = new Set<string>();
  for await (const line of (await loci.account.export()).lines()) {
    for (const name of Object.keys(line as object)) kinds.add(name);
  }
  assert.ok(kinds.size > 0);
});

test("changes arrive as they happen, and from a position on", { timeout: 20_000 }, async () => {
  const stop = new AbortController();
  const agent = connect({ apiKey: agentKey });
  const events = agent.changes({ signal: stop.signal });
  const next = async (): Promise<ChangeEvent> => {
    const { value, done } = await events.next();
    assert.ok(!done);
    return value as ChangeEvent;
  };
  const ready = await next();
  assert.equal(ready.kind, "ready");
  const hidden = await loci.memories.create({ title: "Hidden", content: unique(), allowed_vendors: ["cursor"] });
  const seen = await loci.memories.create({ title: "Seen", content: unique() });
  const event = await next();
  assert.ok(event.kind === "change");
  assert.equal(event.change.id, seen.id);
  assert.notEqual(event.change.id, hidden.id);
  const waiting = events.next();
  stop.abort();
  assert.deepEqual(await waiting, { value: undefined, done: true });
  const again = await collect(agent.changes({ after: ready.position, once: true }));
  assert.deepEqual(again.map((e) => e.kind), ["ready", "change"]);
  const [here] = await collect(loci.changes({ once: true }));
  const session = await loci.sessions.create({ title: "Of another kind" });
  for (const kinds of [["session", "task"], "all"] as const) {
    const told = await collect(loci.changes({ after: here?.position, once: true, kinds }));
    assert.ok(told.some((e) => e.kind === "change" && e.change.kind === "session" && e.change.id === session.id));
  }
});

test("a sign-in in a cookie reads and changes from a page of the server, and not from elsewhere", async () => {
  const cookie = await signIn();
  // What a browser adds to the requests of a page. Node's fetch sends Sec-Fetch-Mode and nothing else of it.
  const browser =
    (extra: Record<string, string>): typeof fetch =>
    (url, init) => {
      assert.equal(init?.credentials, "same-origin");
      const headers = new Headers(init?.headers);
      assert.equal(headers.get("Authorization"), null);
      for (const [name, value] of Object.entries({ Cookie: cookie, ...extra })) headers.set(name, value);
      return fetch(url, { ...init, headers });
    };
  const page = new Loci({ baseUrl, fetch: browser({ "Sec-Fetch-Site": "same-origin", Origin: new URL(baseUrl).origin }) });
  assert.equal((await page.server.whoAmI()).method, "session");
  const made: Memory = await page.memories.create({ title: "From a page", content: unique() });
  assert.equal(made.origin, "dashboard");
  assert.equal((await collect(page.changes({ once: true })))[0]?.kind, "ready");
  const foreign = new Loci({ baseUrl, fetch: browser({ "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" }) });
  await assert.rejects(foreign.memories.create({ content: "x" }), (e) => e instanceof LociError && e.code === "forbidden");
});

test("a real client keeps the key to itself", () => {
  assert.ok(!inspect(loci, { depth: 9, showHidden: true }).includes(apiKey));
});
