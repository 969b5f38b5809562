import { LociError, type FeedEvent } from "@loci-memory/sdk";
import { useEffect, useRef } from "preact/hooks";
import { loci } from "./api.ts";
import { store } from "./store.ts";

/** Whether the page follows changes. */
export type Live = "connecting" | "live" | "offline" | "signed-out";

export const live = store<Live>("connecting");

/** What happened: changes, or a gap after which everything may have changed. */
export type Changes = FeedEvent[] | "reset";

const listeners = new Set<(changes: Changes) => void>();
let waiting: FeedEvent[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

function tell(changes: Changes): void {
  for (const listener of [...listeners]) listener(changes);
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
      for await (const event of loci.changes({ after: position || undefined, signal: ends.signal, onRetry: () => live.set("offline") })) {
        const before = position;
        position = event.position;
        if (event.kind === "change") queue(event.change);
        else if (event.kind === "reset" || (before !== "" && !event.resumed)) tell("reset");
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

/** Runs a function after changes of a kind, while the component is shown. */
export function useChanges(kind: FeedEvent["kind"], run: (changes: Changes) => void): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const listener = (changes: Changes) => {
      const ours = changes === "reset" ? changes : changes.filter((change) => change.kind === kind);
      if (ours.length > 0) latest.current(ours);
    };
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, [kind]);
}
