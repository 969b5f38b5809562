import { LociError, type BulkOperation, type Memory } from "@loci-memory/sdk";
import { loci } from "../../api.ts";
import { confirm } from "../../dialog.tsx";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";
import { withProof } from "../../pending.ts";
import { complain, tell } from "../../undo.tsx";
import type { Rows } from "./pages.ts";

/** Reads a memory, also one that another has replaced. */
export async function readMemory(id: string, signal?: AbortSignal): Promise<Memory> {
  try {
    return await loci.memories.get(id, {}, { signal });
  } catch (error) {
    if (!(error instanceof LociError) || (error.code !== "not_found" && error.code !== "conflict")) throw error;
    return await loci.memories.get(id, { include_superseded: true }, { signal });
  }
}

/** Runs something for each of many, a few at a time. It throws the first error after all have ended. */
export async function forEach<T>(all: readonly T[], run: (one: T) => Promise<unknown>): Promise<void> {
  const left = [...all];
  const errors: unknown[] = [];
  const worker = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await run(one).catch((error: unknown) => errors.push(error));
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  if (errors.length > 0) throw errors[0];
}

type List = Pick<Rows, "put" | "drop" | "reload">;

/** Moves memories to the trash, after a question, and offers to take them back. */
export async function trash(memories: readonly { id: string; title: string }[], list: List, asked = false): Promise<void> {
  const first = memories[0];
  if (!first) return;
  const n = memories.length;
  const text = n === 1 ? t("trash.ask.one", { title: legible(first.title) }) : t("trash.ask", { n });
  if (!asked && !(await confirm({ title: t("trash.title"), text, yes: t("trash.yes"), danger: true }))) return;
  const ids = memories.map(({ id }) => id);
  await withProof({ what: "memories.trash", ids }, async () => {
    const { trashed } = await loci.memories.trashMany({ ids });
    list.drop(ids);
    const stays = trashed.some((one) => one.still_superseded?.length);
    tell(t("trash.done", { n }) + (stays ? ` ${t("trash.stays")}` : ""), async () => {
      await forEach(ids, (id) => loci.memories.restore(id));
      list.reload();
    });
  });
}

/** Takes memories out of the trash. */
export async function restore(ids: readonly string[], list: List): Promise<void> {
  await withProof({ what: "memories.restore", ids: [...ids] }, async () => {
    await forEach(ids, (id) => loci.memories.restore(id));
    list.drop(ids);
    tell(t("restore.done", { n: ids.length }));
  });
}

/** Deletes memories with all their versions. Nothing brings them back. */
export async function erase(ids: readonly string[], list: List): Promise<void> {
  const n = ids.length;
  if (!(await confirm({ title: t("erase.title"), text: t("erase.ask", { n }), yes: t("erase.yes"), danger: true }))) return;
  await withProof({ what: "memories.erase", ids: [...ids] }, async () => {
    await forEach(ids, (id) => loci.memories.erase(id));
    list.drop(ids);
    tell(t("erase.done", { n }));
  });
}

/** Changes memories, all or none, and offers to take it back. */
export async function change(memories: readonly Memory[], edit: (memory: Memory) => BulkOperation["changes"], list: List): Promise<void> {
  const operations = memories.map((memory): BulkOperation => ({ op: "update", id: memory.id, version: memory.version, changes: edit(memory) }));
  try {
    const { results } = await loci.memories.bulk({ atomic: true, operations });
    const changed = results.filter(({ unchanged }) => !unchanged);
    list.reload();
    tell(t("change.done", { n: changed.length }), async () => {
      await forEach(changed, ({ id, version }) => loci.history.revert(id!, { version: version! - 1 }, { ifMatch: version }));
      list.reload();
    });
  } catch (error) {
    complain(error);
  }
}

/** Pins a memory, or takes the pin away. */
export async function pin(memory: Memory, list: List): Promise<void> {
  try {
    const now = await loci.memories.edit(memory.id, { pinned: !memory.pinned }, { ifMatch: memory.version });
    list.put(now);
    tell(t(now.pinned ? "pin.done" : "unpin.done"), async () => list.put(await loci.history.revert(now.id, { version: now.version - 1 }, { ifMatch: now.version })));
  } catch (error) {
    complain(error);
  }
}

/** Shares a memory with the team, or stops sharing it. */
export async function share(memory: Memory, list: List): Promise<void> {
  try {
    const now = memory.team_id ? await loci.memories.unshare(memory.id) : await loci.memories.share(memory.id);
    list.put(now);
    tell(t(now.team_id ? "share.done" : "unshare.done"), async () => list.put(now.team_id ? await loci.memories.unshare(now.id) : await loci.memories.share(now.id)));
  } catch (error) {
    complain(error);
  }
}
