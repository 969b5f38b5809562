import assert from "node:assert/strict";
import { test } from "node:test";
import { around, graphOf, kindsOf, named, pathBetween, rowsOf, tiesBetween, type Line } from "../src/views/graph/model.ts";
import { groupsOf, place } from "../src/views/graph/place.ts";

const entity = (id: string, kind = "thing"): Line => ({ entity: { id, name: `name ${id}`, entity_type: kind } });
const relation = (from: string, to: string, id = `${from}-${to}`): Line => ({ relation: { id, from_entity: from, to_entity: to, relation_type: "knows" } });

test("a graph has what an export has, in any order", () => {
  const graph = graphOf([relation("a", "b"), entity("a"), entity("b", "person"), entity("c"), relation("a", "gone"), relation("b", "b"), relation("a", "b", "again")]);
  assert.equal(graph.order, 3);
  assert.equal(graph.size, 3);
  assert.deepEqual(kindsOf(graph), [["thing", 2], ["person", 1]]);
  assert.deepEqual(rowsOf(graph).map(({ id }) => id), ["b", "a", "c"]);
  assert.deepEqual(tiesBetween(graph, "b", "a").map(({ forward }) => forward), [false, false]);
});

test("a path is a shortest one, in either direction", () => {
  const graph = graphOf([..."abcdef"].map((id) => entity(id)).concat([relation("a", "b"), relation("c", "b"), relation("c", "d"), relation("a", "e"), relation("e", "d")]));
  assert.deepEqual(pathBetween(graph, "a", "d"), ["a", "e", "d"]);
  assert.deepEqual(pathBetween(graph, "a", "c"), ["a", "b", "c"]);
  assert.deepEqual(pathBetween(graph, "a", "a"), ["a"]);
  assert.deepEqual(pathBetween(graph, "a", "f"), []);
  assert.deepEqual(pathBetween(graph, "a", "none"), []);
  assert.deepEqual([...around(graph, "b", 1)], ["b", "a", "c"]);
  assert.equal(around(graph, "b", 2).size, 5);
});

test("a name is found by a part of it, its beginning first", () => {
  const graph = graphOf([entity("x"), { entity: { id: "y", name: "x name", entity_type: "thing" } }]);
  assert.deepEqual(named(graph, " X ", 5).map(({ id }) => id), ["y", "x"]);
  assert.deepEqual(named(graph, "x", 1, "y").map(({ id }) => id), ["x"]);
  assert.deepEqual(named(graph, "", 5), []);
});

test("places are finite, differ, and are the same every time", () => {
  const lines: Line[] = [];
  for (let i = 0; i < 300; i++) {
    lines.push(entity(`n${i}`));
    if (i % 10 > 0) lines.push(relation(`n${i}`, `n${i - (i % 10)}`));
    else if (i > 0 && i < 250) lines.push(relation(`n${i}`, `n${i - 10}`));
  }
  const places = () => {
    const graph = graphOf(lines);
    place(graph, 1e6);
    return graph.mapNodes((_, { x, y }) => `${x},${y}`);
  };
  const first = places();
  assert.ok(first.every((at) => at.split(",").every((n) => Number.isFinite(Number(n)))));
  assert.equal(new Set(first).size, 300);
  assert.deepEqual(places(), first);
  const groups = groupsOf(graphOf(lines));
  assert.ok(groups.size >= 10 && groups.size <= 40, `${groups.size} groups`);
});
