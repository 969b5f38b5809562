import { useEffect, useRef } from "preact/hooks";

/** Runs a function from time to time while the page is seen, for what the stream of changes does not have: times of use. */
export function usePoll(run: () => void, pause = 300_000): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const visible = () => document.visibilityState === "visible" && latest.current();
    const every = setInterval(visible, pause);
    document.addEventListener("visibilitychange", visible);
    return () => {
      clearInterval(every);
      document.removeEventListener("visibilitychange", visible);
    };
  }, [pause]);
}
