import { LociError, type BulkResult, type NewMemory } from "@loci-memory/sdk";
import { loci, Plain } from "../../api.ts";
import { t } from "../../i18n/index.ts";

/** How an import is going, and what became of it. */
export interface Report {
  lines: number;
  made: number;
  changed: number;
  same: number;
  /** In the trash, expired, or no memory. */
  skipped: number;
  /** What belonged to a project or an agent, and belongs to the person alone now. */
  alone: number;
  failed: { line: number; why: string }[];
  failures: number;
  /** The new ones, to take the import back. */
  ids: string[];
  /** Those that were there and have a new version, and the version before. */
  before: Map<string, { now: number; version: number }>;
}

export const fresh = (): Report => ({ lines: 0, made: 0, changed: 0, same: 0, skipped: 0, alone: 0, failed: [], failures: 0, ids: [], before: new Map() });

/** How many memories a call stores. */
const size = 500;

/** How many failures are named. */
const named = 100;

const texts = ["title", "content", "summary", "key", "category", "memory_type", "source", "valid_from", "valid_to", "expires_at"] as const;

/** Reads a line of an export: the memory as it is now; undefined: the line has none to import. */
export function memoryOf(line: unknown, now = new Date()): { id: string; memory: NewMemory; alone: boolean } | undefined {
  if (typeof line !== "object" || line === null || !("memory" in line)) return undefined;
  const old = line.memory as Record<string, unknown>;
  if (typeof old !== "object" || old === null || typeof old.content !== "string") return undefined;
  if (old.deleted_at || old.superseded_by) return undefined;
  if (typeof old.expires_at === "string" && new Date(old.expires_at) <= now) return undefined;
  const memory: Record<string, unknown> = { similar: false };
  for (const field of texts) if (typeof old[field] === "string" && old[field] !== "") memory[field] = old[field];
  if (Array.isArray(old.tags)) memory.tags = old.tags;
  if (Array.isArray(old.allowed_vendors) && old.allowed_vendors.length > 0) memory.allowed_vendors = old.allowed_vendors;
  if (typeof old.importance === "number") memory.importance = old.importance;
  if (old.pinned === true) memory.pinned = true;
  return { id: typeof old.id === "string" ? old.id : "", memory: memory as NewMemory, alone: old.scope === "project" || old.scope === "agent" };
}

/** Stores the memories of an export, some at a time. told hears how far it is, from 0 to 1. It ends early if the signal aborts. */
export async function importMemories(file: Blob, signal: AbortSignal, told: (share: number, report: Report) => void): Promise<Report> {
  const report = fresh();
  let batch: Line[] = [];
  let [rest, read] = ["", 0];
  const flush = async () => {
    const known = await present(batch, signal);
    const missing = batch.filter(({ id }) => !known.has(id));
    report.same += batch.length - missing.length;
    if (missing.length > 0) count(report, missing, await store(missing.map(({ memory }) => memory), signal));
    batch = [];
    told(file.size === 0 ? 1 : read / file.size, { ...report });
  };
  const take = async (text: string) => {
    if (text.trim() === "") return;
    report.lines++;
    let found: ReturnType<typeof memoryOf>;
    try {
      found = memoryOf(JSON.parse(text));
    } catch {
      return fail(report, report.lines, "not JSON");
    }
    if (!found) return void report.skipped++;
    if (found.alone) report.alone++;
    batch.push({ line: report.lines, id: found.id, memory: found.memory });
    if (batch.length >= size) await flush();
  };
  const decoder = new TextDecoder();
  const reader = file.stream().getReader();
  for (;;) {
    signal.throwIfAborted();
    const { done, value } = await reader.read().catch(() => { throw new Plain(t("transfer.unreadable")); });
    if (value) read += value.length;
    const lines = (rest + (done ? decoder.decode() : decoder.decode(value, { stream: true }))).split("\n");
    rest = done ? "" : lines.pop() ?? "";
    for (const line of lines) await take(line);
    if (done) break;
  }
  await flush();
  if (report.lines === 0) throw new Plain(t("transfer.empty"));
  return report;
}

/** A memory of a line, with the id that it had. */
interface Line {
  line: number;
  id: string;
  memory: NewMemory;
}

/** The ids of the memories that are there: an export of this server. They stay as they are. */
async function present(batch: readonly Line[], signal: AbortSignal): Promise<Set<string>> {
  const ids = [...new Set(batch.map(({ id }) => id))].filter((id) => /^[0-9a-f-]{36}$/.test(id));
  if (ids.length === 0) return new Set();
  const { memories } = await loci.memories.list({ filter: { by: "ids", ids }, limit: size, total: false }, { signal });
  return new Set(memories.map(({ id }) => id));
}

/** Stores some memories, each on its own. */
async function store(memories: NewMemory[], signal: AbortSignal): Promise<BulkResult[]> {
  const operations = memories.map((memory) => ({ op: "create" as const, memory }));
  return (await patiently(() => loci.memories.bulk({ atomic: false, operations }, { signal }), signal)).results;
}

/** Calls the server. If there are too many calls, it waits as long as the server asks. */
async function patiently<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof LociError) || error.code !== "rate_limited") throw error;
      await new Promise((go) => setTimeout(go, 1000 * (error.retryAfter ?? 5)));
      signal?.throwIfAborted();
    }
  }
}

/**
 * Takes an import back: the new memories go to the trash, the others get the version before, unless somebody has changed them since. It returns how many stay as
 * they are for that reason.
 */
export async function takeBack({ ids, before }: Report): Promise<number> {
  for (let i = 0; i < ids.length; i += 1000) await patiently(() => loci.memories.trashMany({ ids: ids.slice(i, i + 1000) }));
  const gone = new Set(ids);
  let stay = 0;
  for (const [id, { now, version }] of before) {
    if (gone.has(id)) continue;
    await patiently(() => loci.history.revert(id, { version }, { ifMatch: now })).catch((error: unknown) => {
      if (!(error instanceof LociError) || (error.code !== "precondition_failed" && error.code !== "not_found")) throw error;
      stay++;
    });
  }
  return stay;
}

function count(report: Report, batch: readonly { line: number }[], results: readonly BulkResult[]): void {
  results.forEach((one, i) => {
    if (one.error) fail(report, batch[i]?.line ?? 0, one.error.error);
    else if (one.created && one.id) {
      report.made++;
      report.ids.push(one.id);
    } else if (one.identical || one.unchanged) report.same++;
    else {
      report.changed++;
      if (one.id && one.version && one.replaced_version) {
        report.before.set(one.id, { now: one.version, version: report.before.get(one.id)?.version ?? one.replaced_version });
      }
    }
  });
}

function fail(report: Report, line: number, why: string): void {
  report.failures++;
  if (report.failed.length < named) report.failed.push({ line, why });
}
