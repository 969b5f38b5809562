import type { Memory, Why } from "@loci-memory/sdk";
import { t, type Key } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";

/** Who may read a memory, in words: which assistants, and which other people. */
export function readers(memory: Pick<Memory, "allowed_vendors" | "scope" | "team_id">, names: { agent?: string | undefined; project?: string | undefined } = {}): string {
  const assistants = vendors(memory.allowed_vendors);
  const agent = memory.scope === "agent" ? t("readers.agent", { agent: names.agent ?? "?" }) : "";
  const people = [memory.team_id ? t("readers.team") : "", memory.scope === "project" ? t("readers.project", { project: names.project ?? "?" }) : ""].filter(Boolean);
  return [t("readers.you"), agent || assistants, ...(agent && !memory.allowed_vendors.includes("*") ? [assistants] : []), ...people].join(" · ");
}

/** Which assistants the vendors are. */
export function vendors(allowed: readonly string[]): string {
  if (allowed.includes("*")) return t("readers.all");
  if (allowed.length === 0) return t("readers.none");
  return t("readers.only", { vendors: allowed.join(", ") });
}

/** The signals of a ranking, in the order of the documentation. */
const signals = ["name", "row", "context", "session", "passage", "question", "actor", "self", "date", "when", "graph", "meaning", "theme", "rule", "denies"] as const;

/** Why a search found a memory: a sentence for each reason, the most telling first. */
export function reasons(why: Why): string[] {
  const out: string[] = [];
  for (const field of why.named ?? []) out.push(t(`why.named.${field}`));
  if (why.fallback) out.push(t(`why.fallback.${why.fallback}`));
  for (const { term, fields, similar } of why.terms) {
    const where = fields.map((field) => t(fieldKey(field))).join(", ");
    if (similar?.length) out.push(t("why.similar", { term: legible(term), words: legible(similar.join(", ")), where }));
    else out.push(t("why.term", { term: legible(term), where }));
  }
  for (const path of why.through ?? []) out.push(t("why.through", { path: legible(path) }));
  if (why.meaning !== undefined) out.push(t("why.meaning", { percent: Math.round(why.meaning * 100) }));
  if (out.length === 0) out.push(t("why.near"));
  return out;
}

function fieldKey(field: string): Key {
  const known = ["title", "content", "summary", "key", "category", "tags"] as const;
  return `field.${known.find((name) => name === field) ?? "content"}`;
}

/** What each signal adds to the score, the largest part first. */
export function parts(why: Why): { name: string; share: number }[] {
  const found = signals.flatMap((name) => {
    const value = why.signals?.[name];
    return value ? [{ name: t(`signal.${name}`), value }] : [];
  });
  const sum = found.reduce((all, { value }) => all + value, 0);
  return found.sort((a, b) => b.value - a.value).map(({ name, value }) => ({ name, share: value / sum }));
}

/** A word between **. The text itself may have ** as well, such as **\/*.ts. */
const marked = /\*\*([\p{L}\p{N}\p{M}_](?:[^*]*[^*\s])?)\*\*/u;

/** The pieces of a passage: the server puts the words that were found between **. */
export function pieces(snippet: string): { text: string; found: boolean }[] {
  return snippet.split(marked).map((text, i) => ({ text: legible(text), found: i % 2 === 1 })).filter(({ text }) => text !== "");
}
