import type { Diff, DiffLine } from "@loci-memory/sdk";
import type { Key } from "./i18n/index.ts";
import { t } from "./i18n/index.ts";
import { legible } from "./legible.ts";

/** Shows what differs between two versions, as the server compares them. */
export function DiffView({ diff }: { diff: Pick<Diff, "texts" | "fields"> }) {
  if (diff.texts.length === 0 && diff.fields.length === 0) return <p class="hint">{t("diff.none")}</p>;
  return (
    <div class="diff">
      {diff.texts.map(({ field, hunks }) => (
        <div key={field} role="group" aria-label={fieldName(field)}>
          <h4>{fieldName(field)}</h4>
          {hunks.map((hunk, i) => <div class="hunk" key={i}>{(hunk.lines ?? []).map(line)}</div>)}
        </div>
      ))}
      {diff.fields.length > 0 && (
        <dl>
          {diff.fields.map(({ field, old, new: now }) => (
            <div key={field}>
              <dt>{fieldName(field)}</dt>
              <dd><del>{valueText(old)}</del> <ins>{valueText(now)}</ins></dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

function line(l: DiffLine, key: number) {
  if (l.op !== "changed") {
    const text = legible(l.text ?? "") || "\u00a0";
    if (l.op === "added") return <p key={key} class="added"><ins>{text}</ins></p>;
    if (l.op === "removed") return <p key={key} class="removed"><del>{text}</del></p>;
    return <p key={key}>{text}</p>;
  }
  return (
    <p key={key} class="changed">
      {(l.words ?? []).map(({ op, text }, i) => (op === "added" ? <ins key={i}>{legible(text)}</ins> : op === "removed" ? <del key={i}>{legible(text)}</del> : legible(text)))}
    </p>
  );
}

const named = ["title", "content", "summary", "tags", "key", "category", "importance", "pinned", "allowed_vendors", "expires_at", "valid_from", "valid_to", "memory_type", "scope"] as const;

/** The name of a field of a memory. A field without a name in the texts keeps that of the API. */
export function fieldName(field: string): string {
  const known = named.find((name) => name === field);
  return known ? t(`field.${known}` satisfies Key) : field;
}

function valueText(value: unknown): string {
  if (value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) return t("diff.nothing");
  if (Array.isArray(value)) return legible(value.join(", "));
  if (typeof value === "boolean") return value ? t("yes") : t("no");
  return legible(typeof value === "string" || typeof value === "number" ? String(value) : JSON.stringify(value));
}
