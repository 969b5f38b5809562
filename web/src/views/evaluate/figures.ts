import { keep, kept } from "../../store.ts";

/** A question, and the memories that a good search finds for it. */
export interface Golden {
  id: string;
  question: string;
  expected: { id: string; name: string }[];
}

/** What a run found, with its date. The shares are from 0 to 1. */
export interface Run {
  at: string;
  questions: number;
  r1: number;
  r5: number;
  r10: number;
  mrr: number;
  /** Of each question: the best rank of what was expected, from 1; 0: not among the first 20. */
  ranks: Record<string, number>;
}

export interface Kept {
  questions: Golden[];
  runs: Run[];
}

/** How many hits a run asks for. */
export const depth = 20;

/** How many runs are kept. */
const most = 200;

/** Reads what a person keeps in this browser. */
export function read(person: string): Kept {
  try {
    const found = JSON.parse(kept(`evaluate.${person}`) ?? "{}") as Partial<Kept>;
    return { questions: found.questions ?? [], runs: found.runs ?? [] };
  } catch {
    return { questions: [], runs: [] };
  }
}

export function write(person: string, { questions, runs }: Kept): void {
  keep(`evaluate.${person}`, JSON.stringify({ questions, runs: runs.slice(-most) }));
}

/** The figures of a run: hits has the ids that a search found for each question, the best first. */
export function figures(questions: readonly Golden[], hits: ReadonlyMap<string, readonly string[]>, at: string): Run {
  const ranks: Record<string, number> = {};
  let [r1, r5, r10, mrr] = [0, 0, 0, 0];
  for (const { id, expected } of questions) {
    const found = hits.get(id) ?? [];
    const share = (k: number) => expected.filter((one) => found.slice(0, k).includes(one.id)).length / Math.max(1, expected.length);
    const rank = Math.min(...expected.map((one) => found.indexOf(one.id) + 1 || Infinity), Infinity);
    ranks[id] = Number.isFinite(rank) ? rank : 0;
    r1 += share(1);
    r5 += share(5);
    r10 += share(10);
    mrr += Number.isFinite(rank) ? 1 / rank : 0;
  }
  const n = Math.max(1, questions.length);
  return { at, questions: questions.length, r1: r1 / n, r5: r5 / n, r10: r10 / n, mrr: mrr / n, ranks };
}
