import { useEffect, useRef } from "preact/hooks";

/** Runs a function every 20 seconds while the page is in sight, and when it comes into sight: for what the stream of changes lacks. */
export function useEvery(run: () => void, pause = 20_000): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const visible = () => void (document.visibilityState === "visible" && latest.current());
    const every = setInterval(visible, pause);
    document.addEventListener("visibilitychange", visible);
    return () => {
      clearInterval(every);
      document.removeEventListener("visibilitychange", visible);
    };
  }, [pause]);
}
