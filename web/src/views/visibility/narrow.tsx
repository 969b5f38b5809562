import type { Memory } from "@loci-memory/sdk";
import { useState } from "preact/hooks";
import { identity } from "../../api.ts";
import { Cancel, Dialog } from "../../dialog.tsx";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";
import { useLoad } from "../../load.ts";
import { Shown } from "../../states.tsx";
import type { Look } from "../memories/look.ts";
import { most, narrow, readAll } from "./acts.ts";
import { label, labels, ordered } from "./groups.ts";
import { plan, type Narrowing } from "./narrow.ts";

interface Props {
  /** From whom they are taken away. */
  vendor: string;
  /** The memories themselves, or what lists them. */
  of: { memories: readonly Memory[] } | { look: Look };
  /** The vendors that the page shows. */
  vendors: readonly string[];
  onClose: () => void;
  onDone: () => void;
}

/** Takes a vendor away from memories, or leaves only some. It counts first, and changes nothing before the person agrees. */
export function NarrowDialog({ vendor, of, vendors, onClose, onDone }: Props) {
  const known = ordered([...vendors, ...Object.keys(labels), vendor]);
  const [only, setOnly] = useState<readonly string[]>();
  const read = useLoad((signal) => ("look" in of ? readAll(of.look, signal) : Promise.resolve({ memories: [...of.memories], cut: false })), []);
  const how: Narrowing = only ? { only } : { without: vendor };
  const name = legible(label(vendor));
  const toggle = (one: string) => setOnly((old = []) => (old.includes(one) ? old.filter((other) => other !== one) : [...old, one]));
  return (
    <Dialog title={t("see.narrow.title")} onClose={onClose}>
      <fieldset>
        <legend>{t("see.narrow.how")}</legend>
        <label class="check"><input type="radio" name="narrow" autofocus checked={!only} onChange={() => setOnly(undefined)} /> {t("see.narrow.without", { vendor: name })}</label>
        <label class="check"><input type="radio" name="narrow" checked={only !== undefined} onChange={() => setOnly(only ?? known.filter((one) => vendors.includes(one) && one !== vendor).slice(0, 1))} /> {t("see.narrow.only")}</label>
        {only && <div class="chips">{known.map((one) => <button key={one} type="button" class="chip" aria-pressed={only.includes(one)} onClick={() => toggle(one)}>{legible(label(one))}</button>)}</div>}
      </fieldset>
      <Shown of={read}>
        {({ memories, cut }) => {
          const would = plan(memories, how, known, identity.get()?.user_id);
          const n = would.changes.length;
          const ready = n > 0 && (!only || only.length > 0);
          return (
            <>
              <div role="status">
                <p><strong>{only?.length === 0 ? t("see.narrow.choose") : t("see.narrow.count", { n })}</strong></p>
                <ul class="see-notes">
                  {would.open > 0 && <li>{t("see.narrow.open", { n: would.open, vendors: legible((only ?? known.filter((one) => one !== vendor)).map(label).join(", ")) })}</li>}
                  {would.same > 0 && <li>{t("see.narrow.same", { n: would.same })}</li>}
                  {would.nobody > 0 && (!only || only.length > 0) && <li>{t("see.narrow.nobody", { n: would.nobody })}</li>}
                  {would.others > 0 && <li>{t("see.narrow.others", { n: would.others })}</li>}
                  {cut && <li>{t("see.narrow.cut", { n: most })}</li>}
                </ul>
                <p class="hint">{t("see.narrow.undo")}</p>
              </div>
              <div class="actions">
                <button type="button" class="button danger" disabled={!ready} onClick={() => { onClose(); void narrow(would.changes, onDone); }}>{t("see.narrow.yes", { n })}</button>
                <Cancel />
              </div>
            </>
          );
        }}
      </Shown>
    </Dialog>
  );
}
