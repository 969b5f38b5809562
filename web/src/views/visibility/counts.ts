import type { CountMemoriesQuery, Facets } from "@loci-memory/sdk";
import { useEffect, useRef, useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { useChanges } from "../../live.ts";
import { useLoad, type Loaded } from "../../load.ts";
import { filterOf, type Look } from "../memories/look.ts";
import { countOf, lookOfCell, type Group } from "./groups.ts";
import { readOwn, type Counted } from "./matter.ts";

/** Counts the person's memories, and finds the vendors that matter. */
export function useOwn(): Loaded<Counted> {
  const own = useLoad(readOwn, []);
  useCalm(own.reload);
  return own;
}

/** How long the page waits after a change before it counts again. */
const calm = 1500;

/** Runs something after changes have ended for a moment. */
export function useCalm(run: () => void): void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useChanges("memory", () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(run, calm);
  });
}

/** What is known of a vendor: its counts, or why there are none. */
export type OfVendor = { counted: Facets } | { error: unknown } | undefined;

/** Counts what each vendor gets, a few at a time. The counts of before stay until there are new ones. */
export function useVendors(vendors: readonly string[], own: Facets | undefined): { of: (vendor: string) => OfVendor; again: () => void } {
  const [known, setKnown] = useState<ReadonlyMap<string, OfVendor>>(new Map());
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (!own) return;
    const ends = new AbortController();
    const left = [...vendors];
    const put = (vendor: string, of: OfVendor) => !ends.signal.aborted && setKnown((old) => new Map(old).set(vendor, of));
    const worker = async () => {
      for (let vendor = left.shift(); vendor !== undefined; vendor = left.shift()) {
        const name = vendor;
        await loci.memories.count({}, { viewAs: name, signal: ends.signal }).then((counted) => put(name, { counted }), (error: unknown) => put(name, { error }));
      }
    };
    void Promise.all([worker(), worker(), worker()]);
    return () => ends.abort();
  }, [vendors.join(), own, turn]);
  return { of: (vendor) => known.get(vendor), again: () => setTurn((n) => n + 1) };
}

/** Counts the few values that are not among the most frequent ones of a vendor. The name of a cell is that of cellName. */
export function useRest(group: Group, values: readonly string[], vendors: readonly string[], of: (vendor: string) => OfVendor): ReadonlyMap<string, number> {
  const missing = vendors.flatMap((vendor) => {
    const known = of(vendor);
    return known && "counted" in known ? values.filter((value) => countOf(known.counted, group, value) === undefined).map((value) => ({ vendor, value })) : [];
  });
  const { value } = useLoad(
    async (signal) => {
      const out = new Map<string, number>();
      for (const { vendor, value } of missing) out.set(cellName(vendor, value), (await loci.memories.count(conditionsOf(lookOfCell(group, value)), { viewAs: vendor, signal })).total);
      return out;
    },
    [group, missing.map(({ vendor, value }) => cellName(vendor, value)).join("\n")],
  );
  return value ?? new Map();
}

/** The name of a cell of the matrix. */
export function cellName(vendor: string, value: string): string {
  return `${vendor} ${value}`;
}

/** The conditions of a count. It is of the present only. */
export function conditionsOf(look: Look): CountMemoriesQuery {
  const { known_at: _, hidden_from: __, ...conditions } = filterOf(look);
  return conditions;
}

/** How many a vendor gets, and how many are hidden from it. */
export interface Both {
  visible: number;
  hidden: number;
  /** There are at least so many. */
  atLeast?: boolean;
}

/** Counts both sides of what a person looks at. Counts know no words and no other times, so lists count then. */
export async function both(look: Look, vendor: string, signal: AbortSignal): Promise<Both> {
  if (!look.q && !look.at) {
    const [all, seen] = await Promise.all([loci.memories.count(conditionsOf(look), { signal }), loci.memories.count(conditionsOf(look), { viewAs: vendor, signal })]);
    return { visible: seen.total, hidden: all.total - seen.total };
  }
  const filter = { ...filterOf(look), term: look.q || undefined };
  const [seen, hidden] = await Promise.all([
    loci.memories.list({ filter, limit: 1, total: true }, { viewAs: vendor, signal }),
    loci.memories.list({ filter: { ...filter, hidden_from: vendor }, limit: 1, total: true }, { signal }),
  ]);
  return { visible: seen.total ?? 0, hidden: hidden.total ?? 0, atLeast: Boolean(seen.total_is_lower_bound || hidden.total_is_lower_bound) };
}
