import type { MemoryNode } from "@loci-memory/sdk";
import { useEffect, useRef, useState } from "preact/hooks";
import { identity, loci } from "../../api.ts";
import { attempt, FormDialog, proving, useProved } from "../../form.tsx";
import { confirm } from "../../dialog.tsx";
import { useFilter } from "../../filter.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { beginning, legible } from "../../legible.ts";
import { List } from "../../list.tsx";
import { useChanges } from "../../live.ts";
import { useLoad } from "../../load.ts";
import { moves } from "../../move.ts";
import { addressOf, go, usePlace } from "../../router.ts";
import { Empty, Shown, Unread } from "../../states.tsx";
import { useStore } from "../../store.ts";
import { shortWhen, when } from "../../time.ts";
import { tell } from "../../undo.tsx";
import { tagsOf } from "../memories/tags.ts";
import { VendorsField } from "../memories/vendors.tsx";
import { readers } from "../memories/words.ts";
import { Items } from "./items.tsx";
import "../plain.css";
import "./nodes.css";

const at = (id: string, trash: boolean) => addressOf(id ? `nodes/${id}` : "nodes", trash ? { trash: "1" } : {});

/** Memory nodes: trees of memories, entities and texts that are read as a whole. */
export default function Nodes() {
  const place = usePlace();
  const open = place.path.split("/")[1] ?? "";
  const trash = place.query.has("trash");
  const nodes = useLoad(async (signal) => {
    const all: MemoryNode[] = [];
    for await (const one of loci.nodes.all({ trashed: trash || undefined, limit: 200 }, { signal })) if (all.push(one) >= 2000) break;
    return all;
  }, [trash]);
  const [turn, setTurn] = useState(0);
  const [adding, setAdding] = useState(false);
  const soon = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const fresh = () => {
    soon.current ??= setTimeout(() => {
      soon.current = undefined;
      nodes.reload();
      setTurn((n) => n + 1);
    }, 300);
  };
  useChanges("memory_node", fresh);
  const filter = useFilter(t("filter.nodes"));
  const rows = (nodes.value ?? []).filter((one) => filter.fits(one.name, one.description, one.origin, ...one.tags.map((tag) => `#${tag}`)));
  useProved("nodes.", goOn(nodes.reload));
  useKeys([
    ...(open ? [] : moves(rows, open, (id) => go(at(id, trash)))),
    filter.key,
    { key: "n", help: t("nodes.new"), run: () => setAdding(true) },
    { key: "Escape", help: t("keys.cancel"), run: () => go(at("", trash)) },
  ]);
  return (
    <div class={open ? "memories opened" : "memories"}>
      <section class="side" aria-label={t("nodes.title")}>
        <h1 class="hidden">{t("nodes.title")}</h1>
        <div class="bar">
          {trash && <h2>{t("trash")}</h2>}
          {!trash && <button type="button" class="button primary" onClick={() => setAdding(true)}>{t("new")}</button>}
          <a class="button" href={at("", !trash)}>{t(trash ? "nodes.all" : "trash")}</a>
          {nodes.value?.length !== 0 && filter.field(rows.length)}
        </div>
        <Shown of={nodes}>
          {(all) => rows.length > 0 ? (
            <List label={t("nodes.title")} items={rows} total={rows.length} height={76} current={open} more={false} onMore={() => {}} row={(row) => <NodeRow row={row} address={at(row.id, trash)} open={row.id === open} />} />
          ) : all.length > 0 ? filter.none() : trash ? <Empty title={t("trash.empty")} /> : (
            <Empty title={t("nodes.none")}><p>{t("nodes.none.text")}</p><button type="button" class="button primary" onClick={() => setAdding(true)}>{t("nodes.new")}</button></Empty>
          )}
        </Shown>
      </section>
      <section class="pane" aria-label={t("nodes.one")}>
        {open ? <NodePane key={open} id={open} turn={turn} onChanged={nodes.reload} onClose={() => go(at("", trash))} /> : <Empty title={t("nodes.choose.one")} />}
      </section>
      {adding && <NodeForm onClose={() => setAdding(false)} onSaved={(one) => { nodes.reload(); go(at(one.id, false)); }} />}
    </div>
  );
}

/** Goes on with what needed a proof. */
function goOn(reload: () => void): (what: string, values: readonly string[]) => Promise<void> {
  return async (what, [id = "", item = ""]) => {
    if (what === "nodes.item") {
      if (!(await confirm({ title: t("nodes.remove"), text: t("nodes.remove.again"), yes: t("nodes.remove"), danger: true }))) return;
      await loci.nodes.removeItem(id, item);
      tell(t("nodes.removed.one"));
    } else if (what === "nodes.restore") {
      await loci.nodes.restore(id);
      tell(t("nodes.restored"));
    } else {
      const node = await loci.nodes.get(id);
      await (what === "nodes.erase" ? erase(node, reload) : trashNode(node, reload));
    }
    reload();
  };
}

async function trashNode(node: MemoryNode, done: () => void): Promise<void> {
  if (!(await confirm({ title: t("trash.title"), text: t("nodes.trash.ask", { name: legible(node.name) }), yes: t("trash.yes"), danger: true }))) return;
  await proving("nodes.trash", [node.id], async () => {
    await loci.nodes.trash(node.id);
    tell(t("nodes.trashed", { name: legible(node.name) }), async () => { await loci.nodes.restore(node.id); done(); });
    done();
  });
}

async function erase(node: MemoryNode, done: () => void): Promise<void> {
  if (!(await confirm({ title: t("erase.title"), text: t("nodes.erase.ask", { name: legible(node.name) }), yes: t("erase.yes"), danger: true }))) return;
  await proving("nodes.erase", [node.id], async () => {
    await loci.nodes.trash(node.id, { permanent: true });
    tell(t("nodes.erased", { name: legible(node.name) }));
    done();
  });
}

function NodeRow({ row, address, open }: { row: MemoryNode; address: string; open: boolean }) {
  return (
    <div class="memory-row plain-row">
      <a href={address} data-id={row.id} aria-current={open ? "true" : undefined}>
        <span class="line"><strong>{legible(row.name)}</strong><time dateTime={row.updated_at} title={when(row.updated_at)}>{shortWhen(row.updated_at)}</time></span>
        <span class="line text">{beginning(row.description ?? "") || " "}</span>
        <span class="line meta"><span>{[row.origin, ...row.tags.slice(0, 4).map((tag) => `#${legible(tag)}`)].join("  ")}</span></span>
      </a>
    </div>
  );
}

function NodePane({ id, turn, onChanged, onClose }: { id: string; turn: number; onChanged: () => void; onClose: () => void }) {
  const who = useStore(identity);
  const node = useLoad((signal) => loci.nodes.get(id, { signal }), [id]);
  useEffect(() => { if (turn > 0) node.reload(); }, [turn]);
  const [editing, setEditing] = useState(false);
  const [packed, setPacked] = useState<string>();
  const now = node.value;
  const mine = now?.user_id === who?.user_id;
  const gone = Boolean(now?.deleted_at);
  const done = () => { onChanged(); onClose(); };
  const restore = () => now && attempt(() => proving("nodes.restore", [id], async () => {
    await loci.nodes.restore(id);
    tell(t("nodes.restored"));
    onChanged();
    go(at(id, false));
    node.reload();
  }));
  const share = () => now && attempt(async () => {
    const shared = !now.team_id;
    await loci.nodes.edit(id, { shared });
    node.reload();
    tell(t(shared ? "share.done" : "unshare.done"), async () => { await loci.nodes.edit(id, { shared: !shared }); node.reload(); });
  });
  useKeys([
    { key: "e", help: t("edit"), run: () => now && mine && !gone && setEditing(true) },
    { key: "x", help: t("keys.trash"), run: () => now && mine && void attempt(() => (gone ? erase(now, done) : trashNode(now, done))) },
    { key: "r", help: t("keys.restore"), run: () => gone && void restore() },
    { key: "p", help: t("nodes.pack"), run: () => void pack() },
  ]);
  const pack = () => attempt(async () => setPacked(packed === undefined ? await loci.nodes.pack(id, { format: "markdown" }) : undefined));
  return (
    <article class="reading" aria-label={t("nodes.one")}>
      <button type="button" class="button back" onClick={onClose}>← {t("reading.back")}</button>
      <Shown of={node}>
        {(one) => (
          <>
            <h2 tabIndex={-1}>{legible(one.name)}</h2>
            {gone && <p class="note">{t("note.trash", { time: when(one.deleted_at ?? "") })}</p>}
            {!mine && <p class="hint">{t("nodes.notMine")}</p>}
            {one.description && <p class="plain-text">{legible(one.description)}</p>}
            <p>{one.tags.map((tag) => <span key={tag} class="tag">#{legible(tag)}</span>)}</p>
            <div class="actions">
              {mine && !gone && <button type="button" class="button" onClick={() => setEditing(true)}>{t("edit")} <kbd>e</kbd></button>}
              {mine && !gone && who?.team_id && <button type="button" class="button" onClick={() => void share()}>{t(one.team_id ? "unshare" : "share")}</button>}
              {!gone && <button type="button" class="button" aria-expanded={packed !== undefined} onClick={() => void pack()}>{t("nodes.pack")} <kbd>p</kbd></button>}
              {mine && !gone && <button type="button" class="button danger" onClick={() => void attempt(() => trashNode(one, done))}>{t("trash.yes")} <kbd>x</kbd></button>}
              {mine && gone && <button type="button" class="button primary" onClick={() => void restore()}>{t("restore")} <kbd>r</kbd></button>}
              {mine && gone && <button type="button" class="button danger" onClick={() => void attempt(() => erase(one, done))}>{t("erase.yes")} <kbd>x</kbd></button>}
            </div>
            {packed !== undefined && <section aria-label={t("nodes.pack")}><h3>{t("nodes.pack.title")}</h3><div class="markdown"><pre><code>{legible(packed)}</code></pre></div></section>}
            {!gone && <Items node={one} turn={turn} readOnly={false} />}
            <dl class="node-facts">
              <div><dt>{t("facts.readers")}</dt><dd>{readers(one)}</dd></div>
              <div><dt>{t("facts.origin")}</dt><dd>{legible(one.origin)}</dd></div>
              <div><dt>{t("facts.updated")}</dt><dd><time dateTime={one.updated_at}>{when(one.updated_at)}</time></dd></div>
              <div><dt>{t("facts.id")}</dt><dd><code>{one.id}</code></dd></div>
            </dl>
            {editing && <NodeForm node={one} onClose={() => setEditing(false)} onSaved={() => { node.reload(); onChanged(); }} />}
          </>
        )}
      </Shown>
    </article>
  );
}

function NodeForm({ node, onClose, onSaved }: { node?: MemoryNode; onClose: () => void; onSaved: (node: MemoryNode) => void }) {
  const [name, setName] = useState(node?.name ?? "");
  const [description, setDescription] = useState(node?.description ?? "");
  const [tags, setTags] = useState(node?.tags.join(", ") ?? "");
  const [vendors, setVendors] = useState<string[]>(node ? [...node.allowed_vendors] : ["*"]);
  const [project, setProject] = useState("");
  const projects = useLoad((signal) => loci.projects.list({ limit: 500 }, { signal }), []);
  const save = async () => {
    const fields = { name, description, tags: tagsOf(tags), allowed_vendors: vendors };
    if (!node) {
      onSaved(await loci.nodes.create({ ...fields, description: description || undefined, ...(project && { scope: "project", project_id: project }) }));
      return tell(t("nodes.created", { name: legible(name) }));
    }
    const before = { name: node.name, description: node.description ?? null, tags: node.tags, allowed_vendors: node.allowed_vendors };
    onSaved(await loci.nodes.edit(node.id, { ...fields, description: description || null }));
    tell(t("edit.saved"), async () => onSaved(await loci.nodes.edit(node.id, before)));
  };
  return (
    <FormDialog title={t(node ? "nodes.edit" : "nodes.new")} onClose={onClose} onSave={save}>
      <label>{t("graph.name")}<input required autofocus value={name} onInput={(event) => setName(event.currentTarget.value)} /></label>
      <label>{t("projects.description")}<textarea rows={3} value={description} onInput={(event) => setDescription(event.currentTarget.value)} /></label>
      <label>{t("field.tags")}<input value={tags} placeholder={t("edit.tags.hint")} onInput={(event) => setTags(event.currentTarget.value)} /></label>
      {!node && <Unread of={[projects]} />}
      {!node && (projects.value?.projects.length ?? 0) > 0 && (
        <label>{t("nodes.share.project")}
          <select value={project} onChange={(event) => setProject(event.currentTarget.value)}>
            <option value="">{t("nodes.share.nobody")}</option>
            {projects.value?.projects.map((one) => <option key={one.id} value={one.id}>{legible(one.name)}</option>)}
          </select>
        </label>
      )}
      <VendorsField value={vendors} onChange={setVendors} />
    </FormDialog>
  );
}
