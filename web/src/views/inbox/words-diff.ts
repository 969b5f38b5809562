import type { Diff, DiffLine, DiffWord, Hunk, Memory } from "@loci-memory/sdk";

/** How many words of a text are compared at most; longer texts are shown whole. */
const most = 600;

/** The share of the longer text that both must have. With less, a person reads the two texts better one below the other. The server has the same for lines. */
const alike = 0.5;

/** How the texts of two memories differ. */
export function textsOf(old: Memory, now: Memory): Diff["texts"] {
  return (["title", "content"] as const).map((field) => ({ field, hunks: hunksOf(old[field], now[field]) })).filter(({ hunks }) => hunks.length > 0);
}

/** Compares two short texts word by word, as one hunk. The server compares versions of one memory only. */
export function hunksOf(old: string, now: string): Hunk[] {
  if (old === now) return [];
  return [{ old_line: 1, new_line: 1, lines: linesOf(old, now) }];
}

function linesOf(old: string, now: string): DiffLine[] {
  const [a, b] = [wordsOf(old), wordsOf(now)];
  const whole: DiffLine[] = [{ op: "removed", text: old }, { op: "added", text: now }];
  if (a.length > most || b.length > most) return whole;
  const common = commonOf(a, b);
  const words: DiffWord[] = [];
  let [removed, added, i, j] = ["", "", 0, 0];
  const add = (op: DiffWord["op"], text: string) => {
    const last = words.at(-1);
    if (last?.op === op) last.text += text;
    else if (text !== "") words.push({ op, text });
  };
  const change = () => {
    add("removed", removed);
    add("added", added);
    [removed, added] = ["", ""];
  };
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      // A lone space between two changes would only make them harder to read.
      if (removed + added !== "" && a[i]!.trim() === "" && i + 1 < a.length && j + 1 < b.length && a[i + 1] !== b[j + 1]) [removed, added] = [removed + a[i]!, added + a[i]!];
      else {
        change();
        add("same", a[i]!);
      }
      i++;
      j++;
    } else if (i < a.length && (j === b.length || common[i + 1]![j]! >= common[i]![j + 1]!)) removed += a[i++]!;
    else added += b[j++]!;
  }
  change();
  const same = words.reduce((sum, { op, text }) => sum + (op === "same" ? text.trim().length : 0), 0);
  return same < alike * Math.max(old.trim().length, now.trim().length) ? whole : [{ op: "changed", words }];
}

/** It finds words as the server does: 19,500 is one. */
const segments = new Intl.Segmenter("en", { granularity: "word" });

function wordsOf(text: string): string[] {
  return [...segments.segment(text)].map(({ segment }) => segment);
}

/** The length of the longest common words from i and j on. */
function commonOf(a: readonly string[], b: readonly string[]): number[][] {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) table[i]![j] = a[i] === b[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!);
  }
  return table;
}
