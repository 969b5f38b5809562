import assert from "node:assert/strict";
import { test } from "node:test";
import { barsOf } from "../src/views/sessions/density.ts";
import { zoomed } from "../src/views/sessions/zoom.ts";
import { notesOf } from "../src/views/sessions/notes.ts";
import { everything, passes, queryOf, lookOf } from "../src/views/memories/look.ts";
import { lacks, queryOf as queryOfSelection, requestOf, selectionOf } from "../src/views/time/look.ts";
import { countOf, ordered, vendorsOf } from "../src/views/visibility/groups.ts";
import { narrowed, plan } from "../src/views/visibility/narrow.ts";

const known = ["claude", "chatgpt", "cursor"];

test("narrowing never lets a vendor read more", () => {
  assert.deepEqual(narrowed(["*"], { without: "chatgpt" }, known), ["claude", "cursor"]);
  assert.deepEqual(narrowed(["claude", "chatgpt"], { without: "chatgpt" }, known), ["claude"]);
  assert.deepEqual(narrowed(["*"], { only: ["claude"] }, known), ["claude"]);
  assert.deepEqual(narrowed(["cursor"], { only: ["claude"] }, known), []);
  const lists = [["*"], ["claude"], ["claude", "chatgpt"], ["other"], ["claude", "*"]];
  for (const before of lists) {
    for (const how of [{ without: "claude" }, { only: ["claude", "cursor"] }]) {
      const after = narrowed(before, how, known);
      assert.ok(!after.includes("*") && after.every((vendor) => before.includes("*") || before.includes(vendor)), `${before} to ${after}`);
    }
  }
});

test("a plan counts what changes, and leaves alone what it cannot change", () => {
  const memory = (id: string, allowed_vendors: string[], user_id = "me") => ({ id, version: 1, allowed_vendors, user_id }) as Parameters<typeof plan>[0][number];
  const found = plan([memory("a", ["*"]), memory("b", ["chatgpt"]), memory("c", ["claude"]), memory("d", ["*"], "you"), memory("e", ["claude", "chatgpt"])], { without: "chatgpt" }, known, "me");
  assert.deepEqual(found, {
    changes: [{ id: "a", version: 1, before: ["*"], after: ["claude", "cursor"] }, { id: "e", version: 1, before: ["claude", "chatgpt"], after: ["claude"] }],
    same: 1, open: 1, nobody: 1, others: 1,
  });
});

test("vendors that matter come in the order of the known ones", () => {
  assert.deepEqual(ordered(["zzz", "cursor", "claude", "cursor"]), ["claude", "cursor", "zzz"]);
  const own = { total: 1, facets: { origin: [{ value: "cli", count: 1 }, { value: "cursor", count: 1 }], allowed_vendor: [{ value: "*", count: 1 }] } };
  assert.deepEqual(vendorsOf(own, ["claude"]), ["claude", "cursor"]);
  assert.equal(countOf(own, "origin", "claude"), 0);
  const full = { total: 1, facets: { origin: Array.from({ length: 100 }, (_, i) => ({ value: `o${i}`, count: 1 })) } };
  assert.equal(countOf(full, "origin", "claude"), undefined);
});

test("the address keeps who reads, what is hidden, and the time", () => {
  const look = { ...everything, q: "x", category: "rule", hidden: "chatgpt", at: "2026-11-03T09:00:00.000Z" };
  assert.deepEqual(lookOf(queryOf(look)), look);
  assert.equal(queryOf({ ...look, expired: true }).toString(), "q=x&category=rule&hidden=chatgpt&expired=1");
  assert.equal(lookOf(new URLSearchParams("at=nonsense")).at, "");
  const memory = { allowed_vendors: ["claude"], tags: ["a"], scope: "global", created_at: "2026-11-03T09:00:00.000000Z" } as unknown as Parameters<typeof passes>[1];
  assert.ok(passes({ ...everything, hidden: "chatgpt" }, memory));
  assert.ok(!passes({ ...everything, hidden: "claude" }, memory));
  assert.ok(!passes({ ...everything, tags: ["b"] }, memory));
  assert.ok(!passes({ ...everything, expired: true }, memory));
});

test("an undo needs somebody, and a beginning unless it is of a session", () => {
  const of = (query: string) => lacks(selectionOf(new URLSearchParams(query)));
  assert.equal(of(""), "who");
  assert.equal(of("origin=cursor"), "since");
  assert.equal(of("session=s"), undefined);
  assert.equal(of("key=k&since=2026-11-03T09:00:00Z&until=2026-11-03T08:00:00Z"), "order");
  const selection = selectionOf(new URLSearchParams("origin=cursor&since=2026-11-03T09:00:00Z"));
  assert.deepEqual(selectionOf(queryOfSelection(selection)), selection);
  assert.deepEqual(requestOf(selection), { origin: "cursor", since: "2026-11-03T09:00:00.000Z", until: undefined, session_id: undefined, credential_id: undefined });
});

test("a density has an empty bar on each side", () => {
  assert.deepEqual(barsOf(undefined), [[], []]);
  assert.deepEqual(barsOf({ start: "1970-01-01T00:01:00.000000Z", seconds: 15, counts: [3, 0, 1] }), [[45, 60, 75, 90, 105], [0, 3, 0, 1, 0]]);
});

test("keys enlarge the chart around the middle, and never leave it", () => {
  const all = { min: 0, max: 1000 };
  assert.deepEqual(zoomed("+", all, all), { min: 250, max: 750 });
  assert.deepEqual(zoomed("-", { min: 250, max: 750 }, all), all);
  assert.deepEqual(zoomed("ArrowLeft", { min: 100, max: 700 }, all), { min: 0, max: 600 });
  assert.deepEqual(zoomed("ArrowRight", { min: 100, max: 700 }, all), { min: 250, max: 850 });
  assert.deepEqual(zoomed("+", { min: 500, max: 510 }, all), { min: 500, max: 510 });
  assert.deepEqual(zoomed("0", { min: 500, max: 510 }, all), all);
  assert.equal(zoomed("x", all, all), undefined);
});

test("notes leave out events that fewer vendors may read", () => {
  const event = (content: string, allowed_vendors: string[]) => ({ content, actor: "user", allowed_vendors }) as Parameters<typeof notesOf>[0][number];
  assert.deepEqual(notesOf([event("new", ["*"]), event("secret", ["claude"]), event("old", ["claude", "cursor"])], ["claude", "cursor"]), { text: "user: old\n\nuser: new", used: 2, narrower: 1, cut: 0 });
  assert.equal(notesOf([event("some", ["claude"])], ["*"]).narrower, 1);
  assert.equal(notesOf([event("x".repeat(99_000), ["*"]), event("y".repeat(99_000), ["*"])], ["*"]).cut, 1);
});
