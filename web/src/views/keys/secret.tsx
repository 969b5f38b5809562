import type { MadeKey } from "@loci-memory/sdk";
import type { ComponentChildren } from "preact";
import { Copyable } from "../../copy.tsx";
import { Dialog } from "../../dialog.tsx";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";

/** A key right after it was made, the only time that its secret is shown. Only its button closes it. */
export function Secret({ made, rotated, onClose, children }: { made: MadeKey; rotated?: boolean; onClose: () => void; children?: ComponentChildren }) {
  const name = legible(made.key.name);
  return (
    <Dialog title={t(rotated ? "apiKeys.rotated" : "apiKeys.made", { name })} onClose={() => undefined}>
      <p>{t("apiKeys.once")}</p>
      <Copyable text={made.secret} label={t("apiKeys.key", { name })} secret />
      {children}
      {rotated && <p class="hint">{made.key.vendor ? t("apiKeys.rotated.agent") : t("apiKeys.rotated.text")}</p>}
      <div class="actions"><button type="button" class="button primary" onClick={onClose}>{t("apiKeys.copied")}</button></div>
    </Dialog>
  );
}
