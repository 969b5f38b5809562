import { useCallback, useEffect, useRef, useState } from "preact/hooks";

/** What is known of something that comes from the server. While it is read again, value is the earlier one. */
export interface Loaded<T> {
  value?: T | undefined;
  error?: unknown;
  loading: boolean;
  reload: () => void;
}

/** The last value that was there, while the next one is on its way or cannot be read: what a person can click on stays. */
export function useLast<T>(value: T | undefined): T | undefined {
  const last = useRef(value);
  if (value !== undefined) last.current = value;
  return last.current;
}

/** Reads something when deps change, and again on reload. A later answer of an earlier question is dropped. */
export function useLoad<T>(read: (signal: AbortSignal) => Promise<T>, deps: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<{ value?: T; error?: unknown; loading: boolean; deps?: readonly unknown[] }>({ loading: true });
  const [turn, setTurn] = useState(0);
  const latest = useRef(read);
  latest.current = read;
  useEffect(() => {
    const ends = new AbortController();
    setState((old) => (same(old.deps, deps) ? { ...old, loading: true } : { loading: true, deps }));
    latest.current(ends.signal).then(
      (value) => !ends.signal.aborted && setState({ value, loading: false, deps }),
      (error: unknown) => !ends.signal.aborted && setState((old) => ({ ...old, error, loading: false, deps })),
    );
    return () => ends.abort();
  }, [...deps, turn]);
  const reload = useCallback(() => setTurn((n) => n + 1), []);
  // What was read for other deps is not the answer.
  return same(state.deps, deps) ? { ...state, reload } : { loading: true, reload };
}

function same(a: readonly unknown[] | undefined, b: readonly unknown[]): boolean {
  return a !== undefined && a.length === b.length && a.every((value, i) => Object.is(value, b[i]));
}
