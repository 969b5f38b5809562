import type { Identity, User, Workspace } from "@loci-memory/sdk";
import { useState } from "preact/hooks";
import { isAdmin, loci, startIdentity } from "../../api.ts";
import { cardAt, cardKeys } from "../../cards.tsx";
import { confirm } from "../../dialog.tsx";
import { attempt, FormDialog } from "../../form.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { legible } from "../../legible.ts";
import { useChanges, useFollow } from "../../live.ts";
import { useLoad } from "../../load.ts";
import { nameOf } from "../../person.ts";
import { Empty, Shown, Unread } from "../../states.tsx";
import { tell } from "../../undo.tsx";
import { Rename } from "./index.tsx";

/** The workspaces of the org: which one is active, and who belongs to each. */
export function Workspaces({ who }: { who: Identity }) {
  const admin = isAdmin(who);
  const spaces = useLoad(async (signal) => (await loci.orgs.listWorkspaces(who.org_id, { signal })).workspaces, [who.org_id]);
  const [adding, setAdding] = useState(false);
  const [name, setName] = useState("");
  useFollow("workspace", spaces.reload);
  useKeys([
    ...cardKeys(spaces.value?.map(({ id }) => id) ?? []),
    ...(admin ? [{ key: "n", help: t("workspaces.new"), run: () => setAdding(true) }] : []),
  ]);
  const enter = (one: Workspace) => attempt(async () => {
    await loci.account.enterWorkspace({ workspace_id: one.id });
    await startIdentity();
    tell(t("done.workspace"));
  });
  return (
    <section>
      <h2>{t("org.tab.workspaces")}</h2>
      <p class="hint">{t("workspaces.text")}</p>
      {admin && <div class="actions"><button type="button" class="button primary" onClick={() => setAdding(true)}>{t("workspaces.new")} <kbd>n</kbd></button></div>}
      <Shown of={spaces}>
        {(all) => all.length === 0 ? <Empty title={t("workspaces.none")} /> : (
          <ul class="cards">{all.map((one) => <li key={one.id} {...cardAt(one.id)}><Space one={one} who={who} admin={admin} onEnter={() => void enter(one)} onChanged={spaces.reload} /></li>)}</ul>
        )}
      </Shown>
      {adding && (
        <FormDialog title={t("workspaces.new")} onClose={() => setAdding(false)} onSave={async () => { await loci.orgs.createWorkspace(who.org_id, { name }); setName(""); spaces.reload(); tell(t("workspaces.created", { name: legible(name) })); }}>
          <label>{t("graph.name")}<input required autofocus value={name} onInput={(event) => setName(event.currentTarget.value)} /></label>
        </FormDialog>
      )}
    </section>
  );
}

function Space({ one, who, admin, onEnter, onChanged }: { one: Workspace; who: Identity; admin: boolean; onEnter: () => void; onChanged: () => void }) {
  const [open, setOpen] = useState(false);
  const [renaming, setRenaming] = useState(false);
  const remove = async () => {
    if (!(await confirm({ title: t("workspaces.delete"), text: t("workspaces.delete.ask", { name: legible(one.name) }), yes: t("erase.yes"), danger: true }))) return;
    await attempt(async () => { await loci.orgs.deleteWorkspace(who.org_id, one.id); onChanged(); tell(t("workspaces.deleted", { name: legible(one.name) })); });
  };
  return (
    <>
      <p class="plain-member">
        <span>{legible(one.name)} {one.id === who.workspace_id && <span class="tag">{t("workspaces.active")}</span>}</span>
        {one.id !== who.workspace_id && <button type="button" class="button" onClick={onEnter}>{t("workspaces.enter")}</button>}
        <button type="button" class="button" aria-expanded={open} onClick={() => setOpen(!open)}>{t("members.title")}</button>
        {admin && <button type="button" class="button" onClick={() => setRenaming(true)}>{t("org.rename")}</button>}
        {admin && <button type="button" class="button danger" onClick={() => void remove()}>{t("erase.yes")}</button>}
      </p>
      {open && <SpaceMembers one={one} who={who} admin={admin} />}
      {renaming && <Rename what={one.name} onClose={() => setRenaming(false)} onSave={async (name) => { await loci.orgs.renameWorkspace(who.org_id, one.id, { name }); onChanged(); tell(t("edit.saved"), async () => { await loci.orgs.renameWorkspace(who.org_id, one.id, { name: one.name }); onChanged(); }); }} />}
    </>
  );
}

function SpaceMembers({ one, who, admin }: { one: Workspace; who: Identity; admin: boolean }) {
  const members = useLoad(async (signal) => (await loci.orgs.listWorkspaceMembers(who.org_id, one.id, { signal })).members, [one.id]);
  useChanges(["workspace", "member"], members.reload);
  const people = useLoad(async (signal) => (admin ? (await loci.orgs.listMembers(who.org_id, { limit: 500 }, { signal })).members : []), [who.org_id]);
  const remove = async (user: User) => {
    const self = user.id === who.user_id;
    const text = t(self ? "members.leave.ask" : "members.remove.ask", { name: nameOf(user), what: legible(one.name) });
    if (await confirm({ title: t("members.remove"), text, yes: t("members.remove"), danger: true })) await change(user, false);
  };
  const change = (user: User, join: boolean) => attempt(async () => {
    const add = () => loci.orgs.addToWorkspace(who.org_id, one.id, user.id);
    const drop = () => loci.orgs.removeFromWorkspace(who.org_id, one.id, user.id);
    await (join ? add() : drop());
    members.reload();
    tell(t(join ? "members.added" : "members.removed", { name: nameOf(user) }), async () => { await (join ? drop() : add()); members.reload(); });
  });
  return (
    <Shown of={members}>
      {(all) => {
        const others = people.value?.filter(({ id }) => !all.some((member) => member.id === id)) ?? [];
        return (
          <ul class="org-inner">
            {people.error !== undefined && <li><Unread of={[people]} /></li>}
            {all.map((member) => <li key={member.id} class="plain-member"><span>{nameOf(member)}</span>{admin && <button type="button" class="button danger" onClick={() => void remove(member)}>{t("members.remove")}</button>}</li>)}
            {others.map((user) => <li key={user.id} class="plain-member"><span class="hint">{nameOf(user)}</span><button type="button" class="button" onClick={() => void change(user, true)}>{t("members.add")}</button></li>)}
          </ul>
        );
      }}
    </Shown>
  );
}
