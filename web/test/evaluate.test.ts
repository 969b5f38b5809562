import assert from "node:assert/strict";
import { test } from "node:test";
import { figures } from "../src/views/evaluate/figures.ts";

test("figures are shares of what was expected, and places", () => {
  const questions = [
    { id: "q", question: "", expected: [{ id: "a", name: "" }, { id: "b", name: "" }] },
    { id: "r", question: "", expected: [{ id: "c", name: "" }] },
  ];
  const run = figures(questions, new Map([["q", ["x", "a", "y", "z", "w", "b"]], ["r", ["d"]]]), "now");
  assert.deepEqual(run, { at: "now", questions: 2, r1: 0, r5: 0.25, r10: 0.5, mrr: 0.25, ranks: { q: 2, r: 0 } });
  assert.equal(figures([], new Map(), "now").mrr, 0);
});
