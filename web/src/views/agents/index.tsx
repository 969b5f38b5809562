import type { Agent } from "@loci-memory/sdk";
import { useState } from "preact/hooks";
import { identity, loci, Plain } from "../../api.ts";
import { attempt, FormDialog, proving, useProved } from "../../form.tsx";
import { confirm } from "../../dialog.tsx";
import { useFilter } from "../../filter.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { beginning, legible } from "../../legible.ts";
import { List } from "../../list.tsx";
import { concerns, useChanges, useFollow } from "../../live.ts";
import { useLoad } from "../../load.ts";
import { moves } from "../../move.ts";
import { addressOf, go, usePlace } from "../../router.ts";
import { Empty, Shown } from "../../states.tsx";
import { useStore } from "../../store.ts";
import { shortWhen, when } from "../../time.ts";
import { tell } from "../../undo.tsx";
import { offered } from "../memories/vendors.tsx";
import "../plain.css";

const at = (id: string) => addressOf(id ? `agents/${id}` : "agents");

/** The agents of the org: what works in its name, for whom, and since when. */
export default function Agents() {
  const open = usePlace().path.split("/")[1] ?? "";
  const agents = useLoad(async (signal) => {
    const all: Agent[] = [];
    for await (const one of loci.agents.all({ limit: 200 }, { signal })) all.push(one);
    return all;
  }, []);
  const [adding, setAdding] = useState(false);
  const filter = useFilter(t("filter.agents"));
  const rows = (agents.value ?? []).filter((one) => filter.fits(one.name, one.description, one.vendor));
  useFollow("agent", agents.reload);
  useProved("agents.delete", (_, [id = ""]) => erase(id, "", () => { agents.reload(); go(at("")); }));
  useKeys([
    ...moves(rows, open, (id) => go(at(id), { replace: open !== "" })),
    filter.key,
    { key: "n", help: t("agents.new"), run: () => setAdding(true) },
    { key: "Escape", help: t("keys.cancel"), run: () => go(at("")) },
  ]);
  return (
    <div class={open ? "memories opened" : "memories"}>
      <section class="side" aria-label={t("agents.title")}>
        <h1 class="hidden">{t("agents.title")}</h1>
        <div class="bar">
          <button type="button" class="button primary" onClick={() => setAdding(true)}>{t("new")}</button>
          {agents.value?.length !== 0 && filter.field(rows.length)}
        </div>
        <Shown of={agents}>
          {(all) => rows.length > 0 ? (
            <List label={t("agents.title")} items={rows} total={rows.length} height={76} current={open} more={false} onMore={() => {}} row={(row) => <AgentRow row={row} open={row.id === open} />} />
          ) : all.length > 0 ? filter.none() : (
            <Empty title={t("agents.none")}><p>{t("agents.none.text")}</p><button type="button" class="button primary" onClick={() => setAdding(true)}>{t("agents.new")}</button></Empty>
          )}
        </Shown>
      </section>
      <section class="pane" aria-label={t("agents.one")}>
        {open ? <AgentPane key={open} id={open} onChanged={agents.reload} onClose={() => go(at(""))} /> : <Empty title={t("agents.choose")} />}
      </section>
      {adding && <AgentForm onClose={() => setAdding(false)} onSaved={(one) => { agents.reload(); go(at(one.id)); }} />}
    </div>
  );
}

function AgentRow({ row, open }: { row: Agent; open: boolean }) {
  return (
    <div class="memory-row plain-row">
      <a href={at(row.id)} data-id={row.id} aria-current={open ? "true" : undefined}>
        <span class="line"><strong>{legible(row.name)}</strong>{row.last_active_at && <time dateTime={row.last_active_at} title={when(row.last_active_at)}>{shortWhen(row.last_active_at)}</time>}</span>
        <span class="line text">{beginning(row.description ?? "") || " "}</span>
        <span class="line meta"><span>{legible(row.vendor)}</span></span>
      </a>
    </div>
  );
}

async function erase(id: string, name: string, done: () => void): Promise<void> {
  const known = legible(name || (await loci.agents.get(id)).name);
  if (!(await confirm({ title: t("agents.delete"), text: t("agents.delete.ask", { name: known }), yes: t("erase.yes"), danger: true }))) return;
  await proving("agents.delete", [id], async () => {
    await loci.agents.delete(id);
    tell(t("agents.deleted", { name: known }));
    done();
  });
}

function AgentPane({ id, onChanged, onClose }: { id: string; onChanged: () => void; onClose: () => void }) {
  const who = useStore(identity);
  const agent = useLoad((signal) => loci.agents.get(id, { signal }), [id]);
  const stats = useLoad((signal) => loci.agents.stats(id, { signal }), [id]);
  useChanges("agent", (changes) => concerns(changes, id) && agent.reload());
  useFollow("session", stats.reload);
  const [editing, setEditing] = useState(false);
  const now = agent.value;
  const remove = () => void (now && attempt(() => erase(id, now.name, () => { onChanged(); onClose(); })));
  useKeys([
    { key: "e", help: t("edit"), run: () => now && setEditing(true) },
    { key: "x", help: t("erase.yes"), run: remove },
  ]);
  return (
    <article class="reading" aria-label={t("agents.one")}>
      <button type="button" class="button back" onClick={onClose}>← {t("reading.back")}</button>
      <Shown of={agent}>
        {(one) => (
          <>
            <h2 tabIndex={-1}>{legible(one.name)}</h2>
            {one.description && <p class="plain-text">{legible(one.description)}</p>}
            <div class="actions">
              <button type="button" class="button" onClick={() => setEditing(true)}>{t("edit")} <kbd>e</kbd></button>
              <a class="button" href="/app/keys">{t("apiKeys.title")}</a>
              <button type="button" class="button danger" onClick={remove}>{t("erase.yes")} <kbd>x</kbd></button>
            </div>
            <dl>
              <div><dt>{t("agents.vendor")}</dt><dd>{legible(one.vendor)}</dd></div>
              <div><dt>{t("agents.owner")}</dt><dd>{one.user_id === who?.user_id ? t("readers.you") : one.user_id ? t("facts.otherOwner") : t("agents.gone")}</dd></div>
              <div><dt>{t("agents.active")}</dt><dd>{one.last_active_at ? <time dateTime={one.last_active_at}>{when(one.last_active_at)}</time> : t("agents.never")}</dd></div>
              <div><dt>{t("facts.created")}</dt><dd><time dateTime={one.created_at}>{when(one.created_at)}</time></dd></div>
              {stats.value && <div><dt>{t("agents.sessions")}</dt><dd>{t("agents.sessions.text", { n: stats.value.sessions, active: stats.value.active_sessions })}</dd></div>}
              {stats.value?.events !== undefined && <div><dt>{t("agents.events")}</dt><dd>{t(stats.value.events_more ? "agents.events.more" : "agents.events.n", { n: stats.value.events })}</dd></div>}
              <div><dt>{t("facts.id")}</dt><dd><code>{one.id}</code></dd></div>
            </dl>
            {one.config && <section aria-label={t("agents.config")}><h3>{t("agents.config")}</h3><div class="markdown"><pre><code>{legible(JSON.stringify(one.config, null, 2))}</code></pre></div></section>}
            {editing && <AgentForm agent={one} onClose={() => setEditing(false)} onSaved={() => { agent.reload(); onChanged(); }} />}
          </>
        )}
      </Shown>
    </article>
  );
}

function AgentForm({ agent, onClose, onSaved }: { agent?: Agent; onClose: () => void; onSaved: (agent: Agent) => void }) {
  const before = agent?.config ? JSON.stringify(agent.config, null, 2) : "";
  const [name, setName] = useState(agent?.name ?? "");
  const [vendor, setVendor] = useState(agent?.vendor ?? "");
  const [description, setDescription] = useState(agent?.description ?? "");
  const [config, setConfig] = useState(before);
  const save = async () => {
    const value = configOf(config);
    if (!agent) {
      onSaved(await loci.agents.create({ name, vendor: vendor || undefined, description: description || undefined, config: value ?? undefined }));
      return tell(t("agents.created", { name: legible(name) }));
    }
    const old = { name: agent.name, description: agent.description ?? "", ...(config !== before && { config: agent.config ?? null }) };
    onSaved(await loci.agents.update(agent.id, { name, description, ...(config !== before && { config: value }) }));
    tell(t("edit.saved"), async () => onSaved(await loci.agents.update(agent.id, old)));
  };
  return (
    <FormDialog title={t(agent ? "agents.edit" : "agents.new")} onClose={onClose} onSave={save}>
      <label>{t("graph.name")}<input required autofocus value={name} onInput={(event) => setName(event.currentTarget.value)} /></label>
      {!agent && <label>{t("agents.vendor")}<input required list="agent-vendors" value={vendor} onInput={(event) => setVendor(event.currentTarget.value)} /></label>}
      {!agent && <datalist id="agent-vendors">{offered.map((one) => <option key={one} value={one} />)}</datalist>}
      <label>{t("projects.description")}<textarea rows={3} value={description} onInput={(event) => setDescription(event.currentTarget.value)} /></label>
      <label>{t("agents.config.json")}<textarea rows={4} spellcheck={false} value={config} onInput={(event) => setConfig(event.currentTarget.value)} /></label>
    </FormDialog>
  );
}

/** Reads a config that a person typed; null: none. */
function configOf(text: string): Record<string, unknown> | null {
  if (text.trim() === "") return null;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // What follows tells it.
  }
  throw new Plain(t("agents.config.bad"));
}
