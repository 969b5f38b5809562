import type { Filter } from "@loci-memory/sdk";

/** What the view looks at: the words and the filters. The address of the page holds all of it. */
export interface Look {
  q: string;
  tags: string[];
  origin: string;
  scope: "" | "global" | "project" | "agent";
  project: string;
  session: string;
  from: string;
  to: string;
  pinned: boolean;
  superseded: boolean;
  trash: boolean;
}

const scopes = ["global", "project", "agent"] as const;

/** Reads the query of an address. */
export function lookOf(query: URLSearchParams): Look {
  const text = (name: string) => query.get(name)?.trim() ?? "";
  return {
    q: text("q"),
    tags: [...new Set(query.getAll("tag").filter(Boolean))],
    origin: text("origin"),
    scope: scopes.find((scope) => scope === text("scope")) ?? "",
    project: text("project"),
    session: text("session"),
    from: text("from"),
    to: text("to"),
    pinned: query.has("pinned"),
    superseded: query.has("superseded"),
    trash: query.has("trash"),
  };
}

/** Writes it as the query of an address. The trash has no words and no filters. */
export function queryOf(look: Look): URLSearchParams {
  const query = new URLSearchParams();
  if (look.trash) {
    query.set("trash", "1");
    return query;
  }
  for (const name of ["q", "origin", "scope", "project", "session", "from", "to"] as const) if (look[name]) query.set(name, look[name]);
  for (const tag of look.tags) query.append("tag", tag);
  for (const name of ["pinned", "superseded"] as const) if (look[name]) query.set(name, "1");
  return query;
}

/** The filter that the API takes, with the words or without them. */
export function filterOf(look: Look): Omit<Filter, "by" | "ids" | "term"> {
  const day = (text: string, add: number) => {
    if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
    const at = new Date(`${text}T00:00:00`);
    at.setDate(at.getDate() + add);
    return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
  };
  return {
    tags: look.tags.length > 0 ? look.tags : undefined,
    tag_mode: look.tags.length > 1 ? "all" : undefined,
    origin: look.origin || undefined,
    scope: look.scope || undefined,
    project_id: look.project || undefined,
    written_in: look.session || undefined,
    from: day(look.from, 0),
    to: day(look.to, 1), // the last day belongs to it
    pinned: look.pinned || undefined,
    include_superseded: look.superseded || undefined,
  };
}

/** How many filters are set. */
export function filters(look: Look): number {
  return look.tags.length + [look.origin, look.scope, look.project, look.session, look.from, look.to, look.pinned, look.superseded].filter(Boolean).length;
}
