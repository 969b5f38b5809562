import type { Identity, Invite, Invited, MemberEdit, User } from "@loci-memory/sdk";
import { useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { cardAt, cardKeys } from "../../cards.tsx";
import { confirm, Dialog } from "../../dialog.tsx";
import { attempt, FormDialog, proving, useProved } from "../../form.tsx";
import { useFilter } from "../../filter.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { legible } from "../../legible.ts";
import { useFollow } from "../../live.ts";
import { useLoad, type Loaded } from "../../load.ts";
import { nameOf } from "../../person.ts";
import { mayGive, RoleField, type Role } from "../../roles.tsx";
import { Shown } from "../../states.tsx";
import { when } from "../../time.ts";
import { tell } from "../../undo.tsx";

/** The people of the org. Admins change their roles, and suspend accounts. */
export function OrgMembers({ who }: { who: Identity }) {
  const members = useLoad(async (signal) => {
    const all: User[] = [];
    for await (const one of loci.orgs.allMembers(who.org_id, { limit: 500 }, { signal })) if (all.push(one) >= 5000) break;
    return all;
  }, [who.org_id]);
  const filter = useFilter(t("filter.people"));
  const found = (members.value ?? []).filter((one) => filter.fits(nameOf(one), t(`role.${one.org_role}`), one.disabled ? t("org.disabled") : ""));
  const shown = found.slice(0, 300);
  useKeys([filter.key, ...cardKeys(shown.map(({ id }) => id))]);
  useFollow("member", members.reload);
  const edit = async (id: string, change: MemberEdit, back: MemberEdit) => {
    await loci.orgs.editMember(who.org_id, id, change);
    members.reload();
    tell(t("edit.saved"), async () => { await loci.orgs.editMember(who.org_id, id, back); members.reload(); });
  };
  useProved("org.member", async (_, [id = "", change = "{}", back = "{}"]) => edit(id, JSON.parse(change), JSON.parse(back)));
  const proved = (id: string, change: MemberEdit, back: MemberEdit) =>
    attempt(() => proving("org.member", [id, JSON.stringify(change), JSON.stringify(back)], () => edit(id, change, back))).then(members.reload);
  const setRole = async (one: User, role: Role) => {
    if (await mayGive(role, { self: one.id === who.user_id, name: nameOf(one) })) await proved(one.id, { role }, { role: one.org_role });
  };
  const suspend = async (one: User) => {
    const name = nameOf(one);
    if (!one.disabled && !(await confirm({ title: t("org.suspend"), text: t("org.suspend.ask", { name }), yes: t("org.suspend"), danger: true }))) return;
    await proved(one.id, { disabled: !one.disabled }, { disabled: Boolean(one.disabled) });
  };
  return (
    <section aria-label={t("members.title")}>
      <h2>{t("members.title")}</h2>
      <Shown of={members}>
        {(all) => (
          <>
            {filter.field(found.length)}
            <p class="hint">{t("org.people.n", { n: all.length })}</p>
            {found.length === 0 && filter.none()}
            <ul class="cards">
              {shown.map((one) => (
                <li key={one.id} class="plain-member" {...cardAt(one.id)}>
                  <span>{nameOf(one)}{one.id === who.user_id && <> · {t("readers.you")}</>} {one.disabled && <span class="tag warn">{t("org.disabled")}</span>}</span>
                  <RoleField label={t("members.role", { name: nameOf(one) })} value={one.org_role} onChange={(role) => void setRole(one, role)} />
                  {one.id !== who.user_id && <button type="button" class="button danger" onClick={() => void suspend(one)}>{t(one.disabled ? "org.enable" : "org.suspend")}</button>}
                </li>
              ))}
            </ul>
            {found.length > shown.length && <p class="hint">{t("org.people.first")}</p>}
          </>
        )}
      </Shown>
    </section>
  );
}

interface InvitesProps {
  invites: Loaded<Invite[]>;
  /** Where its tokens lead. */
  onInvite: (emails: string[], role: Role) => Promise<Invited[]>;
  onRevoke: (id: string) => Promise<void>;
  /** Under what a proof is asked for. */
  what: string;
}

/** Invitations: list, invite, revoke. The links are shown once. */
export function Invites({ invites, onInvite, onRevoke, what }: InvitesProps) {
  const [asking, setAsking] = useState(false);
  const [made, setMade] = useState<readonly Invited[]>();
  const [text, setText] = useState("");
  const [role, setRole] = useState<Role>("member");
  useKeys([{ key: "n", help: t("invites.new"), run: () => setAsking(true) }]);
  const invite = async (emails: string[], role: Role) => {
    setMade(await onInvite(emails, role));
    invites.reload();
  };
  useProved(what, async (_, [as = "member", ...emails]) => invite(emails, as as Role));
  const revoke = async (one: Invite) => {
    if (!(await confirm({ title: t("invites.revoke"), text: t("invites.revoke.ask", { email: legible(one.email) }), yes: t("invites.revoke"), danger: true }))) return;
    await attempt(async () => { await onRevoke(one.id); invites.reload(); tell(t("invites.revoked")); });
  };
  return (
    <section aria-label={t("invites.title")}>
      <h2>{t("invites.title")}</h2>
      <div class="actions"><button type="button" class="button primary" onClick={() => setAsking(true)}>{t("invites.new")} <kbd>n</kbd></button></div>
      <Shown of={invites}>
        {(all) => all.length === 0 ? <p class="hint">{t("invites.none")}</p> : (
          <ul class="cards">
            {all.map((one) => (
              <li key={one.id} class="plain-member">
                <span>{legible(one.email)} · {t(`role.${one.team_role ?? one.org_role}`)}<span class="hint"> · {t(`invites.${one.state}`)}{one.state === "pending" && <> · {t("invites.until", { time: when(one.expires_at) })}</>}</span></span>
                {one.state === "pending" && <button type="button" class="button danger" onClick={() => void revoke(one)}>{t("invites.revoke")}</button>}
              </li>
            ))}
          </ul>
        )}
      </Shown>
      {asking && (
        <FormDialog title={t("invites.new")} yes={t("invites.send")} onClose={() => setAsking(false)}
          onSave={async () => { const emails = text.split(/[\s,;]+/).filter(Boolean); await proving(what, [role, ...emails], () => invite(emails, role)); setText(""); }}>
          <label>{t("invites.emails")}<textarea required autofocus rows={3} value={text} onInput={(event) => setText(event.currentTarget.value)} /></label>
          <label>{t("members.role.field")}<RoleField label={t("members.role.field")} value={role} onChange={setRole} /></label>
          <p class="hint">{t("invites.hint")}</p>
        </FormDialog>
      )}
      {made && (
        <Dialog title={t("invites.made")} onClose={() => setMade(undefined)}>
          <p>{t("invites.once")}</p>
          {made.map(({ invite: { id, email }, token }) => (
            <label key={id}>{legible(email)}<input readOnly value={`${location.origin}/app/invite?token=${token}`} onFocus={(event) => event.currentTarget.select()} /></label>
          ))}
          <button type="button" class="button" onClick={() => setMade(undefined)}>{t("close")}</button>
        </Dialog>
      )}
    </section>
  );
}

export function OrgInvites({ who }: { who: Identity }) {
  const invites = useLoad(async (signal) => (await loci.orgs.listInvites(who.org_id, { signal })).invites, [who.org_id]);
  useFollow("invitation", invites.reload);
  return (
    <Invites what="org.invite" invites={invites} onRevoke={(id) => loci.orgs.revokeInvite(who.org_id, id)}
      onInvite={async (emails, role) => (await loci.orgs.invite(who.org_id, { emails, role })).invites} />
  );
}
