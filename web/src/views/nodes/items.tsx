import type { MemoryNode, NodeItem, PackedItem } from "@loci-memory/sdk";
import { useEffect, useState } from "preact/hooks";
import { loci, Plain } from "../../api.ts";
import { attempt, FormDialog, proving } from "../../form.tsx";
import { confirm } from "../../dialog.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { Finder, findEntities, findMemories, type Found } from "../../finder.tsx";
import { beginning, legible } from "../../legible.ts";
import { useLoad } from "../../load.ts";
import { addressOf } from "../../router.ts";
import { Empty, Shown, Unread } from "../../states.tsx";
import { tell } from "../../undo.tsx";
import { branches, dropped, moved, spotOf, type Spot } from "./tree.ts";

/** How many characters of the contents are read for the tree. */
const budget = 200_000;

/** The items of a node: a tree to read, order and change. */
export function Items({ node, turn, readOnly }: { node: MemoryNode; turn: number; readOnly: boolean }) {
  const read = useLoad(async (signal) => {
    const [{ items }, pack] = await Promise.all([loci.nodes.listItems(node.id, { signal }), loci.nodes.pack(node.id, { format: "json", budget }, { signal })]);
    return { items, packed: new Map(pack.items.map((one) => [one.id, one])) };
  }, [node.id]);
  const [current, setCurrent] = useState("");
  const [adding, setAdding] = useState<{ under: string }>();
  const [over, setOver] = useState<{ id: string; how: "before" | "into" | "after" }>();
  const [dragged, setDragged] = useState("");
  useEffect(() => { if (turn > 0) read.reload(); }, [turn]);
  const items = read.value?.items ?? [];
  const item = items.find(({ id }) => id === current);
  const name = (one: NodeItem) => nameOf(one, read.value?.packed.get(one.id));

  const put = (one: NodeItem, to: Spot | undefined) => {
    if (!to || readOnly) return;
    const from = spotOf(items, one);
    const go = async ({ parent, before }: Spot) => {
      await loci.nodes.moveItem(node.id, one.id, { parent_id: parent || null, before: before || undefined });
      read.reload();
    };
    void attempt(async () => {
      await go(to);
      tell(t("nodes.moved", { name: name(one) }), () => go(from));
      focus(one.id);
    });
  };
  const select = (by: number) => {
    const at = items.findIndex(({ id }) => id === current);
    const next = items[Math.max(0, Math.min(items.length - 1, at < 0 ? 0 : at + by))];
    if (!next) return;
    setCurrent(next.id);
    focus(next.id);
  };
  const remove = async (one: NodeItem) => {
    const text = one.kind === "text";
    const ask = { title: t("nodes.remove"), text: t(text ? "nodes.remove.text" : "nodes.remove.ask", { name: name(one) }), yes: t("nodes.remove"), danger: true };
    if (!(await confirm(ask))) return;
    const inner = items.some(({ parent_id }) => parent_id === one.id);
    const spot = spotOf(items, one);
    await attempt(() => proving("nodes.item", [node.id, one.id], async () => {
      await loci.nodes.removeItem(node.id, one.id);
      read.reload();
      // What was below it would not come back.
      tell(t("nodes.removed", { name: name(one) }), inner ? undefined : async () => {
        await add(node.id, one, spot);
        read.reload();
      });
    }));
  };
  useKeys([
    { key: "j", help: t("nodes.keys.next"), run: () => select(1) },
    { key: "k", help: t("nodes.keys.previous"), run: () => select(-1) },
    { key: "ArrowDown", help: "", run: () => select(1) },
    { key: "ArrowUp", help: "", run: () => select(-1) },
    { key: "K", help: t("nodes.keys.up"), run: () => item && put(item, moved(items, item, "up")) },
    { key: "J", help: t("nodes.keys.down"), run: () => item && put(item, moved(items, item, "down")) },
    { key: "L", help: t("nodes.keys.in"), run: () => item && put(item, moved(items, item, "in")) },
    { key: "H", help: t("nodes.keys.out"), run: () => item && put(item, moved(items, item, "out")) },
    { key: "a", help: t("nodes.add"), run: () => readOnly || setAdding({ under: item ? item.parent_id ?? "" : "" }) },
    { key: "A", help: t("nodes.add.below"), run: () => readOnly || (item && setAdding({ under: item.id })) },
    { key: "d", help: t("nodes.remove"), run: () => readOnly || (item && void remove(item)) },
  ]);
  return (
    <section aria-label={t("nodes.items")}>
      <h3>{t("nodes.items")}</h3>
      <Shown of={read}>
        {({ packed }) => items.length === 0 ? <Empty title={t("nodes.items.none")}><p>{t("nodes.items.none.text")}</p></Empty> : (
          <ul class="node-items" aria-label={t("nodes.items")}>
            {branches(items).map(({ item: one, depth }) => (
              <li
                key={one.id} data-item={one.id} draggable={!readOnly}
                class={`node-item depth-${Math.min(depth, 8)}${one.id === current ? " current" : ""}${over?.id === one.id ? ` drop-${over.how}` : ""}`}
                onDragStart={(event) => { setDragged(one.id); event.dataTransfer?.setData("text/plain", one.id); }}
                onDragEnd={() => { setDragged(""); setOver(undefined); }}
                onDragOver={(event) => {
                  const what = items.find(({ id }) => id === dragged);
                  const how = howOf(event);
                  if (!what || !dropped(items, what, one, how)) return setOver(undefined);
                  event.preventDefault();
                  if (over?.id !== one.id || over.how !== how) setOver({ id: one.id, how });
                }}
                onDrop={(event) => {
                  event.preventDefault();
                  const what = items.find(({ id }) => id === dragged);
                  if (what) put(what, dropped(items, what, one, howOf(event)));
                  setOver(undefined);
                }}
              >
                <button type="button" class="node-handle" aria-current={one.id === current ? "true" : undefined} onClick={() => setCurrent(one.id === current ? "" : one.id)}>
                  <span class="tag">{t(`nodes.kind.${one.kind}`)}</span> <span class="hidden">{t("nodes.level", { n: depth })} </span>{name(one)}
                </button>
                {one.id === current && (
                  <div class="node-open">
                    {packed.get(one.id)?.content && <p class="plain-text">{beginning(packed.get(one.id)!.content, 600)}</p>}
                    <p class="hint">{legible(one.origin)}</p>
                    <div class="actions">
                      {one.memory_id && <a class="button" href={addressOf(`memories/${one.memory_id}`)}>{t("nodes.open.memory")}</a>}
                      {one.entity_id && one.project_id && <a class="button" href={addressOf(`graph/${one.project_id}/${one.entity_id}`)}>{t("nodes.open.entity")}</a>}
                      {!readOnly && (["up", "down", "in", "out"] as const).map((way) => (
                        <button key={way} type="button" class="button" disabled={!moved(items, one, way)} onClick={() => put(one, moved(items, one, way))}>{t(`nodes.move.${way}`)}</button>
                      ))}
                      {!readOnly && <button type="button" class="button" onClick={() => setAdding({ under: one.id })}>{t("nodes.add.below")}</button>}
                      {!readOnly && <button type="button" class="button danger" onClick={() => void remove(one)}>{t("nodes.remove")}</button>}
                    </div>
                  </div>
                )}
              </li>
            ))}
          </ul>
        )}
      </Shown>
      {!readOnly && <button type="button" class="button" onClick={() => setAdding({ under: "" })}>{t("nodes.add")}</button>}
      {adding && <AddItem node={node} under={adding.under} onClose={() => setAdding(undefined)} onSaved={(one) => { read.reload(); setCurrent(one.id); }} />}
    </section>
  );
}

function focus(id: string): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-item="${CSS.escape(id)}"] .node-handle`)?.focus());
}

/** Where in a row the pointer is. */
function howOf(event: DragEvent & { currentTarget: EventTarget | null }): "before" | "into" | "after" {
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
  const part = (event.clientY - box.top) / Math.max(1, box.height);
  return part < 0.3 ? "before" : part > 0.7 ? "after" : "into";
}

function nameOf(item: NodeItem, packed: PackedItem | undefined): string {
  return beginning(packed?.title || item.text || packed?.content || t("nodes.unread"), 120);
}

/** Adds what a removed item was, at its place. */
async function add(node: string, { kind, text, memory_id, entity_id, project_id, allowed_vendors }: NodeItem, { parent, before }: Spot): Promise<NodeItem> {
  const where = { allowed_vendors, parent_id: parent || undefined, before: before || undefined };
  if (kind === "memory") return loci.nodes.addItem(node, { ...where, kind, memory_id: memory_id ?? "" });
  if (kind === "entity") return loci.nodes.addItem(node, { ...where, kind, project_id: project_id ?? "", entity_id: entity_id ?? "" });
  return loci.nodes.addItem(node, { ...where, kind, text: text ?? "" });
}

function AddItem({ node, under, onClose, onSaved }: { node: MemoryNode; under: string; onClose: () => void; onSaved: (item: NodeItem) => void }) {
  const [kind, setKind] = useState<NodeItem["kind"]>("memory");
  const [text, setText] = useState("");
  const [project, setProject] = useState("");
  const [chosen, setChosen] = useState<Found>();
  const projects = useLoad((signal) => loci.projects.list({ limit: 500 }, { signal }), []);
  const where = { parent_id: under || undefined };
  const save = async () => {
    if (kind !== "text" && !chosen) throw new Plain(t("nodes.choose"));
    const id = chosen?.id ?? "";
    const made =
      kind === "text" ? await loci.nodes.addItem(node.id, { ...where, kind, text })
      : kind === "memory" ? await loci.nodes.addItem(node.id, { ...where, kind, memory_id: id })
      : await loci.nodes.addItem(node.id, { ...where, kind, project_id: project, entity_id: id });
    onSaved(made);
    // A text is deleted for ever, so that taking it back could need a proof.
    tell(t("nodes.added"), kind === "text" ? undefined : async () => { await loci.nodes.removeItem(node.id, made.id); onSaved(made); });
  };
  return (
    <FormDialog title={t(under ? "nodes.add.below" : "nodes.add")} onClose={onClose} onSave={save}>
      <label>{t("nodes.kind")}
        <select value={kind} onChange={(event) => { setKind(event.currentTarget.value as NodeItem["kind"]); setChosen(undefined); }}>
          {(["memory", "text", "entity"] as const).map((one) => <option key={one} value={one}>{t(`nodes.kind.${one}`)}</option>)}
        </select>
      </label>
      {kind === "text" && <label>{t("nodes.kind.text")}<textarea required rows={5} value={text} onInput={(event) => setText(event.currentTarget.value)} /></label>}
      {kind === "entity" && <Unread of={[projects]} />}
      {kind === "entity" && (
        <label>{t("filters.project")}
          <select required value={project} onChange={(event) => { setProject(event.currentTarget.value); setChosen(undefined); }}>
            <option value="">{t("nodes.project")}</option>
            {projects.value?.projects.map(({ id, name }) => <option key={id} value={id}>{legible(name)}</option>)}
          </select>
        </label>
      )}
      {(kind === "memory" || (kind === "entity" && project)) && <Finder key={kind + project} chosen={chosen} onChoose={setChosen} find={(q, signal) => (kind === "memory" ? findMemories(q, signal) : findEntities(project, q, signal))} />}
    </FormDialog>
  );
}
