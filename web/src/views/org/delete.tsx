import type { Org } from "@loci-memory/sdk";
import { useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { FormDialog, proving, useProved } from "../../form.tsx";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";

/** Deletes the org with everything in it. The person types its id, and proves who they are. */
export function DeleteOrg({ org }: { org: Org }) {
  const [asking, setAsking] = useState(false);
  const [text, setText] = useState("");
  useProved("org.delete", async () => setAsking(true));
  const erase = () => proving("org.delete", [], async () => {
    await loci.orgs.delete(org.id, { confirm: text });
    location.assign("/app/sign-in");
  });
  return (
    <>
      <h2>{t("org.delete")}</h2>
      <p>{t("org.delete.text")}</p>
      <button type="button" class="button danger" onClick={() => setAsking(true)}>{t("org.delete")}</button>
      {asking && (
        <FormDialog title={t("org.delete")} yes={t("erase.yes")} danger onClose={() => setAsking(false)} onSave={erase}>
          <p>{t("org.delete.ask", { name: legible(org.name) })}</p>
          <label>{t("org.delete.confirm", { id: org.id })}<input required autofocus autocomplete="off" value={text} onInput={(event) => setText(event.currentTarget.value)} /></label>
        </FormDialog>
      )}
    </>
  );
}
