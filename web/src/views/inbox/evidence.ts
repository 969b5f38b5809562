import type { Passage } from "@loci-memory/sdk";

/** A piece of a text. Marked ones are evidence. */
export interface Piece {
  text: string;
  marked: boolean;
}

/** Marks ranges of a text. They may overlap. */
export function marked(text: string, ranges: readonly (readonly [number, number])[]): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  const add = (to: number, marked: boolean) => {
    if (to > at) pieces.push({ text: text.slice(at, to), marked });
    at = Math.max(at, to);
  };
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    add(Math.min(start, text.length), false);
    add(Math.min(end, text.length), true);
  }
  add(text.length, false);
  return pieces;
}

/** Marks passages in the notes in which they stand. */
export function inNotes(notes: string, passages: readonly Passage[]): Piece[] {
  const ranges = passages.flatMap(({ before, text }): [number, number][] => {
    const whole = notes.indexOf(before + text);
    const start = whole >= 0 ? whole + before.length : notes.indexOf(text);
    return start >= 0 ? [[start, start + text.length]] : [];
  });
  return marked(notes, ranges);
}

/** Marks a range of a text that counts characters, not the units of JavaScript. */
export function inText(text: string, ranges: readonly (readonly [number, number])[]): Piece[] {
  const chars = [...text];
  const unit = (char: number) => chars.slice(0, char).join("").length;
  return marked(text, ranges.map(([start, end]) => [unit(start), unit(end)]));
}
