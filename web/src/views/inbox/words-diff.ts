import type { DiffLine, Hunk } from "@loci-memory/sdk";

/** How many words of a text are compared at most; longer texts are shown whole. */
const most = 600;

/** Compares two short texts word by word, as one hunk. The server compares versions of one memory only. */
export function hunksOf(old: string, now: string): Hunk[] {
  if (old === now) return [];
  return [{ old_line: 1, new_line: 1, lines: linesOf(old, now) }];
}

function linesOf(old: string, now: string): DiffLine[] {
  const [a, b] = [wordsOf(old), wordsOf(now)];
  if (a.length > most || b.length > most) return [{ op: "removed", text: old }, { op: "added", text: now }];
  const common = commonOf(a, b);
  const words: { op: "same" | "added" | "removed"; text: string }[] = [];
  const add = (op: "same" | "added" | "removed", text: string) => {
    const last = words.at(-1);
    if (last?.op === op) last.text += text;
    else words.push({ op, text });
  };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      add("same", a[i]!);
      i++;
      j++;
    } else if (i < a.length && (j === b.length || common[i + 1]![j]! >= common[i]![j + 1]!)) add("removed", a[i++]!);
    else add("added", b[j++]!);
  }
  return [{ op: "changed", words }] as DiffLine[];
}

function wordsOf(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

/** The length of the longest common words from i and j on. */
function commonOf(a: readonly string[], b: readonly string[]): number[][] {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) table[i]![j] = a[i] === b[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!);
  }
  return table;
}
