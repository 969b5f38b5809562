import type { Filter, Memory } from "@loci-memory/sdk";

/** What the view looks at: the words and the filters. The address of the page holds all of it. */
export interface Look {
  q: string;
  /** Also what hardly fits the words. */
  weak: boolean;
  tags: string[];
  origin: string;
  category: string;
  /** Only what the assistants of this vendor get, by the same rule as for their own keys. */
  reader: string;
  /** Only what they do not get. */
  hidden: string;
  scope: "" | "global" | "project" | "agent";
  project: string;
  session: string;
  from: string;
  to: string;
  pinned: boolean;
  superseded: boolean;
  trash: boolean;
  expired: boolean;
  /** The time at which the list is shown as it was known; "": now. */
  at: string;
}

/** Looks at everything. */
export const everything: Look = {
  q: "", weak: false, tags: [], origin: "", category: "", reader: "", hidden: "", scope: "", project: "", session: "", from: "", to: "", pinned: false, superseded: false, trash: false, expired: false, at: "",
};

const scopes = ["global", "project", "agent"] as const;

/** Reads the query of an address. */
export function lookOf(query: URLSearchParams): Look {
  const text = (name: string) => query.get(name)?.trim() ?? "";
  return possible({
    q: text("q"),
    weak: query.has("weak"),
    tags: [...new Set(query.getAll("tag").filter(Boolean))],
    origin: text("origin"),
    category: text("category"),
    reader: text("reader"),
    hidden: text("hidden"),
    scope: scopes.find((scope) => scope === text("scope")) ?? "",
    project: text("project"),
    session: text("session"),
    from: text("from"),
    to: text("to"),
    pinned: query.has("pinned"),
    superseded: query.has("superseded"),
    trash: query.has("trash"),
    expired: query.has("expired"),
    at: Number.isNaN(Date.parse(text("at"))) ? "" : new Date(text("at")).toISOString(),
  });
}

/** The trash and what has expired have no other time, and no assistant gets anything of them. */
function possible(look: Look): Look {
  if (!look.trash && !look.expired) return look;
  return { ...look, reader: "", at: "", superseded: false, expired: look.expired && !look.trash };
}

/** Writes it as the query of an address. */
export function queryOf(wanted: Look): URLSearchParams {
  const query = new URLSearchParams();
  const look = possible(wanted);
  for (const name of ["q", "origin", "category", "reader", "hidden", "scope", "project", "session", "from", "to", "at"] as const) if (look[name]) query.set(name, look[name]);
  for (const tag of look.tags) query.append("tag", tag);
  for (const name of ["weak", "pinned", "superseded", "trash", "expired"] as const) if (look[name]) query.set(name, "1");
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
    category: look.category || undefined,
    hidden_from: look.hidden || undefined,
    known_at: look.at || undefined,
    scope: look.scope || undefined,
    project_id: look.project || undefined,
    written_in: look.session || undefined,
    from: day(look.from, 0),
    to: day(look.to, 1), // the last day belongs to it
    pinned: look.pinned || undefined,
    include_superseded: look.superseded || undefined,
  };
}

/** Whether a memory as it is now passes the filters. The server has decided who sees it; the words are not looked at. */
export function passes(look: Look, memory: Memory): boolean {
  if (look.trash !== (memory.deleted_at !== undefined)) return false;
  const { from, to } = filterOf(look);
  const over = memory.expires_at !== undefined && Date.parse(memory.expires_at) <= Date.now();
  if (!look.trash && look.expired !== over) return false;
  return (
    look.tags.every((tag) => memory.tags.includes(tag)) &&
    (!look.origin || memory.origin === look.origin) &&
    (!look.category || memory.category === look.category) &&
    (!look.hidden || hiddenFrom(memory, look.hidden)) &&
    (!look.scope || memory.scope === look.scope) &&
    (!look.project || memory.project_id === look.project) &&
    (!look.session || memory.session_id === look.session) &&
    (!look.pinned || memory.pinned === true) &&
    (look.superseded || look.trash || memory.superseded_by === undefined) &&
    (!from || memory.created_at >= from) &&
    (!to || memory.created_at < to)
  );
}

function hiddenFrom(memory: Memory, vendor: string): boolean {
  return memory.scope === "agent" || !memory.allowed_vendors.some((allowed) => allowed === "*" || allowed === vendor);
}

/** How many filters are set. */
export function filters(look: Look): number {
  return look.tags.length + [look.origin, look.category, look.reader, look.hidden, look.scope, look.project, look.session, look.from, look.to, look.pinned, look.superseded].filter(Boolean).length;
}
