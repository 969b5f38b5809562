import type { Identity, User } from "@loci-memory/sdk";
import { useState } from "preact/hooks";
import { loci, startIdentity } from "../../api.ts";
import { cardAt, cardKeys } from "../../cards.tsx";
import { confirm } from "../../dialog.tsx";
import { attempt, FormDialog, proving, useProved } from "../../form.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { legible } from "../../legible.ts";
import { useFollow } from "../../live.ts";
import { useLoad } from "../../load.ts";
import { nameOf } from "../../person.ts";
import { addressOf, go, usePlace } from "../../router.ts";
import { mayGive, RoleField, type Role } from "../../roles.tsx";
import { Empty, Shown, Unread } from "../../states.tsx";
import { tell } from "../../undo.tsx";
import { Rename } from "./index.tsx";
import { Invites } from "./people.tsx";

/** The team of the person. Admins of the org see all teams. */
export function Team({ who }: { who: Identity }) {
  const teams = useLoad(async (signal) => (await loci.teams.list({ signal })).teams, [who.team_id]);
  const wanted = usePlace().query.get("team");
  const [win, setWin] = useState<"new" | "join">();
  const [text, setText] = useState("");
  const changed = async () => { await startIdentity(); teams.reload(); };
  useFollow(["team", "member"], () => void changed().catch(() => undefined));
  const others = teams.value?.filter(({ id }) => id !== who.team_id) ?? [];
  const open = wanted ?? who.team_id;
  useKeys(open ? [] : [{ key: "n", help: t("team.new"), run: () => setWin("new") }]);
  return (
    <>
      {open ? <OneTeam key={open} id={open} who={who} onChanged={changed} /> : (
        <Empty title={t("team.none")}>
          <p>{t("team.none.text")}</p>
          <div class="actions">
            <button type="button" class="button primary" onClick={() => setWin("new")}>{t("team.new")} <kbd>n</kbd></button>
            <button type="button" class="button" onClick={() => setWin("join")}>{t("team.join")}</button>
          </div>
        </Empty>
      )}
      {open && <Unread of={[teams]} />}
      {others.length > 0 && (
        <section aria-label={t("team.others")}>
          <h2>{t("team.others")}</h2>
          <ul class="cards">{others.map(({ id, name }) => <li key={id}><a href={addressOf("org/team", { team: id })}>{legible(name)}</a></li>)}</ul>
        </section>
      )}
      {win && (
        <FormDialog title={t(win === "new" ? "team.new" : "team.join")} onClose={() => setWin(undefined)}
          onSave={async () => {
            if (win === "new") await loci.teams.create({ name: text });
            else await loci.teams.join({ token: text.trim().replace(/^.*[?&]token=/, "") });
            setText("");
            await changed();
            tell(t(win === "new" ? "team.created" : "done.joined"));
          }}>
          <label>{t(win === "new" ? "graph.name" : "team.token")}<input required autofocus autocomplete="off" value={text} onInput={(event) => setText(event.currentTarget.value)} /></label>
        </FormDialog>
      )}
    </>
  );
}

function OneTeam({ id, who, onChanged }: { id: string; who: Identity; onChanged: () => Promise<void> }) {
  const team = useLoad((signal) => loci.teams.get(id, { signal }), [id]);
  const invites = useLoad(async (signal) => (await loci.teams.listInvites(id, { signal })).invites, [id]);
  const [renaming, setRenaming] = useState(false);
  const mine = id === who.team_id;
  useKeys(cardKeys(team.value?.members.map((member) => member.id) ?? []));
  useFollow(["team", "member", "invitation"], () => { team.reload(); invites.reload(); });
  const setRole = async (user: string, role: User["org_role"], back: User["org_role"]) => {
    await loci.teams.setRole(id, user, { role });
    team.reload();
    tell(t("edit.saved"), async () => { await loci.teams.setRole(id, user, { role: back }); team.reload(); });
  };
  const give = async (one: User, role: Role) => {
    if (!(await mayGive(role, { self: one.id === who.user_id, name: nameOf(one) }))) return;
    const back = one.team_role ?? "member";
    await attempt(() => proving("team.role", [one.id, role, back], () => setRole(one.id, role, back)));
    team.reload();
  };
  const erase = async (force: boolean) => {
    await loci.teams.delete(id, { force: force || undefined });
    await onChanged();
    go(addressOf("org/team"));
    tell(t("team.deleted")); // last, so that nobody who goes on at once is led back
  };
  useProved("team.role", async (_, [user = "", role = "member", back = "member"]) => setRole(user, role as User["org_role"], back as User["org_role"]));
  useProved("team.delete", async (_, [force = ""]) => { if (await ask("team.delete.ask", "team.delete")) await erase(force !== ""); });
  const ask = (text: "team.delete.ask" | "team.leave.ask", yes: "team.delete" | "team.leave") => confirm({ title: t(yes), text: t(text, { name: legible(team.value?.name ?? "") }), yes: t(yes), danger: true });
  const remove = async (one: User) => {
    if (!(await confirm({ title: t("members.remove"), text: t("team.remove.ask", { name: nameOf(one) }), yes: t("members.remove"), danger: true }))) return;
    await attempt(async () => { await loci.teams.remove(id, one.id); team.reload(); tell(t("members.removed", { name: nameOf(one) })); });
  };
  return (
    <Shown of={{ ...team, reload: () => { team.reload(); invites.reload(); } }}>
      {(one) => {
        const force = one.members.length > 1;
        return (
          <>
            <h2>{legible(one.name)}</h2>
            <div class="actions">
              <button type="button" class="button" onClick={() => setRenaming(true)}>{t("org.rename")}</button>
              {mine && <button type="button" class="button danger" onClick={async () => { if (await ask("team.leave.ask", "team.leave")) await attempt(async () => { await loci.teams.leave(id); tell(t("team.left")); await onChanged(); }); }}>{t("team.leave")}</button>}
              <button type="button" class="button danger" onClick={async () => { if (await ask("team.delete.ask", "team.delete")) await attempt(() => proving("team.delete", [force ? "force" : ""], () => erase(force))); }}>{t("team.delete")}</button>
            </div>
            <ul class="cards">
              {one.members.map((member) => (
                <li key={member.id} class="plain-member" {...cardAt(member.id)}>
                  <span>{nameOf(member)}{member.id === who.user_id && <> · {t("readers.you")}</>}</span>
                  <RoleField label={t("members.role", { name: nameOf(member) })} value={member.team_role ?? "member"}
                    onChange={(role) => void give(member, role)} />
                  {member.id !== who.user_id && <button type="button" class="button danger" onClick={() => void remove(member)}>{t("members.remove")}</button>}
                </li>
              ))}
            </ul>
            <Invites what="team.invite" invites={invites} onRevoke={(invite) => loci.teams.revokeInvite(id, invite)} onInvite={async (emails, role) => (await loci.teams.invite(id, { emails, role })).invites} />
            {renaming && <Rename what={one.name} onClose={() => setRenaming(false)} onSave={async (name) => { await loci.teams.rename(id, { name }); team.reload(); await onChanged(); tell(t("edit.saved"), async () => { await loci.teams.rename(id, { name: one.name }); team.reload(); }); }} />}
          </>
        );
      }}
    </Shown>
  );
}
