import { LociError, type FeedEvent } from "@loci-memory/sdk";
import { useEffect, useRef } from "preact/hooks";
import { loci } from "./api.ts";
import { usePoll } from "./poll.ts";
import { store } from "./store.ts";

/** Whether the page follows changes. */
export type Live = "connecting" | "live" | "offline" | "signed-out";

export const live = store<Live>("connecting");

/** What happened: changes, or a gap after which everything may have changed. */
export type Changes = FeedEvent[] | "reset";

/** What a change is about. */
export type Kind = FeedEvent["kind"];

const listeners = new Set<(changes: Changes, kinds?: readonly Kind[]) => void>();
let waiting: FeedEvent[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

/** The kinds whose changes a killed server may not have told of: their rows are read again when it is back. */
const hinted: readonly Kind[] = ["project", "graph", "key", "grant", "sign_in", "org", "events"];

function tell(changes: Changes, kinds?: readonly Kind[]): void {
  for (const listener of [...listeners]) listener(changes, kinds);
}

/** Collects changes for a moment, so that an import draws the page a few times only. */
function queue(change: FeedEvent): void {
  waiting.push(change);
  timer ??= setTimeout(() => {
    const changes = waiting;
    [waiting, timer] = [[], undefined];
    tell(changes);
  }, 150);
}

/** Follows the changes of everything that the sign-in may see, over one connection for the whole page. */
export async function startLive(): Promise<void> {
  let position = "";
  let away = false; // the browser keeps the page for the way back: it must hold no connection there
  for (;;) {
    if (away) await new Promise((back) => addEventListener("pageshow", back, { once: true }));
    away = false;
    const ends = new AbortController();
    const leave = () => {
      away = true;
      ends.abort();
    };
    addEventListener("pagehide", leave);
    // The network is back: do not wait for the next attempt.
    const back = () => live.get() === "offline" && ends.abort();
    addEventListener("online", back);
    document.addEventListener("visibilitychange", back);
    try {
      for await (const event of loci.changes({ kinds: "all", after: position || undefined, signal: ends.signal, onRetry: () => live.set("offline") })) {
        const before = position;
        position = event.position;
        if (event.kind === "change") queue(event.change);
        else if (event.kind === "reset" || (before !== "" && !event.resumed)) tell("reset");
        else if (before !== "") tell("reset", hinted);
        live.set("live");
      }
    } catch (error) {
      if (away) continue;
      if (error instanceof LociError && error.status === 401) return live.set("signed-out");
      if (position === "") return live.set("offline"); // what asking again cannot help
      position = "";
    } finally {
      removeEventListener("pagehide", leave);
      removeEventListener("online", back);
      document.removeEventListener("visibilitychange", back);
    }
  }
}

/** Runs a function after changes of some kinds, while the component is shown. */
export function useChanges(kinds: Kind | readonly Kind[], run: (changes: Changes) => void): void {
  const latest = useRef(run);
  latest.current = run;
  const names = [kinds].flat().join();
  useEffect(() => {
    const mine = names.split(",") as Kind[];
    const listener = (changes: Changes, only: readonly Kind[] = mine) => {
      if (changes === "reset" ? mine.some((kind) => only.includes(kind)) : (changes = changes.filter(({ kind }) => mine.includes(kind))).length > 0) latest.current(changes);
    };
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, [names]);
}

/** Tells whether changes may be about a row. */
export function concerns(changes: Changes, id: string): boolean {
  return changes === "reset" || changes.some((change) => change.id === id);
}

/**
 * Runs a function after changes of some kinds [of the row with an id]: at once, and while there are many, once a second. Because the stream does not have times
 * of use, it also runs a few times in an hour while the page is seen.
 */
export function useFollow(kinds: Kind | readonly Kind[], run: () => void, id?: string): void {
  const latest = useRef(run);
  latest.current = run;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const again = useRef(false);
  const now = () => {
    if (timer.current !== undefined) return void (again.current = true);
    latest.current();
    timer.current = setTimeout(() => {
      timer.current = undefined;
      if (again.current) now();
      again.current = false;
    }, 1000);
  };
  useChanges(kinds, (changes) => (!id || concerns(changes, id)) && now());
  useEffect(() => () => clearTimeout(timer.current), []);
  usePoll(() => latest.current());
}
