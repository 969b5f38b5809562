import { useId } from "preact/hooks";
import { t } from "../../i18n/index.ts";

/** The assistants that the field offers. Any other name works, too. */
export const offered = ["claude", "chatgpt", "cursor", "vscode", "codex", "gemini", "mistral", "perplexity", "windsurf"];

/** Chooses which assistants may read something: all, or some. */
export function VendorsField({ value, onChange }: { value: readonly string[]; onChange: (value: string[]) => void }) {
  const name = useId();
  const all = value.includes("*");
  const choice = (text: string, on: boolean, next: string[]) => (
    <label class="check"><input type="radio" name={name} checked={on} onChange={() => onChange(next)} /> {text}</label>
  );
  const shown = [...new Set([...offered, ...value.filter((vendor) => vendor !== "*")])];
  return (
    <fieldset>
      <legend>{t("field.allowed_vendors")}</legend>
      {choice(t("readers.all"), all, ["*"])}
      {choice(t("vendors.some"), !all && value.length > 0, value.length > 0 && !all ? [...value] : ["claude"])}
      {!all && value.length > 0 && (
        <div class="chips">
          {shown.map((vendor) => (
            <button key={vendor} type="button" class="chip" aria-pressed={value.includes(vendor)}
              onClick={() => onChange(value.includes(vendor) ? without(value, vendor) : [...value, vendor])}>{vendor}</button>
          ))}
        </div>
      )}
    </fieldset>
  );
}

/** Takes one away, but not the last: the API wants at least one. */
function without(value: readonly string[], vendor: string): string[] {
  return value.length > 1 ? value.filter((other) => other !== vendor) : [...value];
}
