import { LociError, type Candidate } from "@loci-memory/sdk";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { useChanges, useFollow, type Changes } from "../../live.ts";
import { store } from "../../store.ts";
import { filterOf, queryOf, type Look } from "./look.ts";
import { merged } from "./merge.ts";

/** How many candidates each state has, as far as the page knows. */
export const counts = store<Readonly<Record<string, number>>>({});

/** The candidates that are read so far, and how to read more. */
export interface Rows {
  rows: readonly Candidate[];
  more: boolean;
  loading: boolean;
  error: unknown;
  readMore: () => void;
  /** Reads the first page again. The rows below it stay. */
  reload: () => void;
  /** Puts a row into its place as it is now. */
  put: (row: Candidate) => void;
  /** Hides rows that are being decided. They stay hidden until they have a newer version. */
  hide: (rows: readonly Candidate[]) => void;
  /** Shows them again, because the decision failed. */
  unhide: (ids: readonly string[]) => void;
}

interface State {
  name: string;
  rows: readonly Candidate[];
  next: string;
  loading: boolean;
  error: unknown;
}

const none: readonly Candidate[] = [];
const size = 100;
/** How many rows below the first page are read again after changes; of more, the next reload tells. */
const most = 20;
/** Reads the candidates page by page, and keeps the list up to date. */
export function useCandidates(look: Look): Rows {
  const name = queryOf(look).toString();
  const fresh: State = { name, rows: none, next: "", loading: true, error: undefined };
  const [state, setState] = useState<State>(fresh);
  const [hidden, setHidden] = useState<ReadonlyMap<string, number>>(new Map());
  const here = state.name === name ? state : fresh;
  const latest = useRef({ look, here });
  latest.current = { look, here };
  const running = useRef<AbortController | undefined>(undefined);

  const read = useCallback(async (cursor: string) => {
    running.current?.abort();
    const ends = (running.current = new AbortController());
    const { look } = latest.current;
    const name = queryOf(look).toString();
    setState((old) => ({ ...(old.name === name ? old : { rows: none, next: "" }), name, loading: true, error: undefined }));
    try {
      const found = await loci.review.list({ ...filterOf(look), limit: size, cursor: cursor || undefined }, { signal: ends.signal });
      if (ends.signal.aborted) return;
      counts.set(found.counts);
      setState((old) => ({ name, loading: false, error: undefined, ...merged(old, { rows: found.candidates, next: found.next_cursor }, cursor) }));
    } catch (error) {
      if (!ends.signal.aborted) setState((old) => ({ ...old, loading: false, error }));
    }
  }, []);
  const reload = useCallback(() => void read(""), []);
  useEffect(() => {
    setHidden(new Map());
    reload();
    return () => running.current?.abort();
  }, [name]);
  useFollow("candidate", reload);
  useChanges("candidate", (changes) => void follow(changes));

  const readMore = useCallback(() => {
    const { next, loading, error } = latest.current.here;
    if (next && !loading && error === undefined) void read(next);
  }, [here.loading, here.error]);
  const put = useCallback((row: Candidate) => setState((old) => ({ ...old, rows: old.rows.map((one) => (one.id === row.id ? row : one)) })), []);
  /** Reads the rows below the first page that have changed, because reload does not. */
  const follow = useCallback(async (changes: Changes) => {
    if (changes === "reset") return;
    const below = latest.current.here.rows.slice(size).filter(({ id, version }) => changes.some((change) => change.id === id && change.version !== version));
    for (const { id } of below.slice(0, most)) {
      let now: Candidate[];
      try {
        now = [await loci.review.get(id)];
      } catch (error) {
        if (!(error instanceof LociError) || error.status !== 404) return;
        now = [];
      }
      setState((old) => ({ ...old, rows: old.rows.flatMap((row) => (row.id === id ? now : [row])) }));
    }
  }, []);
  const hide = useCallback((rows: readonly Candidate[]) => setHidden((old) => new Map([...old, ...rows.map(({ id, version }) => [id, version] as const)])), []);
  const unhide = useCallback((ids: readonly string[]) => setHidden((old) => new Map([...old].filter(([id]) => !ids.includes(id)))), []);
  const rows = useMemo(
    () => here.rows.filter(({ id, version, review_state }) => review_state === look.list && version > (hidden.get(id) ?? -1)),
    [here.rows, hidden, look.list],
  );
  return { rows, more: here.next !== "", loading: here.loading, error: here.error, readMore, reload, put, hide, unhide };
}

