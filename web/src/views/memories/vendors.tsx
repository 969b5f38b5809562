import { useId, useRef, useState } from "preact/hooks";
import { t } from "../../i18n/index.ts";
import { useLoad } from "../../load.ts";
import { labels, ordered } from "../visibility/groups.ts";
import { readOwn } from "../visibility/matter.ts";

/** The assistants that fields offer always. Any other name works, too. */
export const offered: readonly string[] = Object.keys(labels);

interface Props {
  value: readonly string[];
  onChange: (value: string[]) => void;
}

/** Chooses which assistants may read something: all, or some. */
export function VendorsField({ value, onChange }: Props) {
  const name = useId();
  const all = value.includes("*");
  const some = !all && value.length > 0;
  return (
    <fieldset>
      <legend>{t("field.allowed_vendors")}</legend>
      <label class="check"><input type="radio" name={name} checked={all} onChange={() => onChange(["*"])} /> {t("readers.all")}</label>
      <label class="check"><input type="radio" name={name} checked={some} onChange={() => onChange(["claude"])} /> {t("vendors.some")}</label>
      {some && <Some value={value} onChange={onChange} />}
    </fieldset>
  );
}

/** The assistants that Loci knows, those that matter to the person, and any other. They are read only once somebody chooses among them. */
function Some({ value, onChange }: Props) {
  const mine = useLoad(async (signal) => (await readOwn(signal)).vendors, []);
  const shown = ordered([...offered, ...(mine.value ?? []), ...value]);
  const toggle = (vendor: string) => {
    const next = value.includes(vendor) ? value.filter((other) => other !== vendor) : [...value, vendor];
    if (next.length > 0) onChange(next); // the API wants at least one
  };
  return (
    <>
      <div class="chips">
        {shown.map((vendor) => <button key={vendor} type="button" class="chip" aria-pressed={value.includes(vendor)} onClick={() => toggle(vendor)}>{vendor}</button>)}
      </div>
      <Another onAdd={(vendor) => !value.includes(vendor) && onChange([...value, vendor])} />
    </>
  );
}

/** A field for an assistant that is not offered. What is typed counts once the field is left, so that nobody loses it. */
function Another({ onAdd }: { onAdd: (vendor: string) => void }) {
  const [typed, setTyped] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const wrong = typed.trim() !== "" && nameOf(typed) === "";
  // What is in the field counts: a person may press Enter before what they typed is drawn.
  const add = () => {
    const vendor = nameOf(field.current?.value ?? "");
    if (vendor === "") return;
    onAdd(vendor);
    setTyped("");
  };
  const enter = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !field.current?.value.trim()) return;
    event.preventDefault(); // it does not save the form
    event.stopPropagation();
    add();
  };
  const id = useId();
  return (
    <div class="another">
      <label>
        {t("vendors.another")}
        <input ref={field} {...vendorInput()} value={typed} aria-invalid={wrong} aria-describedby={id}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onBlur={add}
          // Sending the form is what a browser does after this event; after keydown, it may still come.
          onKeyPress={enter}
          onKeyDown={(event) => (event.ctrlKey || event.metaKey) && enter(event)} />
      </label>
      <button type="button" class="button" onClick={add}>{t("vendors.add")}</button>
      <p class="hint" id={id} role={wrong ? "alert" : undefined}>{t(wrong ? "vendors.wrong" : "vendors.another.text")}</p>
    </div>
  );
}

/** What a vendor's name is, as the API has it. */
const pattern = "[a-zA-Z0-9][a-zA-Z0-9._\\-]{0,49}";

/** What a field for one has. */
export const vendorInput = () => ({ maxLength: 50, autocomplete: "off", autocapitalize: "none", spellcheck: false, pattern: `\\s*${pattern}\\s*`, title: t("apiKeys.vendor.rule") }) as const;

const rule = new RegExp(`^${pattern}$`);

/** The name that was typed, as the API stores it; "": it is none. */
function nameOf(typed: string): string {
  const name = typed.trim();
  return rule.test(name) ? name.toLowerCase() : "";
}
