import type { EventDensity } from "@loci-memory/sdk";

/** How many events there are at which times: the beginnings of the parts in seconds, and the counts. */
export type Bars = [number[], number[]];

/** The bars of a chart. An empty one on each side shows where they begin and end. */
export function barsOf(of: EventDensity | undefined): Bars {
  if (!of) return [[], []];
  const start = Date.parse(of.start) / 1000 - of.seconds;
  const counts = [0, ...of.counts, 0];
  return [counts.map((_, i) => start + i * of.seconds), counts];
}
