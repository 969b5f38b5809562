import { UndirectedGraph } from "graphology";
import forceAtlas2 from "graphology-layout-forceatlas2";
import type { Graph } from "./model.ts";

/** Up to this many entities, the drawing is refined with forces. Above, forces would make a ball of it, and take long: groups are readable. */
export const refined = 1000;

/** How far the entities of a group are from each other. */
const gap = 6;

/** The angle between two seeds of a sunflower: no two lie on one line. */
const golden = Math.PI * (3 - Math.sqrt(5));

/** The neighbours of each entity by number, one after the other: those of i are at[start[i]] to at[start[i + 1] - 1]. */
function neighbours(graph: Graph, ids: readonly string[]): { start: Uint32Array; at: Uint32Array } {
  const number = new Map(ids.map((id, i) => [id, i]));
  const pairs = new Uint32Array(2 * graph.size);
  const start = new Uint32Array(ids.length + 1);
  let n = 0;
  graph.forEachEdge((_, _tie, source, target) => {
    const [a, b] = [number.get(source)!, number.get(target)!];
    if (a === b) return;
    [pairs[n], pairs[n + 1]] = [a, b];
    n += 2;
    start[a + 1]!++;
    start[b + 1]!++;
  });
  for (let i = 0; i < ids.length; i++) start[i + 1]! += start[i]!;
  const next = start.slice();
  const at = new Uint32Array(n);
  for (let i = 0; i < n; i += 2) {
    const [a, b] = [pairs[i]!, pairs[i + 1]!];
    at[next[a]!++] = b;
    at[next[b]!++] = a;
  }
  return { start, at };
}

/**
 * Finds groups: each entity joins the group of most of its neighbours, those with few relations first, unless the group is full. If
 * there are several, it is that of the neighbour with most relations. The result is always the same.
 */
export function groupsOf(graph: Graph): Map<string, string[]> {
  const ids = graph.nodes();
  const { start, at } = neighbours(graph, ids);
  const degree = (i: number) => start[i + 1]! - start[i]!;
  const most = Math.max(150, Math.ceil(ids.length / 20));
  const of = Uint32Array.from(ids, (_, i) => i);
  const size = new Uint32Array(ids.length).fill(1);
  const order = ids.map((_, i) => i).sort((a, b) => degree(a) - degree(b) || a - b);
  for (let round = 0; round < 4; round++) {
    for (const i of order) {
      const votes = new Map<number, number>();
      for (let k = start[i]!; k < start[i + 1]!; k++) {
        const other = at[k]!;
        votes.set(of[other]!, (votes.get(of[other]!) ?? 0) + 1 + degree(other) * 1e-6);
      }
      const now = of[i]!;
      let [best, high] = [now, votes.get(now) ?? 0];
      for (const [group, n] of votes) if (n > high && (size[group]! < most || degree(i) === 1)) [best, high] = [group, n];
      if (best === now) continue;
      of[i] = best;
      size[now]!--;
      size[best]!++;
    }
  }
  const groups = new Map<string, string[]>();
  for (const i of order.reverse()) {
    const name = ids[of[i]!]!;
    const members = groups.get(name);
    if (members) members.push(ids[i]!);
    else groups.set(name, [ids[i]!]);
  }
  return groups;
}

/** Places every entity: its group by forces between groups, and the entities of a group around those with most relations. */
export function place(graph: Graph, most = 800): void {
  const groups = groupsOf(graph);
  const alone = [...groups].filter(([id, members]) => members.length === 1 && graph.degree(id) === 0).map(([id]) => id);
  for (const id of alone) groups.delete(id);
  const centers = placeGroups(graph, groups, most);
  const at = new Map<string, [number, number]>();
  let radius = 0;
  for (const [group, members] of groups) {
    const [x, y] = centers.get(group) ?? [0, 0];
    members.forEach((id, i) => at.set(id, [x + gap * Math.sqrt(i) * Math.cos(i * golden), y + gap * Math.sqrt(i) * Math.sin(i * golden)]));
    radius = Math.max(radius, Math.hypot(x, y) + gap * Math.sqrt(members.length));
  }
  // What has no relation lies in rings around the rest.
  const first = (radius / gap + 2) ** 2;
  alone.forEach((id, i) => at.set(id, [gap * Math.sqrt(first + i) * Math.cos(i * golden), gap * Math.sqrt(first + i) * Math.sin(i * golden)]));
  graph.updateEachNodeAttributes((id, thing) => {
    const [x, y] = at.get(id) ?? [0, 0];
    return { ...thing, x, y };
  }, { attributes: ["x", "y"] });
}

/** Places the groups: by forces for some milliseconds, as long as there are not too many. */
function placeGroups(graph: Graph, groups: Map<string, string[]>, most: number): Map<string, [number, number]> {
  const of = new Map<string, string>();
  for (const [group, members] of groups) for (const id of members) of.set(id, group);
  const whole = new UndirectedGraph<{ x: number; y: number; size: number }, { weight: number }>();
  let i = 0;
  for (const [group, members] of [...groups].sort((a, b) => b[1].length - a[1].length)) {
    const far = gap * 1.6 * Math.sqrt(graph.order * (i / groups.size));
    whole.addNode(group, { x: far * Math.cos(i * golden), y: far * Math.sin(i * golden), size: gap * Math.sqrt(members.length) });
    i++;
  }
  graph.forEachEdge((_, _tie, source, target) => {
    const [a, b] = [of.get(source), of.get(target)];
    if (a === undefined || b === undefined || a === b) return;
    const edge = whole.edge(a, b);
    if (edge === undefined) whole.addEdge(a, b, { weight: 1 });
    else whole.updateEdgeAttribute(edge, "weight", (n) => (n ?? 0) + 1);
  });
  const ends = performance.now() + most;
  const settings = { ...forceAtlas2.inferSettings(whole), adjustSizes: whole.order < 3000, scalingRatio: gap * 4, gravity: 0.5 };
  for (let turn = 0; turn < 40 && performance.now() < ends && whole.order > 1; turn++) forceAtlas2.assign(whole, { iterations: 5, settings });
  return new Map(whole.mapNodes((id, { x, y }) => [id, [x, y]]));
}

/** Refines the places with forces, in steps while nothing else is to do. It returns a function that stops it. */
export function refine(graph: Graph, animated: boolean, done: () => void): () => void {
  const work = graph.copy() as Graph;
  const settings = { ...forceAtlas2.inferSettings(work), barnesHutOptimize: work.order > 800, scalingRatio: 12, gravity: 0.3, slowDown: 4 };
  let [left, stopped, iterations] = [160, false, 1];
  const ends = performance.now() + 8000;
  const show = () => {
    graph.updateEachNodeAttributes((id, thing) => {
      if (!work.hasNode(id)) return thing;
      const { x, y } = work.getNodeAttributes(id);
      return { ...thing, x, y };
    }, { attributes: ["x", "y"] });
  };
  const step = () => {
    if (stopped) return;
    const began = performance.now();
    forceAtlas2.assign(work, { iterations, settings });
    left = performance.now() < ends ? left - iterations : 0;
    // A step takes about as long as a frame or two.
    iterations = performance.now() - began < 25 ? Math.min(10, iterations + 1) : Math.max(1, iterations - 1);
    if (animated || left <= 0) show();
    if (left <= 0) done();
    else later(step);
  };
  later(step);
  return () => void (stopped = true);
}

function later(run: () => void): void {
  if (typeof requestIdleCallback === "function") requestIdleCallback(run, { timeout: 500 });
  else setTimeout(run, 16);
}
