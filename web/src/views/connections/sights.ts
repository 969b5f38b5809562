import { useEffect, useRef } from "preact/hooks";
import { loci } from "../../api.ts";
import { useChanges } from "../../live.ts";
import { useLoad } from "../../load.ts";

/** How many memories the person sees, and how many of them the assistants of each vendor get. */
export interface Sights {
  all: number | undefined;
  of: ReadonlyMap<string, number>;
}

const none: Sights = { all: undefined, of: new Map() };

/** Counts by the routes and the rule that the assistants have, and again after memories changed. */
export function useSights(vendors: readonly string[]): Sights {
  const counted = useLoad(async (signal) => {
    const [all, ...each] = await Promise.all([
      loci.memories.count({}, { signal }),
      ...vendors.map((viewAs) => loci.memories.count({}, { signal, viewAs })),
    ]);
    return { all: all.total, of: new Map(vendors.map((vendor, i) => [vendor, each[i]?.total ?? 0])) };
  }, [vendors.join(" ")]);
  const waiting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useChanges("memory", () => {
    waiting.current ??= setTimeout(() => {
      waiting.current = undefined;
      counted.reload();
    }, 1000);
  });
  useEffect(() => () => clearTimeout(waiting.current), []);
  return counted.value ?? none;
}
