import type { Key, NewKey } from "@loci-memory/sdk";

/** What a key may be allowed to do. Only people's keys have the last two. */
export const rights = ["memories:read", "memories:write", "graph", "events", "reflect", "account", "admin"] as const;
export type Right = (typeof rights)[number];

/** The rights that a key of an agent can have. */
export const agentRights: readonly Right[] = rights.slice(0, 5);

/** For how many days a new key works; "": for ever. */
export const lives = ["30", "90", "365", ""] as const;

/** What a person typed for a new key. It has no secret, so that it can wait in the browser for a proof. */
export interface Draft {
  name: string;
  vendor: string;
  scopes: readonly string[];
  projects: readonly string[];
  workspace: string;
  life: string;
}

export const emptyDraft: Draft = { name: "", vendor: "", scopes: [], projects: [], workspace: "", life: "90" };

/** The request for a draft. */
export function requestOf(draft: Draft, now: number): NewKey {
  const vendor = draft.vendor.trim().toLowerCase();
  const allowed: readonly string[] = vendor ? agentRights : rights;
  const scopes = draft.scopes.filter((right) => allowed.includes(right));
  return {
    name: draft.name.trim(),
    ...(vendor && { vendor }),
    ...(scopes.length > 0 && { scopes }),
    ...(draft.projects.length > 0 && { project_ids: [...draft.projects] }),
    ...(draft.workspace && { workspace_id: draft.workspace }),
    ...(draft.life && { expires_at: new Date(now + Number(draft.life) * 86_400_000).toISOString() }),
  };
}

/** Reads a draft that waited; undefined: it is none. */
export function draftOf(text: string | undefined): Draft | undefined {
  try {
    const draft = JSON.parse(text ?? "") as Draft;
    return typeof draft.name === "string" ? { ...emptyDraft, ...draft } : undefined;
  } catch {
    return undefined;
  }
}

/** Tells whether something is neither revoked nor expired. */
export function usable(row: { revoked_at?: string; expires_at?: string }, now: number): boolean {
  return !row.revoked_at && (!row.expires_at || Date.parse(row.expires_at) > now);
}

/** Those that work first, the newest first. */
export function sorted<T extends Key>(keys: readonly T[], now: number): T[] {
  return [...keys].sort((a, b) => Number(usable(b, now)) - Number(usable(a, now)) || b.created_at.localeCompare(a.created_at));
}
