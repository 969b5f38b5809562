import type { AdminOrg } from "@loci-memory/sdk";
import { useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { confirm } from "../../dialog.tsx";
import { attempt, FormDialog, proving, useProved } from "../../form.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { legible } from "../../legible.ts";
import { useLoad } from "../../load.ts";
import { number } from "../../numbers.ts";
import { usePoll } from "../../poll.ts";
import { Shown } from "../../states.tsx";
import { when } from "../../time.ts";
import { tell } from "../../undo.tsx";

/** The orgs of the deployment: create one, suspend one, let it in again. */
export function Orgs({ own, onChanged }: { own: string; onChanged: () => void }) {
  const orgs = useLoad(async (signal) => {
    const all: AdminOrg[] = [];
    for await (const one of loci.admin.allOrgs({ limit: 500 }, { signal })) if (all.push(one) >= 2000) break;
    return all;
  }, []);
  usePoll(orgs.reload, 60_000);
  const [draft, setDraft] = useState<readonly [name: string, id: string, email: string]>();
  useKeys([{ key: "n", help: t("admin.org.new"), run: () => setDraft(["", "", ""]) }]);
  const create = async ([name = "", id = "", email = ""]: readonly string[]) => {
    const made = await loci.admin.createOrg({ name, owner_email: email, ...(id && { id }) });
    orgs.reload();
    onChanged();
    tell(t("admin.org.created", { name: legible(made.org.name), email: legible(email) }));
  };
  const suspend = async (id: string, suspended: boolean) => {
    await loci.admin.editOrg(id, { suspended });
    orgs.reload();
    tell(t(suspended ? "admin.org.suspended" : "admin.org.enabled"), async () => { await loci.admin.editOrg(id, { suspended: !suspended }); orgs.reload(); });
  };
  useProved("admin.org.", async (what, values) => what === "admin.org.new" ? create(values) : suspend(values[0] ?? "", values[1] === "true"));
  const toggle = async (one: AdminOrg) => {
    const on = one.state !== "suspended";
    if (on && !(await confirm({ title: t("org.suspend"), text: t("admin.org.suspend.ask", { name: legible(one.name) }), yes: t("org.suspend"), danger: true }))) return;
    await attempt(() => proving("admin.org.suspend", [one.id, String(on)], () => suspend(one.id, on)));
  };
  return (
    <section aria-label={t("admin.orgs")}>
      <h3>{t("admin.orgs")}</h3>
      <div class="actions"><button type="button" class="button primary" onClick={() => setDraft(["", "", ""])}>{t("admin.org.new")} <kbd>n</kbd></button></div>
      <Shown of={orgs}>
        {(all) => (
          <ul class="cards">
            {all.map((one) => (
              <li key={one.id} class="plain-member">
                <span>{legible(one.name)} {one.state === "suspended" && <span class="tag warn">{t("org.disabled")}</span>}<span class="hint"> · <code>{one.id}</code> · {t("org.people.n", { n: one.users })} · {when(one.created_at)}</span></span>
                {one.id !== own && <button type="button" class={one.state === "suspended" ? "button" : "button danger"} aria-label={t(one.state === "suspended" ? "admin.org.enable.of" : "admin.org.suspend.of", { name: legible(one.name) })} onClick={() => void toggle(one)}>{t(one.state === "suspended" ? "org.enable" : "org.suspend")}</button>}
              </li>
            ))}
          </ul>
        )}
      </Shown>
      {orgs.value?.length === 2000 && <p class="hint">{t("admin.first", { n: 2000 })}</p>}
      {draft && (
        <FormDialog title={t("admin.org.new")} onClose={() => setDraft(undefined)} onSave={() => proving("admin.org.new", draft, () => create(draft))}>
          <label>{t("graph.name")}<input required autofocus value={draft[0]} onInput={(event) => setDraft([event.currentTarget.value, draft[1], draft[2]])} /></label>
          <label>{t("admin.org.id")}<input autocomplete="off" pattern="[a-z0-9][a-z0-9\-]*" value={draft[1]} onInput={(event) => setDraft([draft[0], event.currentTarget.value, draft[2]])} /></label>
          <label>{t("admin.org.owner")}<input type="email" required value={draft[2]} onInput={(event) => setDraft([draft[0], draft[1], event.currentTarget.value])} /></label>
          <p class="hint">{t("admin.org.hint")}</p>
        </FormDialog>
      )}
    </section>
  );
}

/** How many people and so on the deployment has. */
export function Figures({ counts }: { counts: Record<(typeof figures)[number], number> }) {
  return <dl>{figures.map((field) => <div key={field}><dt>{t(`admin.${field}`)}</dt><dd>{number(counts[field])}</dd></div>)}</dl>;
}

const figures = ["orgs", "users", "teams", "keys", "sign_ins", "grants"] as const;
