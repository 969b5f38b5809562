/** How many rows above and below those in sight are drawn, so that scrolling shows no gap. */
const spare = 8;

/** The rows to draw of a list: from first, up to last without it. */
export function windowOf(count: number, row: number, top: number, height: number): { first: number; last: number } {
  const first = Math.max(0, Math.min(count, Math.floor(top / row)) - spare);
  const last = Math.min(count, Math.ceil((top + height) / row) + spare);
  return { first, last: Math.max(first, last) };
}
