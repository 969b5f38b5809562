import type { Event } from "@loci-memory/sdk";

/** How long notes may be. The API takes more; this is what a person can look through. */
const longest = 100_000;

/** Notes from events, the oldest first. Events that fewer vendors may read than the session are left out, because what comes of the notes has one list of readers. */
export function notesOf(events: readonly Event[], allowed: readonly string[]): { text: string; used: number; narrower: number; cut: number } {
  const covers = (vendors: readonly string[]) => vendors.includes("*") || (!allowed.includes("*") && allowed.every((vendor) => vendors.includes(vendor)));
  const readable = events.filter(({ allowed_vendors: vendors }) => covers(vendors));
  const lines: string[] = [];
  let length = 0;
  for (const { actor, content } of readable) {
    const line = actor ? `${actor}: ${content}` : content;
    if (length + line.length + 2 > longest) break;
    lines.push(line);
    length += line.length + 2;
  }
  lines.reverse();
  return { text: lines.join("\n\n"), used: lines.length, narrower: events.length - readable.length, cut: readable.length - lines.length };
}
