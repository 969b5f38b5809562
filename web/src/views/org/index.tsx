import type { Identity, Org, OrgEdit } from "@loci-memory/sdk";
import { useState } from "preact/hooks";
import { identity, isAdmin, loci } from "../../api.ts";
import { FormDialog, proving, useProved } from "../../form.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { legible } from "../../legible.ts";
import { useFollow } from "../../live.ts";
import { useLoad } from "../../load.ts";
import { addressOf, go, usePlace } from "../../router.ts";
import { Loading, Shown } from "../../states.tsx";
import { useStore } from "../../store.ts";
import { when } from "../../time.ts";
import { tell } from "../../undo.tsx";
import { Admin } from "./admin.tsx";
import { Audit } from "./audit.tsx";
import { DeleteOrg } from "./delete.tsx";
import { OrgInvites, OrgMembers } from "./people.tsx";
import { settingsOf, SettingsForm } from "./rules.tsx";
import { Team } from "./team.tsx";
import { Usage } from "./usage.tsx";
import { Workspaces } from "./workspaces.tsx";
import "../plain.css";
import "./org.css";

const tabs = ["org", "people", "team", "workspaces", "usage", "audit", "admin"] as const;
type Tab = (typeof tabs)[number];

const at = (tab: Tab) => addressOf(tab === "org" ? "org" : `org/${tab}`);

/** The org and the team of the person: people, invitations, roles, workspaces, rules, and what is counted. */
export default function OrgView() {
  const who = useStore(identity);
  const name = usePlace().path.split("/")[1];
  const shown = tabs.filter((tab) => tab !== "admin" || who?.role === "admin");
  const open = shown.find((tab) => tab === name) ?? "org";
  useKeys(shown.map((tab, i) => ({ key: String(i + 1), help: t(`org.tab.${tab}`), run: () => go(at(tab)) })));
  return (
    <div class="org">
      <h1 class="hidden">{t("org.title")}</h1>
      <nav class="org-tabs" aria-label={t("org.title")}>
        {shown.map((tab) => <a key={tab} href={at(tab)} aria-current={tab === open ? "page" : undefined}>{t(`org.tab.${tab}`)}</a>)}
      </nav>
      <div class="plain-page" tabIndex={0} role="region" aria-label={t(`org.tab.${open}`)}><div class="reading">{who ? <Page tab={open} who={who} /> : <Loading />}</div></div>
    </div>
  );
}

function Page({ tab, who }: { tab: Tab; who: Identity }) {
  const admin = isAdmin(who);
  switch (tab) {
    case "people":
      return <>{admin ? <OrgMembers who={who} /> : <p class="note">{t("org.people.admins")}</p>}{admin && <OrgInvites who={who} />}</>;
    case "team":
      return <Team who={who} />;
    case "workspaces":
      return <Workspaces who={who} />;
    case "usage":
      return <Usage />;
    case "audit":
      return <Audit who={who} />;
    case "admin":
      return <Admin who={who} />;
    default:
      return <TheOrg who={who} />;
  }
}

function TheOrg({ who }: { who: Identity }) {
  const org = useLoad((signal) => loci.orgs.get(who.org_id, { signal }), [who.org_id]);
  const [win, setWin] = useState<"name" | "rules">();
  const admin = isAdmin(who);
  const owner = who.org_role === "owner";
  const change = async (edit: OrgEdit, back: OrgEdit) => {
    await loci.orgs.edit(who.org_id, edit);
    org.reload();
    tell(t("edit.saved"), async () => {
      await loci.orgs.edit(who.org_id, back);
      org.reload();
    });
  };
  useFollow("org", org.reload);
  useProved("org.rules", (_, [edit = "{}", back = "{}"]) => change(JSON.parse(edit), JSON.parse(back)));
  useKeys([{ key: "e", help: t("org.rules"), run: () => owner && setWin("rules") }]);
  return (
    <Shown of={org}>
      {(one) => (
        <>
          <h2>{legible(one.name)}</h2>
          {one.state === "suspended" && <p class="note">{t("org.suspended")}</p>}
          <div class="actions">
            {admin && <button type="button" class="button" onClick={() => setWin("name")}>{t("org.rename")}</button>}
            {owner && <button type="button" class="button" onClick={() => setWin("rules")}>{t("org.rules")} <kbd>e</kbd></button>}
          </div>
          {!owner && <p class="hint">{t("org.owners")}</p>}
          <Rules org={one} role={who.org_role} />
          {owner && <DeleteOrg org={one} />}
          {win === "name" && <Rename what={one.name} onClose={() => setWin(undefined)} onSave={async (name) => { await loci.orgs.edit(one.id, { name }); org.reload(); tell(t("edit.saved"), async () => { await loci.orgs.edit(one.id, { name: one.name }); org.reload(); }); }} />}
          {win === "rules" && <SettingsForm org={one} onClose={() => setWin(undefined)} onSave={(edit) => {
            const before = settingsOf(one);
            const back = Object.fromEntries(Object.keys(edit).map((field) => [field, before[field as keyof OrgEdit]]));
            return proving("org.rules", [JSON.stringify(edit), JSON.stringify(back)], () => change(edit, back));
          }} />}
        </>
      )}
    </Shown>
  );
}

function Rules({ org, role }: { org: Org; role: Identity["org_role"] }) {
  const keep = org.events_retention?.days ? t("org.days", { n: org.events_retention.days }) : t("org.forever");
  const types = org.events_retention?.types?.map(({ event_type, days }) => `${legible(event_type)}: ${days ? t("org.days", { n: days }) : t("org.forever")}`) ?? [];
  const bytes = (n: number | undefined, none: string) => (n ? t("org.mib", { n: Math.round((n / 1024 / 1024) * 10) / 10 }) : none);
  return (
    <dl>
      <div><dt>{t("org.role")}</dt><dd>{t(`role.${role}`)}</dd></div>
      <div><dt>{t("org.deletion")}</dt><dd>{t(org.deletion === "api_key" ? "org.deletion.api_key" : "org.deletion.step_up")}</dd></div>
      <div><dt>{t("org.workspaces")}</dt><dd>{t(org.workspaces ? "org.workspaces.on" : "org.workspaces.off")}</dd></div>
      <div><dt>{t("org.assets.one")}</dt><dd>{bytes(org.assets?.max_bytes, t("org.mib", { n: 25 }))}</dd></div>
      <div><dt>{t("org.assets.all")}</dt><dd>{bytes(org.assets?.total_bytes, t("org.noLimit"))}</dd></div>
      <div><dt>{t("org.assets.types")}</dt><dd>{org.assets?.media_types?.length ? legible(org.assets.media_types.join(", ")) : t("org.assets.every")}</dd></div>
      <div><dt>{t("org.retention")}</dt><dd>{[keep, ...types].join(" · ")}</dd></div>
      <div><dt>{t("org.hold")}</dt><dd>{t(org.legal_hold ? "org.hold.on" : "org.hold.off")}</dd></div>
      <div><dt>{t("facts.created")}</dt><dd><time dateTime={org.created_at}>{when(org.created_at)}</time></dd></div>
      <div><dt>{t("facts.id")}</dt><dd><code>{org.id}</code></dd></div>
    </dl>
  );
}

/** A form for a name. */
export function Rename({ what, onSave, onClose }: { what: string; onSave: (name: string) => Promise<void>; onClose: () => void }) {
  const [name, setName] = useState(what);
  return (
    <FormDialog title={t("org.rename")} onClose={onClose} onSave={() => onSave(name)}>
      <label>{t("graph.name")}<input required autofocus value={name} onInput={(event) => setName(event.currentTarget.value)} /></label>
    </FormDialog>
  );
}

