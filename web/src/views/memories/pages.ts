import type { Filter, Hit, Memory, MemoryPage, RecallPage, Why } from "@loci-memory/sdk";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { useChanges, type Changes } from "../../live.ts";
import { filterOf, passes, queryOf, type Look } from "./look.ts";

/** A row of the list: a memory and, of a search, why it is there. */
export interface Row extends Memory {
  why?: Why;
  snippet?: string;
}

interface Page {
  rows: Row[];
  next: string;
  total: number | undefined;
  atLeast: boolean;
  /** The search stopped early. */
  stopped?: "time" | "rows";
  /** Whether memories can be found by meaning; building: how many percent of them already are. */
  meaning?: RecallPage["meaning"] | undefined;
  meaningDone?: number | undefined;
  /** What was found hardly fits, and was left out. */
  nothingFits?: boolean | undefined;
}

/** The rows that are read so far, and how to read more. */
export interface Rows extends Omit<Page, "next"> {
  more: boolean;
  loading: boolean;
  error: unknown;
  readMore: () => void;
  reload: () => void;
  /** Puts a row into its place, after the person changed it. */
  put: (row: Memory) => void;
  /** Takes rows out, after the person moved them elsewhere. */
  drop: (ids: readonly string[]) => void;
}

const size = 50;
const none: Page = { rows: [], next: "", total: undefined, atLeast: false };

async function read(look: Look, cursor: string, signal: AbortSignal): Promise<Page> {
  const at = cursor ? { cursor } : {};
  const options = { signal, viewAs: look.reader || undefined };
  const by = kindOf(look);
  if (look.q && !by) {
    const found = await loci.recall.recall({ ...filterOf(look), ...at, query: look.q, kinds: ["memory"], explain: true, limit: size, min_confidence: look.weak ? 0 : undefined }, options);
    return { ...pageOf(found.memories, found), meaning: found.meaning, meaningDone: found.meaning_done, nothingFits: found.nothing_fits };
  }
  const found = await loci.memories.list({ filter: { ...filterOf(look), by, term: look.q || undefined }, ...at, limit: size, total: cursor === "" }, options);
  return pageOf(found.memories.map((memory, i) => ({ ...memory, ...why(found.hits?.[i]) })), found);
}

function pageOf(rows: Row[], found: Pick<MemoryPage, "next_cursor" | "total" | "total_is_lower_bound" | "stopped_by">): Page {
  return {
    rows,
    next: found.next_cursor,
    total: found.total,
    atLeast: found.total_is_lower_bound ?? false,
    ...(found.stopped_by && { stopped: found.stopped_by }),
  };
}

function why(hit: Hit | undefined): Pick<Row, "why" | "snippet"> {
  return hit ? { why: hit.why, snippet: hit.snippet } : {};
}

function kindOf(look: Look): Filter["by"] {
  return look.trash ? "trashed" : look.expired ? "expired" : undefined;
}

/** Reads the list page by page, and keeps it up to date. */
export function useRows(look: Look): Rows {
  const name = queryOf(look).toString();
  const [state, setState] = useState<{ name: string; page: Page; loading: boolean; error: unknown }>({ name, page: none, loading: true, error: undefined });
  const running = useRef<AbortController | undefined>(undefined);
  const latest = useRef({ look, page: none });
  const here = state.name === name ? state : { name, page: none, loading: true, error: undefined };
  latest.current = { look, page: here.page };

  const fetchPage = useCallback(async (merge: (old: Page, found: Page) => Page, cursor: string) => {
    running.current?.abort();
    const ends = (running.current = new AbortController());
    const name = queryOf(latest.current.look).toString();
    setState((old) => ({ ...(old.name === name ? old : { page: none }), name, loading: true, error: undefined }));
    try {
      const found = await read(latest.current.look, cursor, ends.signal);
      if (!ends.signal.aborted) setState((old) => ({ name, loading: false, error: undefined, page: merge(old.page, found) }));
    } catch (error) {
      if (!ends.signal.aborted) setState((old) => ({ ...old, loading: false, error }));
    }
  }, []);
  const reload = useCallback(() => void fetchPage((_, found) => found, ""), []);
  useEffect(() => {
    reload();
    return () => running.current?.abort();
  }, [name]);

  const readMore = useCallback(() => {
    const { next } = latest.current.page;
    if (next && !here.loading && here.error === undefined) void fetchPage((old, found) => ({ ...found, ...counts(old), rows: joined(old.rows, found.rows) }), next);
  }, [here.loading, here.error]);

  const change = (edit: (rows: Row[]) => Row[]) => setState((old) => ({ ...old, page: { ...old.page, rows: edit(old.page.rows) } }));
  const put = useCallback((row: Memory) => change((rows) => rows.map((old) => (old.id === row.id ? newer(old, row) : old))), []);
  const drop = useCallback((ids: readonly string[]) => {
    setState((old) => {
      const rows = old.page.rows.filter(({ id }) => !ids.includes(id));
      const { total } = old.page;
      return { ...old, page: { ...old.page, rows, total: total === undefined ? total : total - (old.page.rows.length - rows.length) } };
    });
  }, []);
  useChanges("memory", (changes) => void follow(changes, latest.current, { fetchPage, change, drop }));
  const { next, ...page } = here.page;
  return { ...page, more: next !== "", loading: here.loading, error: here.error, readMore, reload, put, drop };
}

function counts({ total, atLeast }: Page): Pick<Page, "total" | "atLeast"> {
  return { total, atLeast };
}

/** A row as it is now. The passage that was found may no longer be in the text. */
function newer(row: Row, now: Memory | undefined): Row {
  if (!now) return row;
  const { why, snippet } = row; // all else is as it is now: what a memory no longer has is not in the answer
  return { ...now, ...(why && { why }), ...(snippet !== undefined && now.content === row.content && { snippet }) };
}

function joined(old: Row[], more: Row[]): Row[] {
  const seen = new Set(old.map(({ id }) => id));
  return [...old, ...more.filter(({ id }) => !seen.has(id))];
}

/** Brings the list up to date. It reads what changed, so that it shows only what the person may see. */
async function follow(
  changes: Changes,
  { look, page }: { look: Look; page: Page },
  { fetchPage, change, drop }: { fetchPage: (merge: (old: Page, found: Page) => Page, cursor: string) => Promise<void>; change: (edit: (rows: Row[]) => Row[]) => void } & Pick<Rows, "drop">,
): Promise<void> {
  if (changes === "reset") return fetchPage((_, found) => found, "");
  if (look.at) return; // what was known then does not change
  const known = new Set(page.rows.map(({ id }) => id));
  const ids = [...new Set(changes.map(({ id }) => id).filter((id) => known.has(id)))].slice(0, 100);
  if (ids.length > 0) {
    const by = kindOf(look);
    const filter: Filter = by ? { ...filterOf(look), by, term: look.q || undefined } : { ids, include_superseded: look.superseded || undefined };
    const now = await loci.memories.list({ filter, limit: by ? 500 : 100 }, { viewAs: look.reader || undefined }).catch(() => undefined);
    const byId = new Map(now?.memories.filter((memory) => passes(look, memory)).map((memory) => [memory.id, memory]));
    if (now) {
      drop(ids.filter((id) => !byId.has(id)));
      change((rows) => rows.map((row) => newer(row, byId.get(row.id))));
    }
  }
  // A search keeps its order until the person searches again.
  if (look.q || !changes.some(({ id }) => !known.has(id))) return;
  // New ones come first. The rows that are read stay, and so does the place in the list.
  await fetchPage((old, found) => ({ ...old, ...counts(found), next: old.rows.length === 0 ? found.next : old.next, rows: joined(found.rows, old.rows) }), "");
}
