import type { Facets } from "@loci-memory/sdk";
import { everything, type Look } from "../memories/look.ts";

/** By what the memories are grouped, in the order of the switch. */
export const groups = ["origin", "scope", "project", "category", "tag"] as const;
export type Group = (typeof groups)[number];

const facetOf: Record<Group, string> = { origin: "origin", scope: "scope", project: "project_id", category: "category", tag: "tag" };

/** The vendors that Loci knows, with the names of their products. Others keep their names. */
export const labels: Readonly<Record<string, string>> = {
  claude: "Claude", chatgpt: "ChatGPT", cursor: "Cursor", vscode: "VS Code", codex: "Codex", gemini: "Gemini", mistral: "Mistral", perplexity: "Perplexity", windsurf: "Windsurf", zed: "Zed", opencode: "OpenCode",
};

/** What a vendor's product is called. */
export function label(vendor: string): string {
  return Object.hasOwn(labels, vendor) ? labels[vendor]! : vendor;
}

/** Who writes without being a vendor. */
const people = ["api", "cli", "dashboard", "server"];

/** The vendors that matter to a person: those that are connected, that wrote something, or that a memory names. */
export function vendorsOf(own: Facets, connected: readonly string[]): string[] {
  const values = (facet: string) => (own.facets[facet] ?? []).map(({ value }) => value);
  const all = [...connected, ...values("origin").filter((origin) => !people.includes(origin)), ...values("allowed_vendor").filter((vendor) => vendor !== "*")];
  return ordered(all);
}

/** Each once, the known ones first. */
export function ordered(vendors: Iterable<string>): string[] {
  const known = Object.keys(labels);
  const at = (vendor: string) => (known.includes(vendor) ? known.indexOf(vendor) : known.length);
  return [...new Set(vendors)].sort((a, b) => at(a) - at(b) || (a < b ? -1 : 1));
}

/** The values of a group, the most frequent first. */
export function valuesOf(counted: Facets, group: Group): { value: string; count: number }[] {
  return counted.facets[facetOf[group]] ?? [];
}

/** How many values of a facet the server returns at most. */
const most = 100;

/** How many memories have the value; undefined: it is not among the most frequent ones, so it must be counted by itself. */
export function countOf(counted: Facets, group: Group, value: string): number | undefined {
  const values = valuesOf(counted, group);
  return values.find((one) => one.value === value)?.count ?? (values.length < most ? 0 : undefined);
}

/** Looks at the memories of a group with a value. */
export function lookOfCell(group: Group, value: string): Look {
  if (group === "tag") return { ...everything, tags: [value] };
  return { ...everything, [group]: value };
}
