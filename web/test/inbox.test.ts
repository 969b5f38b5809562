import assert from "node:assert/strict";
import { test } from "node:test";
import { inNotes, inText, marked } from "../src/views/inbox/evidence.ts";
import { filterOf, lookOf, queryOf } from "../src/views/inbox/look.ts";
import { merged } from "../src/views/inbox/merge.ts";
import { hunksOf } from "../src/views/inbox/words-diff.ts";

const rows = (...ids: string[]) => ids.map((id) => ({ id }));

test("the first page replaces the rows that it covers", () => {
  const old = { rows: rows("a", "b", "c", "d", "e"), next: "after e" };
  assert.deepEqual(merged(old, { rows: rows("new", "a", "c"), next: "after c" }, ""), { rows: rows("new", "a", "c", "d", "e"), next: "after e" });
  assert.deepEqual(merged(old, { rows: rows("x", "y"), next: "after y" }, ""), { rows: rows("x", "y"), next: "after y" });
  assert.deepEqual(merged(old, { rows: rows("b"), next: "" }, ""), { rows: rows("b"), next: "" });
  assert.deepEqual(merged({ rows: rows("a", "b"), next: "after b" }, { rows: rows("b", "c"), next: "" }, "after b"), { rows: rows("a", "b", "c"), next: "" });
  assert.deepEqual(merged({ rows: rows("a", "b"), next: "after b" }, { rows: rows("new", "b"), next: "after b" }, ""), { rows: rows("new", "b"), next: "after b" });
});

test("the address keeps the list of the inbox", () => {
  assert.deepEqual(lookOf(new URLSearchParams("list=nonsense&kind=nonsense")), { list: "pending", kind: "", project: "", source: "" });
  const look = { list: "deferred", kind: "plan", project: "p", source: "s" } as const;
  assert.deepEqual(lookOf(queryOf(look)), look);
  assert.equal(queryOf(lookOf(new URLSearchParams())).toString(), "");
  assert.deepEqual(filterOf(look), { state: "deferred", kind: "plan", project: "p", source_id: "s" });
});

test("evidence is marked in its text", () => {
  const text = (pieces: { text: string; marked: boolean }[]) => pieces.map(({ text, marked }) => (marked ? `[${text}]` : text)).join("");
  assert.equal(text(marked("abcdef", [[3, 5], [1, 4]])), "a[bcd][e]f");
  assert.equal(text(marked("abc", [[1, 99]])), "a[bc]");
  assert.equal(text(inText("🙂 yes", [[2, 5]])), "🙂 [yes]");
  const notes = "We said: yes. Later: yes.";
  assert.equal(text(inNotes(notes, [{ before: "Later: ", text: "yes", after: ".", role: "statement" }])), "We said: yes. Later: [yes].");
  assert.equal(text(inNotes(notes, [{ before: "gone ", text: "said", after: "", role: "reason" }])), "We [said]: yes. Later: yes.");
  assert.equal(text(inNotes(notes, [{ before: "", text: "nowhere", after: "", role: "reason" }])), notes);
});

test("two texts are compared by words", () => {
  assert.deepEqual(hunksOf("same", "same"), []);
  const [hunk] = hunksOf("We deploy the shop on Fridays at four.", "We deploy the shop on Tuesdays after five.");
  const words = hunk?.lines?.[0]?.words ?? [];
  const without = (op: string) => words.filter((word) => word.op !== op).map(({ text }) => text).join("");
  assert.equal(without("added"), "We deploy the shop on Fridays at four.");
  assert.equal(without("removed"), "We deploy the shop on Tuesdays after five.");
  assert.deepEqual(words, [{ op: "same", text: "We deploy the shop on " }, { op: "removed", text: "Fridays at four" }, { op: "added", text: "Tuesdays after five" }, { op: "same", text: "." }]);
  assert.deepEqual(hunksOf("It may cost 19,500 euros.", "It may cost 21,000 euros.")[0]?.lines?.[0]?.words?.map(({ text }) => text), ["It may cost ", "19,500", "21,000", " euros."]);
  // What is mostly rewritten reads better as a whole.
  assert.deepEqual(hunksOf("Tomasz Nowak owns billing", "Since November 2026 Lena is responsible for invoices")[0]?.lines?.map(({ op }) => op), ["removed", "added"]);
  const long = "word ".repeat(2000);
  assert.deepEqual(hunksOf(long, "short")[0]?.lines?.map(({ op }) => op), ["removed", "added"]);
});
