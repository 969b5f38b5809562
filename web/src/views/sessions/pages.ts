import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { live } from "../../live.ts";
import { useStore } from "../../store.ts";
import { merged, type Part } from "../inbox/merge.ts";

/** A list that is read page by page and asked again from time to time, because the stream of changes has no events outside of sessions and no times of use. */
export interface Pages<T> {
  rows: readonly T[];
  more: boolean;
  loading: boolean;
  error: unknown;
  readMore: () => void;
  reload: () => void;
}

/** Reads the list named name. every is how many milliseconds pass before its first page is read again. */
export function usePages<T extends { id: string }>(name: string, every: number, read: (cursor: string, signal: AbortSignal) => Promise<Part<T>>): Pages<T> {
  const none: Part<T> & { name: string; loading: boolean; error: unknown } = { name, rows: [], next: "", loading: true, error: undefined };
  const [state, setState] = useState(none);
  const here = state.name === name ? state : none;
  const latest = useRef({ name, read, here });
  latest.current = { name, read, here };
  const running = useRef<AbortController | undefined>(undefined);
  const fetchPage = useCallback(async (cursor: string) => {
    running.current?.abort();
    const ends = (running.current = new AbortController());
    const { name } = latest.current;
    const mine = (old: typeof none) => (old.name === name ? old : { ...none, name });
    setState((old) => ({ ...mine(old), loading: true }));
    try {
      const found = await latest.current.read(cursor, ends.signal);
      if (!ends.signal.aborted) setState((old) => ({ ...mine(old), ...merged(mine(old), found, cursor), loading: false, error: undefined }));
    } catch (error) {
      if (!ends.signal.aborted) setState((old) => ({ ...mine(old), loading: false, error }));
    }
  }, []);
  const reload = useCallback(() => void fetchPage(""), []);
  useEffect(() => {
    reload();
    return () => running.current?.abort();
  }, [name]);
  const online = useStore(live);
  useEffect(() => {
    if (online === "live" && latest.current.here.error !== undefined) reload();
  }, [online]);
  useEffect(() => {
    // A page that is on its way is not ended by the next question.
    const timer = setInterval(() => document.visibilityState === "visible" && !latest.current.here.loading && reload(), every);
    return () => clearInterval(timer);
  }, [every]);
  const readMore = useCallback(() => {
    const { next, loading, error } = latest.current.here;
    if (next && !loading && error === undefined) void fetchPage(next);
  }, [here.loading, here.error]);
  return { rows: here.rows, more: here.next !== "", loading: here.loading, error: here.error, readMore, reload };
}
