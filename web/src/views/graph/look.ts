/** What a person looks at in a graph. */
export interface Look {
  q: string;
  /** Only these types; empty: all. */
  kinds: readonly string[];
  /** Only what is within so many steps of the open entity; 0: all. */
  near: number;
  /** The other end of a path from the open entity. */
  to: string;
  trash: boolean;
}

/** Reads it from the query of the address. */
export function lookOf(query: URLSearchParams): Look {
  const near = Number(query.get("near"));
  return {
    q: query.get("q") ?? "",
    kinds: query.getAll("type"),
    near: [1, 2, 3].includes(near) ? near : 0,
    to: query.get("to") ?? "",
    trash: query.has("trash"),
  };
}

/** Writes it as the query of the address, without what is usual. */
export function queryOf({ q, kinds, near, to, trash }: Look): URLSearchParams {
  const query = new URLSearchParams();
  if (q) query.set("q", q);
  for (const kind of kinds) query.append("type", kind);
  if (near) query.set("near", String(near));
  if (to) query.set("to", to);
  if (trash) query.set("trash", "1");
  return query;
}
