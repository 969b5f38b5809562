import type { Facets } from "@loci-memory/sdk";
import { loci } from "../../api.ts";
import { vendorsOf } from "./groups.ts";

/** What is counted: all memories of the person, and what each vendor gets of them. */
export interface Counted {
  own: Facets;
  /** The vendors that matter to the person. */
  vendors: string[];
}

/** Counts the person's memories, and finds the vendors that matter. */
export async function readOwn(signal: AbortSignal): Promise<Counted> {
  const [own, keys, grants] = await Promise.all([
    loci.memories.count({}, { signal }),
    loci.keys.list({}, { signal }).then(({ keys }) => keys.filter(({ revoked_at }) => !revoked_at).flatMap(({ vendor }) => vendor ?? [])).catch(() => []),
    loci.account.listGrants({ signal }).then(({ grants }) => grants.filter(({ revoked_at }) => !revoked_at).map(({ vendor }) => vendor)).catch(() => []),
  ]);
  return { own, vendors: vendorsOf(own, [...keys, ...grants]) };
}
