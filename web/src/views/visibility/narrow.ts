import type { Memory } from "@loci-memory/sdk";

/** How readers are taken away: one vendor, or all but some. */
export type Narrowing = { without: string } | { only: readonly string[] };

/** The vendors that may read something afterwards. known stand for "all", which cannot lack one of them. */
export function narrowed(allowed: readonly string[], how: Narrowing, known: readonly string[]): string[] {
  const all = allowed.includes("*");
  if ("only" in how) return all ? [...how.only] : allowed.filter((vendor) => how.only.includes(vendor));
  return (all ? known : allowed).filter((vendor) => vendor !== how.without && vendor !== "*");
}

/** A change of who may read a memory. */
export interface Change {
  id: string;
  version: number;
  before: string[];
  after: string[];
}

/** What narrowing would do. */
export interface Plan {
  changes: Change[];
  /** How many stay as they are. */
  same: number;
  /** How many of the changes are of memories that all vendors may read now. */
  open: number;
  /** How many would have no reader left but people. The API refuses that, so they stay as they are. */
  nobody: number;
  /** How many belong to others, who alone can change them. */
  others: number;
}

/** Says what narrowing would do with memories, and changes nothing. */
export function plan(memories: readonly Memory[], how: Narrowing, known: readonly string[], me: string | undefined): Plan {
  const out: Plan = { changes: [], same: 0, open: 0, nobody: 0, others: 0 };
  for (const { id, version, allowed_vendors: before, user_id: owner } of memories) {
    if (owner !== undefined && me !== undefined && owner !== me) {
      out.others++;
      continue;
    }
    const after = narrowed(before, how, known);
    if (after.length === before.length && after.every((vendor) => before.includes(vendor))) {
      out.same++;
      continue;
    }
    if (after.length === 0) {
      out.nobody++;
      continue;
    }
    out.changes.push({ id, version, before, after });
    if (before.includes("*")) out.open++;
  }
  return out;
}
