import type { ListCandidatesQuery } from "@loci-memory/sdk";

/** The lists of the inbox, in the order of their tabs. */
export const lists = ["pending", "suggestions", "deferred", "promoted", "rejected", "archived", "dream"] as const;
export type ListName = (typeof lists)[number];

/** The kinds of candidates. */
export const kinds = ["decision", "plan", "idea", "claim", "artifact", "procedure", "session"] as const;

/** What a person looks at: a list and, of candidates, only some of them. */
export interface Look {
  list: ListName;
  kind: string;
  project: string;
  source: string;
}

/** Reads it from the query of the address. */
export function lookOf(query: URLSearchParams): Look {
  const get = (name: string) => query.get(name) ?? "";
  const kind = get("kind");
  return {
    list: lists.find((name) => name === get("list")) ?? "pending",
    kind: kinds.some((name) => name === kind) ? kind : "",
    project: get("project"),
    source: get("source"),
  };
}

/** Writes it as the query of the address, without what is usual. */
export function queryOf(look: Look): URLSearchParams {
  const query = new URLSearchParams();
  if (look.list !== "pending") query.set("list", look.list);
  for (const name of ["kind", "project", "source"] as const) if (look[name]) query.set(name, look[name]);
  return query;
}

/** The parameters of the API. */
export function filterOf(look: Look): ListCandidatesQuery {
  return {
    state: look.list as ListCandidatesQuery["state"],
    kind: (look.kind || undefined) as ListCandidatesQuery["kind"],
    project: look.project || undefined,
    source_id: look.source || undefined,
  };
}
