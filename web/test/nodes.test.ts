import assert from "node:assert/strict";
import { test } from "node:test";
import { below, branches, dropped, isWithin, moved, spotOf } from "../src/views/nodes/tree.ts";

type Item = Parameters<typeof branches>[0][number];
const item = (id: string, parent_id?: string) => ({ id, ...(parent_id && { parent_id }) }) as Item;
const items = [item("a"), item("b", "a"), item("c", "b"), item("d", "a"), item("e")];
const named = (id: string) => items.find((one) => one.id === id)!;

test("items know how deep they are, and where", () => {
  assert.deepEqual(branches(items).map(({ depth }) => depth), [1, 2, 3, 2, 1]);
  assert.deepEqual(below(items, "a").map(({ id }) => id), ["b", "d"]);
  assert.deepEqual(spotOf(items, named("b")), { parent: "a", before: "d" });
  assert.deepEqual(spotOf(items, named("e")), { parent: "", before: "" });
  assert.ok(isWithin(items, "c", "a") && !isWithin(items, "e", "a"));
});

test("keys move an item, or leave it", () => {
  assert.deepEqual(moved(items, named("d"), "up"), { parent: "a", before: "b" });
  assert.equal(moved(items, named("b"), "up"), undefined);
  assert.deepEqual(moved(items, named("b"), "down"), { parent: "a", before: "" });
  assert.deepEqual(moved(items, named("d"), "in"), { parent: "b", before: "" });
  assert.deepEqual(moved(items, named("d"), "out"), { parent: "", before: "e" });
  assert.equal(moved(items, named("a"), "out"), undefined);
});

test("an item is dropped before, into or after another, but not into itself", () => {
  assert.deepEqual(dropped(items, named("e"), named("b"), "before"), { parent: "a", before: "b" });
  assert.deepEqual(dropped(items, named("e"), named("b"), "after"), { parent: "a", before: "d" });
  assert.deepEqual(dropped(items, named("e"), named("c"), "into"), { parent: "c", before: "" });
  assert.equal(dropped(items, named("a"), named("c"), "into"), undefined);
});
