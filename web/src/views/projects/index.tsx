import type { Project, ProjectMember } from "@loci-memory/sdk";
import { useState } from "preact/hooks";
import { identity, isAdmin, loci } from "../../api.ts";
import { attempt, FormDialog, proving, useProved } from "../../form.tsx";
import { confirm } from "../../dialog.tsx";
import { useFilter } from "../../filter.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { beginning, legible } from "../../legible.ts";
import { List } from "../../list.tsx";
import { concerns, useChanges, useFollow } from "../../live.ts";
import { useLoad } from "../../load.ts";
import { nameOf } from "../../person.ts";
import { mayGive, RoleField, type Role } from "../../roles.tsx";
import { addressOf, go, usePlace } from "../../router.ts";
import { Empty, Shown, Unread } from "../../states.tsx";
import { useStore } from "../../store.ts";
import { when } from "../../time.ts";
import { tell } from "../../undo.tsx";
import { moves } from "../../move.ts";
import { peopleIn } from "./people.ts";
import "../plain.css";

const at = (id: string, status: string) => addressOf(id ? `projects/${id}` : "projects", status === "active" ? {} : { status });

/** The projects that the person belongs to: create, change, archive, delete, and who belongs to them. */
export default function Projects() {
  const place = usePlace();
  const open = place.path.split("/")[1] ?? "";
  const status = place.query.get("status") === "archived" ? "archived" : "active";
  const projects = useLoad(async (signal) => {
    const all: Project[] = [];
    for await (const one of loci.projects.all({ status, limit: 500 }, { signal })) all.push(one);
    return all;
  }, [status]);
  const [adding, setAdding] = useState(false);
  const filter = useFilter(t("filter.projects"));
  const rows = (projects.value ?? []).filter((one) => filter.fits(one.name, one.description, peopleIn(one)));
  useFollow("project", projects.reload);
  const move = moves(rows, open, (id) => go(at(id, status), { replace: open !== "" }));
  useProved("projects.delete", (_, [id = ""]) => erase(id, "", () => { projects.reload(); go(at("", status)); }));
  useKeys([
    ...move,
    filter.key,
    { key: "n", help: t("projects.new"), run: () => setAdding(true) },
    { key: "Escape", help: t("keys.cancel"), run: () => go(at("", status)) },
  ]);
  return (
    <div class={open ? "memories opened" : "memories"}>
      <section class="side" aria-label={t("projects.title")}>
        <h1 class="hidden">{t("projects.title")}</h1>
        <div class="bar">
          <button type="button" class="button primary" onClick={() => setAdding(true)}>{t("new")}</button>
          <a class="button" href={at("", status === "active" ? "archived" : "active")}>{t(status === "active" ? "projects.archived" : "projects.active")}</a>
          {projects.value?.length !== 0 && filter.field(rows.length)}
        </div>
        <Shown of={projects}>
          {(all) => rows.length > 0 ? (
            <List label={t("projects.title")} items={rows} total={rows.length} height={76} current={open} more={false} onMore={() => {}} row={(row) => <ProjectRow row={row} address={at(row.id, status)} open={row.id === open} />} />
          ) : all.length > 0 ? filter.none() : (
            <Empty title={t(status === "active" ? "projects.none" : "projects.none.archived")}>
              {status === "active" && <><p>{t("projects.none.text")}</p><button type="button" class="button primary" onClick={() => setAdding(true)}>{t("projects.new")}</button></>}
            </Empty>
          )}
        </Shown>
      </section>
      <section class="pane" aria-label={t("projects.one")}>
        {open ? <ProjectPane key={open} id={open} onChanged={projects.reload} onClose={() => go(at("", status))} onStatus={(next) => go(at(open, next))} /> : <Empty title={t("projects.choose")} />}
      </section>
      {adding && <ProjectForm onClose={() => setAdding(false)} onSaved={(one) => { projects.reload(); go(at(one.id, "active")); }} />}
    </div>
  );
}

function ProjectRow({ row, address, open }: { row: Project; address: string; open: boolean }) {
  return (
    <div class="memory-row plain-row">
      <a href={address} data-id={row.id} aria-current={open ? "true" : undefined}>
        <span class="line"><strong>{legible(row.name)}</strong></span>
        <span class="line text">{beginning(row.description) || " "}</span>
        <span class="line meta"><span>{peopleIn(row)}</span></span>
      </a>
    </div>
  );
}

/** Deletes a project for ever, after a question. */
async function erase(id: string, name: string, done: () => void): Promise<void> {
  const known = name || (await loci.projects.get(id)).name;
  const yes = await confirm({ title: t("projects.delete"), text: t("projects.delete.ask", { name: legible(known) }), yes: t("erase.yes"), danger: true });
  if (!yes) return;
  await proving("projects.delete", [id], async () => {
    await loci.projects.delete(id);
    tell(t("projects.deleted", { name: legible(known) }));
    done();
  });
}

function ProjectPane({ id, onChanged, onClose, onStatus }: { id: string; onChanged: () => void; onClose: () => void; onStatus: (status: string) => void }) {
  const project = useLoad((signal) => loci.projects.get(id, { signal }), [id]);
  useChanges("project", (changes) => concerns(changes, id) && project.reload());
  const [editing, setEditing] = useState(false);
  const now = project.value;
  const changed = () => { project.reload(); onChanged(); };
  const archive = async () => {
    if (!now || now.status !== "active") return;
    if (!(await confirm({ title: t("projects.archive"), text: t("projects.archive.ask", { name: legible(now.name) }), yes: t("projects.archive") }))) return;
    await attempt(async () => {
      await loci.projects.archive(id);
      changed();
      onStatus("archived");
      tell(t("projects.archive.done", { name: legible(now.name) }), async () => { await loci.projects.restore(id); changed(); onStatus("active"); });
    });
  };
  const restore = () => attempt(async () => {
    await loci.projects.restore(id);
    changed();
    onStatus("active");
    tell(t("projects.restored", { name: legible(now?.name ?? "") }), async () => { await loci.projects.archive(id); changed(); onStatus("archived"); });
  });
  useKeys([
    { key: "e", help: t("edit"), run: () => now && setEditing(true) },
    { key: "g", help: t("projects.graph"), run: () => now?.status === "active" && go(addressOf(`graph/${id}`)) },
    { key: "x", help: t("projects.archive"), run: () => void archive() },
    { key: "r", help: t("restore"), run: () => now?.status === "archived" && void restore() },
  ]);
  return (
    <article class="reading" aria-label={t("projects.one")}>
      <button type="button" class="button back" onClick={onClose}>← {t("reading.back")}</button>
      <Shown of={project}>
        {(one) => (
          <>
            <h2 tabIndex={-1}>{legible(one.name)}</h2>
            {one.status === "archived" && <p class="note">{t("projects.isArchived")}</p>}
            {one.description && <p class="plain-text">{legible(one.description)}</p>}
            <div class="actions">
              {one.status === "active" && <a class="button primary" href={addressOf(`graph/${one.id}`)}>{t("projects.graph")} <kbd>g</kbd></a>}
              <a class="button" href={addressOf("memories", { project: one.id })}>{t("memories.title")}</a>
              <button type="button" class="button" onClick={() => setEditing(true)}>{t("edit")} <kbd>e</kbd></button>
              {one.status === "active" ? <button type="button" class="button" onClick={() => void archive()}>{t("projects.archive")} <kbd>x</kbd></button> : <button type="button" class="button" onClick={() => void restore()}>{t("restore")} <kbd>r</kbd></button>}
              <button type="button" class="button danger" onClick={() => void attempt(() => erase(one.id, one.name, () => { onChanged(); onClose(); }))}>{t("erase.yes")}</button>
            </div>
            <dl>
              <div><dt>{t("projects.who")}</dt><dd>{peopleIn(one)}</dd></div>
              <div><dt>{t("facts.created")}</dt><dd><time dateTime={one.created_at}>{when(one.created_at)}</time></dd></div>
              <div><dt>{t("facts.updated")}</dt><dd><time dateTime={one.updated_at}>{when(one.updated_at)}</time></dd></div>
              <div><dt>{t("facts.id")}</dt><dd><code>{one.id}</code></dd></div>
            </dl>
            <Members project={one} />
            {editing && <ProjectForm project={one} onClose={() => setEditing(false)} onSaved={changed} />}
          </>
        )}
      </Shown>
    </article>
  );
}

function ProjectForm({ project, onClose, onSaved }: { project?: Project; onClose: () => void; onSaved: (project: Project) => void }) {
  const [name, setName] = useState(project?.name ?? "");
  const [description, setDescription] = useState(project?.description ?? "");
  const [everyone, setEveryone] = useState(project?.everyone ?? false);
  const save = async () => {
    if (!project) {
      onSaved(await loci.projects.create({ name, description: description || undefined, everyone }));
      return tell(t("projects.created", { name: legible(name) }));
    }
    const before = { name: project.name, description: project.description, everyone: project.everyone };
    const now = await loci.projects.edit(project.id, { name, description, everyone });
    onSaved(now);
    tell(t("edit.saved"), async () => onSaved(await loci.projects.edit(project.id, before)));
  };
  return (
    <FormDialog title={t(project ? "projects.edit" : "projects.new")} onClose={onClose} onSave={save}>
      <label>{t("graph.name")}<input required autofocus value={name} onInput={(event) => setName(event.currentTarget.value)} /></label>
      <label>{t("projects.description")}<textarea rows={3} value={description} onInput={(event) => setDescription(event.currentTarget.value)} /></label>
      <label class="check"><input type="checkbox" checked={everyone} onChange={(event) => setEveryone(event.currentTarget.checked)} /> {t("projects.everyone.field")}</label>
    </FormDialog>
  );
}

/** Who was added to the project, with their roles. */
function Members({ project }: { project: Project }) {
  const who = useStore(identity);
  const members = useLoad((signal) => loci.projects.listMembers(project.id, { signal }), [project.id]);
  useChanges("project", (changes) => concerns(changes, project.id) && members.reload());
  const [adding, setAdding] = useState(false);
  const name = (one: ProjectMember) => (one.user_id === who?.user_id ? t("readers.you") : nameOf({ id: one.user_id, email: one.email }));
  const setRole = (one: ProjectMember, role: ProjectMember["role"]) => attempt(async () => {
    await loci.projects.putMember(project.id, one.user_id, { role });
    members.reload();
    tell(t("members.role.done", { name: name(one), role: t(`role.${role}`) }), async () => {
      await loci.projects.putMember(project.id, one.user_id, { role: one.role });
      members.reload();
    });
  }).then((done) => done || members.reload());
  const give = async (one: ProjectMember, role: Role) => {
    if (await mayGive(role, { self: one.user_id === who?.user_id, name: name(one) })) await setRole(one, role);
  };
  const remove = async (one: ProjectMember) => {
    const self = one.user_id === who?.user_id;
    const text = t(self ? "members.leave.ask" : "members.remove.ask", { name: name(one), what: legible(project.name) });
    if (!(await confirm({ title: t("members.remove"), text, yes: t("members.remove"), danger: true }))) return;
    await attempt(async () => {
      await loci.projects.removeMember(project.id, one.user_id);
      members.reload();
      tell(t("members.removed", { name: name(one) }), self ? undefined : async () => {
        await loci.projects.putMember(project.id, one.user_id, { role: one.role });
        members.reload();
      });
    });
  };
  return (
    <section aria-label={t("members.title")}>
      <h3>{t("members.title")}</h3>
      {project.everyone && <p class="hint">{t("projects.members.everyone")}</p>}
      <Shown of={members}>
        {({ members: all }) => (
          <ul class="cards">
            {all.map((one) => (
              <li key={one.user_id} class="plain-member">
                <span>{name(one)}</span>
                <RoleField label={t("members.role", { name: name(one) })} value={one.role} onChange={(role) => void give(one, role)} />
                <button type="button" class="button danger" onClick={() => void remove(one)}>{t("members.remove")}</button>
              </li>
            ))}
          </ul>
        )}
      </Shown>
      <button type="button" class="button" onClick={() => setAdding(true)}>{t("members.add")}</button>
      {adding && <AddMember project={project} onClose={() => setAdding(false)} onSaved={members.reload} />}
    </section>
  );
}

/** Adds somebody of the org. Admins choose from its members, others give an id, because only admins may list them. */
function AddMember({ project, onClose, onSaved }: { project: Project; onClose: () => void; onSaved: () => void }) {
  const who = useStore(identity);
  const people = useLoad(async (signal) => {
    if (!isAdmin(who)) return [];
    return (await loci.orgs.listMembers(who.org_id, { limit: 500 }, { signal })).members;
  }, [who?.org_id]);
  const [user, setUser] = useState("");
  const [role, setRole] = useState<ProjectMember["role"]>("member");
  const save = async () => {
    await loci.projects.putMember(project.id, user.trim(), { role });
    onSaved();
    tell(t("members.added"), async () => { await loci.projects.removeMember(project.id, user.trim()); onSaved(); });
  };
  return (
    <FormDialog title={t("members.add")} onClose={onClose} onSave={save}>
      <Unread of={[people]} />
      {people.value && people.value.length > 0 ? (
        <label>
          {t("members.person")}
          <select required value={user} onChange={(event) => setUser(event.currentTarget.value)}>
            <option value="">{t("members.choose")}</option>
            {people.value.map((one) => <option key={one.id} value={one.id}>{nameOf(one)}</option>)}
          </select>
        </label>
      ) : (
        <label>{t("members.id")}<input required autofocus value={user} onInput={(event) => setUser(event.currentTarget.value)} /><span class="hint">{t("members.id.hint")}</span></label>
      )}
      <label>{t("members.role.field")}<RoleField label={t("members.role.field")} value={role} onChange={setRole} /></label>
    </FormDialog>
  );
}
