import type { OAuthClient } from "@loci-memory/sdk";
import { loci } from "../../api.ts";
import { confirm } from "../../dialog.tsx";
import { attempt, proving, useProved } from "../../form.tsx";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";
import { useLoad } from "../../load.ts";
import { usePoll } from "../../poll.ts";
import { Shown } from "../../states.tsx";
import { when } from "../../time.ts";
import { tell } from "../../undo.tsx";
import { offered } from "../memories/vendors.tsx";

/** The OAuth clients of the deployment: bind one to a vendor, or remove it with all access that people gave it. */
export function Clients({ onChanged }: { onChanged: () => void }) {
  const clients = useLoad(async (signal) => (await loci.admin.listClients({ signal })).clients, []);
  usePoll(clients.reload, 60_000);
  const bind = async (id: string, vendor: string, before: string) => {
    await loci.admin.editClient({ vendor }, { client_id: id });
    clients.reload();
    tell(t("edit.saved"), async () => { await loci.admin.editClient({ vendor: before }, { client_id: id }); clients.reload(); });
  };
  const remove = async (id: string) => {
    await loci.admin.deleteClient({ client_id: id });
    clients.reload();
    onChanged();
    tell(t("admin.client.deleted"));
  };
  useProved("admin.client.", async (what, [id = "", vendor = "", before = ""]) => what === "admin.client.set" ? bind(id, vendor, before) : remove(id));
  const ask = async (one: OAuthClient) => {
    if (!(await confirm({ title: t("admin.client.delete"), text: t("admin.client.delete.ask", { name: legible(one.client_name) }), yes: t("admin.client.delete"), danger: true }))) return;
    await attempt(() => proving("admin.client.delete", [one.client_id], () => remove(one.client_id)));
  };
  return (
    <section aria-label={t("admin.clients")}>
      <h3>{t("admin.clients")}</h3>
      <p class="hint">{t("admin.clients.text")}</p>
      <Shown of={clients}>
        {(all) => all.length === 0 ? <p class="hint">{t("admin.clients.none")}</p> : (
          <ul class="cards">
            {all.map((one) => {
              const name = legible(one.client_name || one.client_id);
              const vendors = [...new Set([...offered, ...(one.vendor ? [one.vendor] : [])])];
              return (
                <li key={one.client_id} class="plain-member">
                  <span>{name}<span class="hint org-wrap"> · <code>{legible(one.client_id)}</code> · {when(one.created_at)}{one.last_used_at && <> · {t("admin.client.used", { time: when(one.last_used_at) })}</>}</span></span>
                  <select aria-label={t("admin.client.vendor", { name })} value={one.vendor ?? ""} onChange={(event) => {
                    const vendor = event.currentTarget.value;
                    void attempt(() => proving("admin.client.set", [one.client_id, vendor, one.vendor ?? ""], () => bind(one.client_id, vendor, one.vendor ?? ""))).then(clients.reload);
                  }}>
                    <option value="">{t("admin.client.any")}</option>
                    {vendors.map((vendor) => <option key={vendor} value={vendor}>{legible(vendor)}</option>)}
                  </select>
                  <button type="button" class="button danger" aria-label={t("admin.client.delete.of", { name })} onClick={() => void ask(one)}>{t("admin.client.delete")}</button>
                </li>
              );
            })}
          </ul>
        )}
      </Shown>
    </section>
  );
}
