import type { UndoRequest } from "@loci-memory/sdk";

/** Whose changes are looked at, and of which time. */
export interface Selection {
  origin: string;
  session: string;
  key: string;
  since: string;
  until: string;
}

/** Reads it from the query of the address. */
export function selectionOf(query: URLSearchParams): Selection {
  const text = (name: string) => query.get(name) ?? "";
  const time = (name: string) => (Number.isNaN(Date.parse(text(name))) ? "" : new Date(text(name)).toISOString());
  return { origin: text("origin"), session: text("session"), key: text("key"), since: time("since"), until: time("until") };
}

/** Writes it as the query of the address. */
export function queryOf(selection: Selection): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of ["origin", "session", "key", "since", "until"] as const) if (selection[name]) query.set(name, selection[name]);
  return query;
}

/** What the API takes. */
export function requestOf({ origin, session, key, since, until }: Selection): UndoRequest {
  return { origin: origin || undefined, session_id: session || undefined, credential_id: key || undefined, since: since || undefined, until: until || undefined };
}

/** What lacks in a selection: somebody, a beginning, or nothing. The server asks for the same. */
export function lacks({ origin, session, key, since, until }: Selection): "who" | "since" | "order" | undefined {
  if (!origin && !session && !key) return "who";
  if (!since && !session) return "since";
  if (since && until && until <= since) return "order";
  return undefined;
}
