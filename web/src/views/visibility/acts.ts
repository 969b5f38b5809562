import type { BulkOperation, Memory } from "@loci-memory/sdk";
import { loci } from "../../api.ts";
import { t } from "../../i18n/index.ts";
import { complain, tell } from "../../undo.tsx";
import { filterOf, type Look } from "../memories/look.ts";
import type { Change } from "./narrow.ts";

/** How many memories one narrowing looks at. */
export const most = 10_000;

/** How many changes the API takes in one call. */
const atOnce = 1000;

/** Reads all memories of a list of a vendor. cut: there are more. */
export async function readAll(look: Look, signal: AbortSignal): Promise<{ memories: Memory[]; cut: boolean }> {
  const memories: Memory[] = [];
  for (let cursor = ""; ; ) {
    const page = await loci.memories.list({ filter: filterOf(look), limit: 500, ...(cursor && { cursor }) }, { viewAs: look.reader || undefined, signal });
    memories.push(...page.memories);
    cursor = page.next_cursor;
    if (!cursor || memories.length >= most) return { memories, cut: cursor !== "" };
  }
}

/** Writes who may read memories. Each call changes all of its memories or none. */
async function write(changes: readonly Change[], of: (change: Change) => { version: number; vendors: string[] }): Promise<Change[]> {
  const done: Change[] = [];
  for (let from = 0; from < changes.length; from += atOnce) {
    const some = changes.slice(from, from + atOnce);
    const operations = some.map((change): BulkOperation => {
      const { version, vendors } = of(change);
      return { op: "update", id: change.id, version, changes: { allowed_vendors: vendors } };
    });
    try {
      const { results } = await loci.memories.bulk({ atomic: true, operations });
      done.push(...some.map((change, i) => ({ ...change, version: results[i]?.version ?? change.version + 1 })));
    } catch (error) {
      if (done.length > 0) tell(t("see.narrow.partly", { n: done.length }));
      complain(error);
      return done;
    }
  }
  return done;
}

/** Takes readers away, and offers to give them back. */
export async function narrow(changes: readonly Change[], after: () => void): Promise<void> {
  const done = await write(changes, ({ version, after }) => ({ version, vendors: after }));
  after();
  if (done.length === 0) return;
  tell(t("see.narrow.done", { n: done.length }), async () => {
    await write(done, ({ version, before }) => ({ version, vendors: before }));
    after();
  });
}
