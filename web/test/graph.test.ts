import assert from "node:assert/strict";
import { test } from "node:test";
import { around, Builder, kindsOf, named, pathBetween, rowsOf, tieOf, tiesBetween, type Chunk, type Graph } from "../src/views/graph/model.ts";
import { groupsOf, place } from "../src/views/graph/place.ts";

interface Line {
  entity?: { id: string; name: string; kind: string };
  relation?: { from: string; to: string };
}
const entity = (id: string, kind = "thing"): Line => ({ entity: { id, name: `name ${id}`, kind } });
const relation = (from: string, to: string): Line => ({ relation: { from, to } });

/** Makes a graph of the compact form, with one row on each line. */
function graphOf(lines: readonly Line[]): Graph {
  const built = new Builder();
  const kinds: string[] = [];
  const ids: string[] = [];
  for (const { entity: one } of lines) {
    if (!one) continue;
    const entity_types = kinds.includes(one.kind) ? [] : [one.kind];
    kinds.push(...entity_types);
    ids.push(one.id);
    built.add({ entity_types, ids: [one.id], names: [one.name], types: [kinds.indexOf(one.kind)] });
  }
  const ties = lines.flatMap(({ relation: one }) => one ?? []);
  ties.forEach(({ from, to }, i) => built.add({ ...(i === 0 && { relation_types: ["knows"] }), from: [ids.indexOf(from)], to: [ids.indexOf(to)], types: [0] }));
  built.add({ end: { entities: ids.length, relations: ties.length } });
  return built.done();
}

test("a graph has what its compact form has", () => {
  const graph = graphOf([entity("a"), entity("b", "person"), entity("c"), relation("a", "b"), relation("b", "b"), relation("a", "b")]);
  assert.equal(graph.order, 3);
  assert.equal(graph.size, 3);
  assert.deepEqual(kindsOf(graph), [["thing", 2], ["person", 1]]);
  assert.deepEqual(rowsOf(graph).map(({ id }) => id), ["b", "a", "c"]);
  assert.deepEqual(tiesBetween(graph, "b", "a").map(({ forward }) => forward), [false, false]);
});

test("types are numbered over all lines", () => {
  const built = new Builder();
  const lines: Chunk[] = [
    { entity_types: ["x", "y"], ids: ["a", "b"], names: ["A", "B"], types: [0, 1] },
    { entity_types: ["z"], ids: ["c", "d"], names: ["C", "D"], types: [2, 1] },
    { relation_types: ["to"], from: [3], to: [0], types: [0] },
    { relation_types: ["of"], from: [0, 1], to: [2, 2], types: [1, 0] },
  ];
  for (const line of lines) built.add(line);
  assert.throws(() => built.done(), /as a whole/);
  built.add({ end: { entities: 4, relations: 3 } });
  const graph = built.done();
  assert.deepEqual(graph.mapNodes((id, { kind }) => id + kind), ["ax", "by", "cz", "dy"]);
  assert.deepEqual(graph.mapEdges((_, { kind }, from, to) => from + kind + to), ["dtoa", "aofc", "btoc"]);
});

test("a relation is found in a drawing by its ends and its type", () => {
  const graph = graphOf([entity("a"), entity("b"), relation("a", "b")]);
  const one = { id: "id", from_entity: "a", to_entity: "b", relation_type: "knows" };
  assert.equal(tieOf(graph, one), "0");
  assert.equal(tieOf(graph, { ...one, from_entity: "b", to_entity: "a" }), undefined);
  assert.equal(tieOf(graph, { ...one, relation_type: "likes" }), undefined);
  assert.equal(tieOf(graph, { ...one, to_entity: "gone" }), undefined);
  graph.addEdgeWithKey("id", "a", "b", { kind: "likes" });
  assert.equal(tieOf(graph, one), "id");
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
  const graph = graphOf([entity("x"), { entity: { id: "y", name: "x name", kind: "thing" } }]);
  assert.deepEqual(named(graph, " X ", 5).map(({ id }) => id), ["y", "x"]);
  assert.deepEqual(named(graph, "x", 1, "y").map(({ id }) => id), ["x"]);
  assert.deepEqual(named(graph, "", 5), []);
});

test("places are finite, differ, and are the same every time", () => {
  const lines: Line[] = [];
  for (let i = 0; i < 300; i++) {
    lines.push(entity(`n${i}`));
  }
  for (let i = 0; i < 300; i++) {
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
