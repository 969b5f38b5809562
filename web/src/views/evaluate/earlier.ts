import { LociError } from "@loci-memory/sdk";
import { loci } from "../../api.ts";
import { forget, kept } from "../../store.ts";

interface Earlier {
  question: string;
  expected: { id: string }[];
}

/** Moves the questions that an earlier version kept in this browser to the server, once. Figures of that time are no runs of the server. */
export async function moveEarlier(person: string, signal: AbortSignal): Promise<void> {
  const name = `evaluate.${person}`;
  const found = parsed(kept(name));
  if (found.length > 0) {
    const there = new Set((await loci.golden.list({ signal })).questions.map(({ question }) => question));
    for (const { question, expected } of found) {
      const ids = await visible(expected.map(({ id }) => id), signal);
      if (ids.length > 0 && !there.has(question)) await loci.golden.create({ question, expected: ids }, { signal });
    }
  }
  forget(name);
}

function parsed(text: string | null): Earlier[] {
  try {
    return (JSON.parse(text ?? "{}") as { questions?: Earlier[] }).questions ?? [];
  } catch {
    return [];
  }
}

/** Those of the memories that can still be read. */
async function visible(ids: readonly string[], signal: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  for (const id of ids) {
    try {
      found.push((await loci.memories.get(id, undefined, { signal })).id);
    } catch (failed) {
      if (!(failed instanceof LociError && failed.status === 404)) throw failed;
    }
  }
  return found;
}
