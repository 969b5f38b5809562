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

/** A line of the compact form: entities, relations, or the end. Entities and types are numbered over all lines. */
export interface Chunk {
  entity_types?: string[];
  ids?: string[];
  names?: string[];
  relation_types?: string[];
  from?: number[];
  to?: number[];
  types?: number[];
  end?: { entities: number; relations: number };
}

/** The size of an entity with this many relations. */
export function sizeOf(degree: number): number {
  return Math.min(14, 2.5 + Math.sqrt(degree));
}

/** Makes a graph of the lines of the compact form, as they come. */
export class Builder {
  readonly graph: Graph = new MultiDirectedGraph<Thing, Tie>();
  readonly #ids: string[] = [];
  readonly #kinds: string[] = [];
  readonly #ties: string[] = [];
  #ended = false;

  add({ entity_types = [], ids = [], names = [], relation_types = [], from = [], to = [], types = [], end }: Chunk): void {
    this.#kinds.push(...entity_types);
    this.#ties.push(...relation_types);
    ids.forEach((id, i) => {
      this.#ids.push(id);
      this.graph.addNode(id, { label: names[i]!, kind: this.#kinds[types[i]!]!, x: 0, y: 0, size: 2.5 });
    });
    from.forEach((one, i) => this.graph.addEdgeWithKey(String(this.graph.size), this.#ids[one]!, this.#ids[to[i]!]!, { kind: this.#ties[types[i]!]! }));
    if (end) this.#ended = end.entities === this.graph.order && end.relations === this.graph.size;
  }

  /** Returns the graph. It fails if lines are missing. */
  done(): Graph {
    if (!this.#ended) throw new Error("The graph did not arrive as a whole.");
    this.graph.updateEachNodeAttributes((id, thing) => ({ ...thing, size: sizeOf(this.graph.degree(id)) }), { attributes: ["size"] });
    return this.graph;
  }
}

/** The key of a relation in the drawing; undefined: it is not drawn. Those that were read at first have numbers for keys. */
export function tieOf(graph: Graph, { id, from_entity: from, to_entity: to, relation_type: kind }: { id: string; from_entity: string; to_entity: string; relation_type: string }): string | undefined {
  if (graph.hasEdge(id)) return id;
  if (!graph.hasNode(from) || !graph.hasNode(to)) return undefined;
  return graph.directedEdges(from, to).find((key) => graph.getEdgeAttribute(key, "kind") === kind && graph.source(key) === from);
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
