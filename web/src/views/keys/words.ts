import type { Project } from "@loci-memory/sdk";
import { t, type Key as Text } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";
import { shortWhen, when } from "../../time.ts";
import { rights } from "./keys.ts";

/** A right in words. */
export function right(name: string): string {
  return (rights as readonly string[]).includes(name) ? t(`right.${name}` as Text) : legible(name);
}

/** What a key reaches: its rights and projects. */
export function reach(key: { scopes: readonly string[] | null; project_ids?: readonly string[] }, projects: readonly Project[]): string {
  const names = (key.project_ids ?? []).map((id) => legible(projects.find((project) => project.id === id)?.name ?? id));
  const limits = (key.scopes ?? []).map(right);
  if (names.length > 0) limits.push(t("apiKeys.onlyProjects", { n: names.length, names: names.join(", ") }));
  return limits.join(" · ") || t("apiKeys.everything");
}

/** When it was used last, and when it ends or ended. */
export function life(row: { created_at: string; last_used_at?: string; expires_at?: string; revoked_at?: string }, now: number, unused = false): string {
  return [
    t("apiKeys.created", { time: shortWhen(row.created_at) }),
    row.last_used_at ? t("apiKeys.used", { time: when(row.last_used_at) }) : t("apiKeys.neverUsed"),
    row.revoked_at ? t("apiKeys.revokedAt", { time: when(row.revoked_at) })
      : !row.expires_at ? t("apiKeys.neverExpires")
      : Date.parse(row.expires_at) <= now ? t("apiKeys.expired", { time: when(row.expires_at) })
      : t(unused ? "apiKeys.expiresUnused" : "apiKeys.expires", { time: when(row.expires_at) }),
  ].join(" · ");
}
