import { useId } from "preact/hooks";
import { t } from "../../i18n/index.ts";
import { offered } from "../memories/vendors.tsx";

/** Chooses which assistants may read something: all or some. Unlike a memory, a row of a graph has at least one. */
export function ReadersField({ value, onChange }: { value: readonly string[]; onChange: (value: string[]) => void }) {
  const name = useId();
  const all = value.includes("*");
  const shown = [...new Set([...offered, ...value.filter((vendor) => vendor !== "*")])];
  const toggle = (vendor: string) => {
    const next = value.includes(vendor) ? value.filter((other) => other !== vendor) : [...value, vendor];
    if (next.length > 0) onChange(next);
  };
  return (
    <fieldset>
      <legend>{t("field.allowed_vendors")}</legend>
      <label class="check"><input type="radio" name={name} checked={all} onChange={() => onChange(["*"])} /> {t("readers.all")}</label>
      <label class="check"><input type="radio" name={name} checked={!all} onChange={() => onChange(["claude"])} /> {t("vendors.some")}</label>
      {!all && (
        <div class="chips">
          {shown.map((vendor) => <button key={vendor} type="button" class="chip" aria-pressed={value.includes(vendor)} onClick={() => toggle(vendor)}>{vendor}</button>)}
        </div>
      )}
    </fieldset>
  );
}
