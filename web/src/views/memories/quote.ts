import type { Source } from "@loci-memory/sdk";
import { legible } from "../../legible.ts";

/** How many characters around a quote are shown. */
const around = 160;

/** The passage of a source, with its quote and some of the text around it. */
export function passage(source: Pick<Source, "text" | "quote" | "start" | "end">): { before: string; quote: string; after: string } {
  const { text = "", quote = "", start = 0, end } = source; // the API leaves a start of 0 out
  const chars = [...text]; // positions count characters, not the units of JavaScript
  if (end === undefined || end <= start || end > chars.length) {
    return quote ? { before: "", quote: legible(quote), after: "" } : { before: legible(clip(chars, 0, 2 * around)), quote: "", after: "" };
  }
  return {
    before: legible((start > around ? "…" : "") + chars.slice(Math.max(0, start - around), start).join("")),
    quote: legible(chars.slice(start, end).join("")),
    after: legible(clip(chars, end, around)),
  };
}

function clip(chars: readonly string[], from: number, length: number): string {
  return chars.slice(from, from + length).join("") + (chars.length > from + length ? "…" : "");
}
