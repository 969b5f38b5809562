// What the client does when a server misbehaves.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { isReplayed, Loci, LociError, VersionConflict, type LociOptions } from "@loci-memory/sdk";
import { collect, fake, hangUp, json, problem, silent, type Fake, type Handler } from "./help.ts";

const key = "loci_live_0123456789secret";
const me = { role: "user", scopes: [] };

function client(server: Fake, options: LociOptions = {}): Loci {
  return new Loci({ baseUrl: server.url, apiKey: key, ...options });
}

async function failure(promise: Promise<unknown>): Promise<LociError> {
  const error = await promise.then(
    (value) => assert.fail(`got ${JSON.stringify(value)}, want an error`),
    (e: unknown) => e,
  );
  assert.ok(error instanceof LociError, `got ${String(error)}, want a LociError`);
  return error;
}

test("an error has all that the server tells", async (t) => {
  const errors = [{ field: "title", error: "too long" }];
  const server = await fake(t, problem(400, "invalid", { field: "title", errors }));
  const error = await failure(client(server).memories.create({ content: "x" }));
  assert.equal(error.message, "this is invalid");
  assert.equal(error.code, "invalid");
  assert.equal(error.status, 400);
  assert.equal(error.field, "title");
  assert.deepEqual(error.errors, errors);
  assert.equal(error.requestId, "r1");
  assert.equal(error.request, "POST /api/v1/memories");
  assert.equal(server.seen.length, 1, "an error that stays is not repeated");
});

test("step-up comes with its address", async (t) => {
  const server = await fake(t, problem(403, "step_up_required", { step_up_url: "http://localhost/app/step-up" }));
  const error = await failure(client(server).keys.create({ name: "k" }));
  assert.equal(error.code, "step_up_required");
  assert.equal(error.stepUpUrl, "http://localhost/app/step-up");
});

test("another version is a VersionConflict", async (t) => {
  const server = await fake(t, problem(412, "precondition_failed"));
  const error = await failure(client(server).memories.edit("a b", { content: "x" }, { ifMatch: 3 }));
  assert.ok(error instanceof VersionConflict);
  assert.equal(server.seen[0]?.headers["if-match"], '"3"');
  assert.equal(server.seen[0]?.url, "/api/v1/memories/a%20b");
});

test("a GET is repeated after 500, 502 of a proxy and a lost connection", async (t) => {
  const proxy: Handler = (_request, response) => response.writeHead(502, { "Content-Type": "text/html" }).end("<h1>Bad");
  const server = await fake(t, problem(500, "internal"), proxy, hangUp, json(200, me));
  assert.deepEqual(await client(server, { retries: 3 }).server.whoAmI(), me);
  assert.equal(server.seen.length, 4);
});

test("retries end", async (t) => {
  const server = await fake(t, problem(503, "unavailable"));
  assert.equal((await failure(client(server, { retries: 1 }).server.whoAmI())).code, "unavailable");
  assert.equal(server.seen.length, 2);
  assert.equal((await failure(client(server).server.whoAmI({ retries: 0 }))).code, "unavailable");
  assert.equal(server.seen.length, 3);
});

test("a full disk is not tried again", async (t) => {
  const server = await fake(t, problem(507, "storage_full"));
  assert.equal((await failure(client(server).server.whoAmI())).code, "storage_full");
  assert.equal(server.seen.length, 1);
});

test("a POST without a key is sent once, one that only reads is repeated", async (t) => {
  const server = await fake(t, hangUp);
  assert.equal((await failure(client(server).memories.create({ content: "x" }))).code, "network");
  assert.equal(server.seen.length, 1);
  const other = await fake(t, hangUp, json(200, { memories: [], has_more: false, next_cursor: "" }));
  assert.deepEqual(await collect(client(other).memories.all()), []);
  assert.equal(other.seen.length, 2);
});

test("a POST with a key is repeated with the same key, and while the first one still runs", async (t) => {
  const replayed: Handler = (_request, response) =>
    response
      .writeHead(201, { "Content-Type": "application/vnd.loci.replayed+json", "Idempotency-Replayed": "true" })
      .end('{"replayed":true,"target":"m1"}');
  const server = await fake(t, hangUp, problem(409, "conflict"), replayed);
  const got = await client(server).memories.create({ content: "x" }, { idempotencyKey: "k1" });
  assert.ok(isReplayed(got));
  assert.equal(got.target, "m1");
  assert.deepEqual(
    server.seen.map((r) => [r.headers["idempotency-key"], r.body]),
    Array(3).fill(["k1", '{"content":"x"}']),
  );
  const busy = await fake(t, problem(409, "conflict"));
  await failure(client(busy).memories.create({ content: "x" }, { idempotencyKey: "k1" }));
  assert.equal(busy.seen.length, 1, "a conflict that answers the first attempt is final");
});

test("429 is repeated after Retry-After, also for a change", async (t) => {
  const server = await fake(t, problem(429, "rate_limited", {}, { "Retry-After": "1" }), json(201, { id: "m1" }));
  const start = performance.now();
  assert.equal((await client(server).memories.create({ content: "x" })).id, "m1");
  const took = performance.now() - start;
  assert.ok(took >= 990, `waited ${took} ms, want 1 s`);
});

test("a longer wait than maxRetryDelay is the caller's", async (t) => {
  const server = await fake(t, problem(429, "rate_limited", {}, { "Retry-After": "59" }));
  const error = await failure(client(server).server.whoAmI());
  assert.equal(error.retryAfter, 59);
  assert.equal(server.seen.length, 1);
});

test("broken JSON, HTML and a foreign error are not Loci's", async (t) => {
  const broken: Handler = (_request, response) => response.writeHead(200, { "Content-Type": "application/json" }).end('{"role":');
  const html: Handler = (_request, response) => response.writeHead(200, { "Content-Type": "text/html" }).end("<p>Sign in to the Wi-Fi");
  const teapot: Handler = (_request, response) => response.writeHead(418, { "Content-Type": "text/plain" }).end("no");
  const server = await fake(t, broken, html, teapot);
  for (const status of [200, 200, 418]) {
    const error = await failure(client(server).server.whoAmI());
    assert.equal(error.code, "bad_answer");
    assert.equal(error.status, status);
  }
  assert.equal(server.seen.length, 3);
});

test("an answer that breaks off is repeated", async (t) => {
  const cut: Handler = (request, response) => {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "100" }).write('{"role"');
    setTimeout(() => request.socket.destroy(), 20);
  };
  const server = await fake(t, cut, json(200, me));
  assert.deepEqual(await client(server).server.whoAmI(), me);
});

test("a slow answer is a timeout, also if it began", async (t) => {
  const slow: Handler = (_request, response) => void response.writeHead(200, { "Content-Type": "application/json" }).write("{");
  const server = await fake(t, silent, slow);
  for (let i = 0; i < 2; i++) {
    const error = await failure(client(server, { timeout: 100, retries: 0 }).server.whoAmI());
    assert.equal(error.code, "timeout");
    assert.match(error.message, /GET \/api\/v1\/whoami: no answer within 100 ms/);
  }
});

test("a signal ends a request and a wait with its reason", async (t) => {
  const reason = new Error("enough");
  for (const handler of [silent, problem(429, "rate_limited", {}, { "Retry-After": "20" })]) {
    const server = await fake(t, handler);
    const stop = new AbortController();
    const call = client(server).server.whoAmI({ signal: stop.signal });
    setTimeout(() => stop.abort(reason), 100);
    await assert.rejects(call, reason);
  }
  const server = await fake(t, json(200, me));
  await assert.rejects(client(server).server.whoAmI({ signal: AbortSignal.abort(reason) }), reason);
  assert.equal(server.seen.length, 0);
});

test("no server is a network error", async (t) => {
  const server = await fake(t, silent);
  await server.close();
  const error = await failure(client(server, { retries: 0 }).server.whoAmI());
  assert.equal(error.code, "network");
  assert.match(error.message, /ECONNREFUSED/);
});

test("a redirection is refused, and neither key nor body go there", async (t) => {
  for (const status of [301, 302, 303, 307, 308]) {
    const elsewhere = await fake(t, json(200, me));
    const away: Handler = (_request, response) =>
      response.writeHead(status, { Location: `${elsewhere.url}/api/v1/memories?token=t` }).end();
    const server = await fake(t, away);
    const error = await failure(client(server).memories.create({ content: "private" }));
    assert.equal(error.code, "redirected");
    assert.match(error.message, new RegExp(`redirects to ${elsewhere.url}/api/v1/memories; set baseUrl`));
    assert.equal(elsewhere.seen.length, 0, `${status} was followed`);
  }
});

test("the key shows nowhere", async (t) => {
  const server = await fake(t, problem(401, "unauthenticated"));
  const loci = client(server, { headers: { "X-Dashboard-Token": "jwt-secret" } });
  const error = await failure(loci.server.whoAmI());
  assert.equal(server.seen[0]?.headers.authorization, `Bearer ${key}`);
  assert.equal(server.seen[0]?.headers["x-dashboard-token"], "jwt-secret");
  const shown = [
    inspect(loci, { depth: 9, showHidden: true }), JSON.stringify(loci), String(loci), Object.keys(loci).join(),
    inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error), error.stack,
    inspect(loci.memories, { depth: 9, showHidden: true }), JSON.stringify(structuredClone({ ...error })),
  ].join("\n");
  assert.ok(!shown.includes("secret"), shown);
  assert.throws(
    () => new Loci({ baseUrl: server.url, apiKey: "loci_secret\n" }),
    (e: Error) => e instanceof TypeError && !e.message.includes("secret"),
  );
});

test("an address must be one, and an id cannot name another route", async (t) => {
  for (const baseUrl of ["", "localhost:5624", "ftp://h", "http://u:p@h", "http://h?x=1", "http://h#f"]) {
    assert.throws(() => new Loci({ baseUrl }), TypeError, baseUrl);
  }
  assert.equal(new Loci({ baseUrl: "https://h.example/loci//" }).baseUrl, "https://h.example/loci");
  const server = await fake(t, json(200, me));
  for (const id of ["", ".", ".."]) assert.throws(() => void client(server).memories.get(id), TypeError, id);
  await client(server).memories.get("../keys?x#y");
  assert.equal(server.seen[0]?.url, "/api/v1/memories/..%2Fkeys%3Fx%23y");
});

test("queries repeat lists, join those that the API joins, and leave out what is missing", async (t) => {
  const server = await fake(t, json(200, {}));
  await client(server).recall.recallByQuery({ query: "a&b", tags: ["x", "y"], kinds: ["memory", "event"], limit: undefined, pinned: false });
  assert.equal(server.seen[0]?.url, "/api/v1/memories/recall?query=a%26b&tags=x&tags=y&kinds=memory%2Cevent&pinned=false");
});

test("a key sends no cookies, a browser without a key sends its own", async () => {
  const seen: (string | undefined)[] = [];
  const spy: typeof fetch = (_url, init) => {
    seen.push(init?.credentials, new Headers(init?.headers).get("Authorization") ?? "none");
    return Promise.resolve(Response.json(me));
  };
  await new Loci({ baseUrl: "http://h", apiKey: "k", fetch: spy }).server.whoAmI();
  await new Loci({ baseUrl: "http://h", fetch: spy }).server.whoAmI();
  assert.deepEqual(seen, ["omit", "Bearer k", "same-origin", "none"]);
});

test("the same cursor twice ends a list", async (t) => {
  const server = await fake(t, json(200, { tasks: [{ id: "1" }], has_more: true, next_cursor: "c" }));
  await assert.rejects(collect(client(server).tasks.all()), /same cursor/);
});

// The stream of changes.

const stream =
  (...pieces: string[]): Handler =>
  (_request, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    for (const piece of pieces) response.write(piece);
    response.end();
  };
const ready = 'event: ready\nid: p0\ndata: {"resumed":false}\n\n';
const change = (n: number): string =>
  `event: change\nid: p${n}\ndata: {"at":"t","kind":"memory","id":"m${n}","change":"created"}\n\n`;

test("a stream that closes is resumed after the last event", async (t) => {
  const utf8 = change(1).replace('"t"', '"ü"');
  const server = await fake(t, stream(ready, utf8.slice(0, 30), utf8.slice(30), ": still here\nid: p5\n\n", "event: change\nid: p6\ndata: {"),
    stream(ready.replaceAll("\n", "\r\n"), change(6)),
    silent,
  );
  const got = await collect(client(server).changes(), 4);
  assert.deepEqual(got.map((e) => [e.kind, e.position]), [["ready", "p0"], ["change", "p1"], ["ready", "p0"], ["change", "p6"]]);
  assert.deepEqual(server.seen.map((r) => r.url), ["/api/v1/changes", "/api/v1/changes?last_event_id=p5"]);
});

test("an event that was not taken comes again", async (t) => {
  const stop = new AbortController();
  const server = await fake(t, stream(ready, change(1), change(2)), () => stop.abort());
  const loci = client(server);
  let at = "";
  for await (const event of loci.changes()) {
    if (event.kind === "change") break;
    at = event.position;
  }
  const again = loci.changes({ after: at, signal: stop.signal });
  assert.deepEqual(await collect(again), []);
  assert.equal(server.seen[1]?.url, "/api/v1/changes?last_event_id=p0");
});

test("a stream waits for a server that is away or busy, and tells so", async (t) => {
  const server = await fake(t, hangUp, problem(429, "rate_limited", {}, { "Retry-After": "2" }), problem(503, "unavailable"), stream(ready),
  );
  const waits: number[] = [];
  const stop = new AbortController();
  const events = client(server).changes({ signal: stop.signal, onRetry: (wait) => void waits.push(wait) });
  const got = await collect(events, 1);
  assert.equal(got[0]?.kind, "ready");
  assert.equal(waits.length, 3);
  assert.ok((waits[1] ?? 0) >= 2000, `waited ${waits[1]} ms after Retry-After: 2`);
});

test("a silent stream is broken, and a signal ends it quietly", async (t) => {
  const open: Handler = (_request, response) => void response.writeHead(200, { "Content-Type": "text/event-stream" }).write(ready);
  const server = await fake(t, open);
  const stop = new AbortController();
  const reasons: unknown[] = [];
  const events = client(server).changes({
    signal: stop.signal,
    silence: 1000,
    onRetry: (_wait, reason) => {
      reasons.push(reason);
      stop.abort();
    },
  });
  const got = await collect(events);
  assert.deepEqual(got.map((e) => e.kind), ["ready"]);
  assert.ok(reasons[0] instanceof LociError && reasons[0].code === "network", String(reasons[0]));
});

test("a stream that the credential may not read fails", async (t) => {
  const server = await fake(t, problem(401, "unauthenticated"));
  assert.equal((await failure(collect(client(server).changes()))).code, "unauthenticated");
  assert.equal(server.seen.length, 1);
});

test("once ends", async (t) => {
  const server = await fake(t, stream(ready, change(1), ": still here\nid: p7\n\n"));
  assert.equal((await collect(client(server).changes({ once: true }))).length, 2);
  assert.equal(server.seen[0]?.url, "/api/v1/changes?once=true");
});

test("an event that is not JSON ends the stream with an error", async (t) => {
  const server = await fake(t, stream(ready, "event: change\nid: p1\ndata: {oops\n\n"));
  assert.equal((await failure(collect(client(server).changes()))).code, "bad_answer");
});
