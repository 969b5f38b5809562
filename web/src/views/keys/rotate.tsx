import type { Key } from "@loci-memory/sdk";
import { useState } from "preact/hooks";
import { Cancel, Dialog } from "../../dialog.tsx";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";

const overlaps = [0, 1, 24, 168];

/** Asks for how long the old key goes on to work. */
export function Rotate({ of, onClose, onRotate }: { of: Key; onClose: () => void; onRotate: (hours: number) => void }) {
  const [hours, setHours] = useState(24);
  return (
    <Dialog title={t("apiKeys.rotate.title", { name: legible(of.name) })} onClose={onClose}>
      <p>{t("apiKeys.rotate.text")}</p>
      <label>
        {t("apiKeys.overlap")}
        <select value={String(hours)} onChange={(event) => setHours(Number(event.currentTarget.value))}>
          {overlaps.map((n) => <option key={n} value={String(n)}>{n === 0 ? t("apiKeys.overlap.none") : t("apiKeys.hours", { n })}</option>)}
        </select>
      </label>
      <div class="actions">
        <button type="button" class="button primary" autofocus onClick={() => onRotate(hours)}>{t("apiKeys.rotate")}</button>
        <Cancel />
      </div>
    </Dialog>
  );
}
