import { VersionConflict, type BulkReview, type Candidate, type TitledMemory } from "@loci-memory/sdk";
import { loci, Plain } from "../../api.ts";
import { t } from "../../i18n/index.ts";
import { beginning } from "../../legible.ts";
import { complain, tell } from "../../undo.tsx";
import { counts, type Rows } from "./pages.ts";

export type Action = Exclude<BulkReview["action"], "undo">;

/** The state to which an action leads. */
const becomes = { accept: "promoted", reject: "rejected", archive: "archived", defer: "deferred" } as const;

/** How many candidates a call may have. */
const most = 100;

/** A decision that can be taken back. */
interface Decided {
  /** The versions after it, by the ids; 0: not known. */
  versions: Promise<ReadonlyMap<string, number>>;
  /** How to take it back, unless the server remembers that. */
  back?: () => Promise<void>;
}

type List = Pick<Rows, "put" | "hide" | "unhide" | "reload">;

/** What a person chose for a decision: when it waits again, and the memories that an accepted candidate replaces. */
export interface Choice {
  until?: string;
  supersedes?: string[];
}

/** Decides about candidates. They leave the list at once, and come back if the server refuses. */
export function decide(action: Action, candidates: readonly Candidate[], list: List, choice: Choice = {}): void {
  const first = candidates[0];
  if (!first) return;
  list.hide(candidates);
  count(candidates, action);
  const n = candidates.length;
  const text = n === 1 ? t(`inbox.${action}.one`, { title: beginning(first.title, 60) }) : t(`inbox.${action}.many`, { n });
  const waits = (choice.supersedes?.length ?? 0) > 0; // the message lists what the server has replaced
  const said = (more: string) => tell(text + more, () => takeBack({ versions }, list));
  const versions: Promise<ReadonlyMap<string, number>> = n === 1 ? one(action, first, list, choice, (now) => waits && said(replaced(now))) : many(action, candidates, list, choice);
  if (!waits) said("");
}

/** Lists what accepting a candidate replaced, and what it suggested to others. */
export function replaced({ replaced, suggested }: Pick<Candidate, "replaced" | "suggested">): string {
  const titles = (list: readonly TitledMemory[]) => list.map(({ title }) => `“${beginning(title, 60)}”`).join(", ");
  return [
    ...(replaced?.length ? [t("inbox.replaced", { titles: titles(replaced) })] : []),
    ...(suggested?.length ? [t("inbox.suggested", { titles: titles(suggested) })] : []),
  ].map((text) => ` ${text}`).join("");
}

async function one(action: Action, candidate: Candidate, list: List, choice: Choice, done: (now: Candidate) => void): Promise<ReadonlyMap<string, number>> {
  try {
    const now = await loci.review[action](candidate.id, choice, { ifMatch: candidate.version });
    done(now);
    return new Map([[now.id, now.version]]);
  } catch (error) {
    list.unhide([candidate.id]);
    complain(error);
    list.reload();
    return new Map();
  }
}

async function many(action: Action, candidates: readonly Candidate[], list: List, choice: Choice): Promise<ReadonlyMap<string, number>> {
  const done = new Map<string, number>();
  const refused: string[] = [];
  let why: unknown;
  for (let from = 0; from < candidates.length; from += most) {
    const ids = candidates.slice(from, from + most).map(({ id }) => id);
    try {
      for (const { id, version, error } of (await loci.review.bulk({ action, ids, ...choice })).results) {
        if (error) {
          refused.push(id);
          why ??= new Plain(error.error);
        } else done.set(id, version ?? 0);
      }
    } catch (error) {
      refused.push(...ids);
      why ??= error;
    }
  }
  if (refused.length > 0) {
    list.unhide(refused);
    tell(t("inbox.refused", { n: refused.length }));
    complain(why);
  }
  list.reload();
  return done;
}

/** Counts candidates where they are now, until the server tells. */
function count(candidates: readonly Candidate[], action: Action): void {
  const now: Record<string, number> = { ...counts.get() };
  for (const { review_state: from } of candidates) {
    now[from] = Math.max(0, (now[from] ?? 0) - 1);
    now[becomes[action]] = (now[becomes[action]] ?? 0) + 1;
  }
  counts.set(now);
}

/** Makes one candidate of several. */
export async function merge(into: Candidate, others: readonly Candidate[], list: List): Promise<void> {
  try {
    const now = await loci.review.merge(into.id, { others: others.map(({ id }) => id) }, { ifMatch: into.version });
    list.hide(others);
    list.put(now);
    const versions = Promise.resolve(new Map([[now.id, now.version]]));
    tell(t("inbox.merge.done", { n: others.length + 1 }), () => takeBack({ versions }, list));
    list.reload();
  } catch (error) {
    complain(error);
    if (error instanceof VersionConflict) list.reload();
  }
}

/** Tells that a person edited a candidate. To take it back, the earlier texts are saved: the server undoes only the last decision. */
export function edited(before: Candidate, now: Candidate, list: List): void {
  list.put(now);
  if (now.version === before.version) return;
  const back = async () => {
    const { version, title, content } = await loci.review.get(now.id);
    if (title !== now.title || content !== now.content) throw new Plain(t("error.conflict.text"));
    const { kind, tags, domain = "", allowed_vendors } = before;
    list.put(await loci.review.update(now.id, { kind, title: before.title, content: before.content, tags, domain, allowed_vendors }, { ifMatch: version }));
  };
  const versions = Promise.resolve(new Map([[now.id, now.version]]));
  tell(t("inbox.edit.done"), () => takeBack({ versions, back }, list));
}

async function takeBack({ versions, back }: Decided, list: List): Promise<void> {
  const known = await versions;
  await (back ? back() : undoAll([...known.keys()], known, list));
}

/** Takes back the last decision about each candidate. The first one alone: its error is the one to show. */
export async function undoAll(ids: readonly string[], versions: ReadonlyMap<string, number>, list: List): Promise<void> {
  const [first, ...others] = ids;
  if (first === undefined) return;
  const version = versions.get(first);
  list.put(await loci.review.undo(first, {}, version ? { ifMatch: version } : {}));
  let refused = 0;
  for (let from = 0; from < others.length; from += most) {
    refused += (await loci.review.bulk({ action: "undo", ids: others.slice(from, from + most) })).failed;
  }
  if (refused > 0) tell(t("inbox.refused", { n: refused }));
  list.unhide(ids);
  list.reload();
}

/** Takes back the last decision about settled candidates. */
export async function undoSettled(candidates: readonly Candidate[], list: List): Promise<void> {
  const ids = candidates.map(({ id }) => id);
  try {
    await undoAll(ids, new Map(candidates.map(({ id, version }) => [id, version])), list);
    tell(t("inbox.undo.done", { n: ids.length }));
  } catch (error) {
    complain(error);
  }
}
