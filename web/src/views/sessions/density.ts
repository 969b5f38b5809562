/** How many events there are at which times: the beginnings of the bins in seconds, and the counts. */
export type Density = [number[], number[]];

/** The lengths of bins that a person can name, in seconds. */
const lengths = [1, 5, 15, 60, 300, 900, 3600, 3 * 3600, 6 * 3600, 86_400, 7 * 86_400, 30 * 86_400];

/** Counts times in at most about n bins of a length that a person can name. An empty bin on each side shows where they begin and end. */
export function densityOf(times: readonly string[], n = 60): Density {
  const seconds = times.map((time) => Date.parse(time) / 1000).filter(Number.isFinite);
  if (seconds.length === 0) return [[], []];
  const first = Math.min(...seconds);
  const last = Math.max(...seconds);
  const length = lengths.find((one) => (last - first) / one <= n) ?? Math.ceil((last - first) / n);
  const start = Math.floor(first / length) - 1;
  const bins = Math.floor(last / length) - start + 2;
  const counts = new Array<number>(bins).fill(0);
  for (const at of seconds) counts[Math.floor(at / length) - start]!++;
  return [counts.map((_, i) => (start + i) * length), counts];
}
