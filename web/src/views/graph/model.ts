import { MultiDirectedGraph } from "graphology";

/** What the drawing knows of an entity. Its observations are read when it is opened. */
export interface Thing {
  label: string;
  kind: string;
  x: number;
  y: number;
  size: number;
}

/** What the drawing knows of a relation. */
export interface Tie {
  kind: string;
}

export type Graph = MultiDirectedGraph<Thing, Tie>;

/** A row of the list beside the drawing. */
export interface Row {
  id: string;
  name: string;
  kind: string;
  degree: number;
}

/** A line of an export: an entity, a relation, or what the drawing does not need. */
export interface Line {
  entity?: { id: string; name: string; entity_type: string };
  relation?: { id: string; from_entity: string; to_entity: string; relation_type: string };
}

/** The size of an entity with this many relations. */
export function sizeOf(degree: number): number {
  return Math.min(14, 2.5 + Math.sqrt(degree));
}

/** Makes a graph of the lines of an export. */
export function graphOf(lines: Iterable<Line>): Graph {
  const graph: Graph = new MultiDirectedGraph<Thing, Tie>();
  const ties: NonNullable<Line["relation"]>[] = [];
  for (const { entity, relation } of lines) {
    if (entity && !graph.hasNode(entity.id)) graph.addNode(entity.id, { label: entity.name, kind: entity.entity_type, x: 0, y: 0, size: 2.5 });
    if (relation) ties.push(relation);
  }
  for (const tie of ties) {
    if (!graph.hasNode(tie.from_entity) || !graph.hasNode(tie.to_entity) || graph.hasEdge(tie.id)) continue;
    graph.addEdgeWithKey(tie.id, tie.from_entity, tie.to_entity, { kind: tie.relation_type });
  }
  graph.updateEachNodeAttributes((id, thing) => ({ ...thing, size: sizeOf(graph.degree(id)) }), { attributes: ["size"] });
  return graph;
}

/** The rows of a graph: what has most relations first. */
export function rowsOf(graph: Graph): Row[] {
  const rows = graph.mapNodes((id, { label, kind }): Row => ({ id, name: label, kind, degree: graph.degree(id) }));
  return rows.sort((a, b) => b.degree - a.degree || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** The types of a graph with their counts: the most frequent first. */
export function kindsOf(graph: Graph): [string, number][] {
  const counts = new Map<string, number>();
  graph.forEachNode((_, { kind }) => counts.set(kind, (counts.get(kind) ?? 0) + 1));
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

/** The entities within some steps of one, in either direction: the nearest first, itself among them. */
export function around(graph: Graph, from: string, steps: number): Set<string> {
  const seen = new Set(graph.hasNode(from) ? [from] : []);
  let edge = [...seen];
  for (let step = 0; step < steps; step++) {
    const next: string[] = [];
    for (const id of edge) {
      graph.forEachNeighbor(id, (other) => {
        if (seen.has(other)) return;
        seen.add(other);
        next.push(other);
      });
    }
    edge = next;
  }
  return seen;
}

/** The ids of a shortest path between two entities, in either direction; empty: there is none. */
export function pathBetween(graph: Graph, from: string, to: string): string[] {
  if (!graph.hasNode(from) || !graph.hasNode(to)) return [];
  const before = new Map<string, string>([[from, ""]]);
  const queue = [from];
  for (let at = 0; at < queue.length && !before.has(to); at++) {
    const id = queue[at]!;
    graph.forEachNeighbor(id, (other) => {
      if (before.has(other)) return;
      before.set(other, id);
      queue.push(other);
    });
  }
  if (!before.has(to)) return [];
  const path: string[] = [];
  for (let id = to; id !== ""; id = before.get(id) ?? "") path.unshift(id);
  return path;
}

/** A step of a path: the relations between two entities, each with its direction. */
export function tiesBetween(graph: Graph, a: string, b: string): { id: string; kind: string; forward: boolean }[] {
  const ties: { id: string; kind: string; forward: boolean }[] = [];
  graph.forEachEdge(a, (id, { kind }, source, target) => {
    if (source === b || target === b) ties.push({ id, kind, forward: source === a });
  });
  return ties;
}

/** The entities whose names contain a text: those that begin with it first. */
export function named(graph: Graph, text: string, most: number, without = ""): Row[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  const found: (Row & { at: number })[] = [];
  graph.forEachNode((id, { label, kind }) => {
    const at = id === without ? -1 : label.toLowerCase().indexOf(wanted);
    if (at >= 0) found.push({ id, name: label, kind, degree: graph.degree(id), at });
  });
  return found.sort((a, b) => Math.min(a.at, 1) - Math.min(b.at, 1) || a.name.length - b.name.length || b.degree - a.degree).slice(0, most);
}
