import type { NodeItem } from "@loci-memory/sdk";

/** An item with how deep it is, from 1. */
export interface Branch {
  item: NodeItem;
  depth: number;
}

/** Where an item is: its parent and the item after it with the same parent. "": the top level, the end. */
export interface Spot {
  parent: string;
  before: string;
}

/** The items in their order, as the API returns them: each followed by those below it. */
export function branches(items: readonly NodeItem[]): Branch[] {
  const depths = new Map<string, number>();
  return items.map((item) => {
    const depth = (item.parent_id ? depths.get(item.parent_id) ?? 0 : 0) + 1;
    depths.set(item.id, depth);
    return { item, depth };
  });
}

/** The items with a parent, in order. */
export function below(items: readonly NodeItem[], parent: string): NodeItem[] {
  return items.filter((item) => (item.parent_id ?? "") === parent);
}

/** Where an item is now. */
export function spotOf(items: readonly NodeItem[], item: NodeItem): Spot {
  const parent = item.parent_id ?? "";
  const row = below(items, parent);
  return { parent, before: row[row.findIndex(({ id }) => id === item.id) + 1]?.id ?? "" };
}

/** Tells whether an item is another one or below it. */
export function isWithin(items: readonly NodeItem[], id: string, other: string): boolean {
  const parents = new Map(items.map((item) => [item.id, item.parent_id ?? ""]));
  for (let at = id; at !== ""; at = parents.get(at) ?? "") if (at === other) return true;
  return false;
}

/** Where a key moves an item: up, down, in (below the one before it), out (after its parent). undefined: it stays. */
export function moved(items: readonly NodeItem[], item: NodeItem, way: "up" | "down" | "in" | "out"): Spot | undefined {
  const parent = item.parent_id ?? "";
  const row = below(items, parent);
  const at = row.findIndex(({ id }) => id === item.id);
  switch (way) {
    case "up":
      return at > 0 ? { parent, before: row[at - 1]!.id } : undefined;
    case "down":
      return at < row.length - 1 ? { parent, before: row[at + 2]?.id ?? "" } : undefined;
    case "in":
      return at > 0 ? { parent: row[at - 1]!.id, before: "" } : undefined;
    case "out": {
      const above = items.find(({ id }) => id === parent);
      return above ? spotOf(items, above) : undefined;
    }
  }
}

/** Where an item goes that is dropped on another: before it, into it or after it. undefined: not there. */
export function dropped(items: readonly NodeItem[], item: NodeItem, on: NodeItem, how: "before" | "into" | "after"): Spot | undefined {
  if (isWithin(items, on.id, item.id)) return undefined;
  if (how === "into") return { parent: on.id, before: "" };
  const parent = on.parent_id ?? "";
  if (how === "before") return { parent, before: on.id };
  const row = below(items, parent).filter(({ id }) => id !== item.id);
  return { parent, before: row[row.findIndex(({ id }) => id === on.id) + 1]?.id ?? "" };
}
