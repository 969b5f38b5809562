import type { Entity, Observation, Relation } from "@loci-memory/sdk";
import { useEffect, useRef, useState } from "preact/hooks";
import { identity, loci, Plain } from "../../api.ts";
import { attempt, FormDialog } from "../../form.tsx";
import { confirm } from "../../dialog.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { legible } from "../../legible.ts";
import { useLoad } from "../../load.ts";
import { Shown } from "../../states.tsx";
import { useStore } from "../../store.ts";
import { when } from "../../time.ts";
import { vendors } from "../memories/words.ts";
import { forget, merge, observe, relate, rename, rewrite, setReaders, trashEntity, unrelate, type Place } from "./acts.ts";
import type { Look } from "./look.ts";
import { tiesBetween } from "./model.ts";
import { Picker } from "./picker.tsx";
import { VendorsField } from "../memories/vendors.tsx";

interface Props {
  at: Place;
  open: string;
  look: Look;
  /** Changes when the graph changed: then the entity is read again. */
  turn: number;
  path: readonly string[];
  addressOf: (id: string) => string;
  onOpen: (id: string) => void;
  onLook: (look: Look) => void;
}

type Window = "observe" | "relate" | "merge" | "rename" | "readers" | "path";

/** The open entity: what is known of it, and what can be done with it. */
export function EntityPane({ at, open, look, turn, path, addressOf, onOpen, onLook }: Props) {
  const entity = useLoad((signal) => loci.graph.getEntity(at.id, open, { signal }), [at.id, open]);
  const [win, setWin] = useState<Window>();
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => { if (turn > 0) entity.reload(); }, [turn]);
  const now = entity.value;
  const trash = async () => { if (now && (await trashEntity(at, now))) onOpen(""); };
  useKeys([
    { key: "e", help: t("graph.observe"), run: () => setWin("observe") },
    { key: "r", help: t("graph.relate"), run: () => setWin("relate") },
    { key: "m", help: t("graph.merge"), run: () => setWin("merge") },
    { key: "p", help: t("graph.path"), run: () => setWin("path") },
    { key: "c", help: t("graph.rename"), run: () => setWin("rename") },
    { key: "x", help: t("trash.yes"), run: () => void trash() },
  ]);
  return (
    <article class="reading graph-entity" aria-label={t("graph.entity")}>
      <button type="button" class="button back" onClick={() => onOpen("")}>← {t("reading.back")}</button>
      <Shown of={entity}>
        {(one) => (
          <>
            <h2 ref={head} tabIndex={-1}>{legible(one.name)}</h2>
            <p class="summary"><span class="tag">{legible(one.entity_type)}</span> {t("graph.counts", { observations: one.observations.length + (one.observations_left ?? 0), relations: one.relations.length + (one.relations_left ?? 0) })}</p>
            <div class="actions">
              <button type="button" class="button" onClick={() => setWin("observe")}>{t("graph.observe")} <kbd>e</kbd></button>
              <button type="button" class="button" onClick={() => setWin("relate")}>{t("graph.relate")} <kbd>r</kbd></button>
              <button type="button" class="button" onClick={() => setWin("path")}>{t("graph.path")} <kbd>p</kbd></button>
              <button type="button" class="button" onClick={() => setWin("merge")}>{t("graph.merge")} <kbd>m</kbd></button>
              <button type="button" class="button" onClick={() => setWin("rename")}>{t("graph.rename")} <kbd>c</kbd></button>
              <button type="button" class="button" onClick={() => setWin("readers")}>{t("graph.readers")}</button>
              <button type="button" class="button danger" onClick={() => void trash()}>{t("trash.yes")} <kbd>x</kbd></button>
            </div>
            <Near look={look} onLook={onLook} />
            {look.to && <PathFound at={at} path={path} to={look.to} addressOf={addressOf} onEnd={() => onLook({ ...look, to: "" })} />}
            <Observations at={at} of={one} />
            <Relations at={at} of={one} addressOf={addressOf} />
            <Facts of={one} />
            <EntityHistory project={at.id} id={one.id} turn={turn} />
            {win && <Windows win={win} at={at} of={one} onClose={() => setWin(undefined)} onOpen={onOpen} onPath={(to) => onLook({ ...look, to, near: 0 })} />}
          </>
        )}
      </Shown>
    </article>
  );
}

/** Shows only what is within some steps of the entity. */
function Near({ look, onLook }: { look: Look; onLook: (look: Look) => void }) {
  return (
    <fieldset class="graph-near">
      <legend>{t("graph.near")}</legend>
      {[0, 1, 2, 3].map((n) => (
        <button key={n} type="button" class="chip" aria-pressed={look.near === n} onClick={() => onLook({ ...look, near: n, to: "" })}>
          {n === 0 ? t("graph.near.all") : t("graph.near.steps", { n })}
        </button>
      ))}
    </fieldset>
  );
}

/** The path that was asked for, step by step. */
function PathFound({ at: { graph }, path, to, addressOf, onEnd }: { at: Place; path: readonly string[]; to: string; addressOf: (id: string) => string; onEnd: () => void }) {
  const name = (id: string) => (graph.hasNode(id) ? legible(graph.getNodeAttribute(id, "label")) : "–");
  return (
    <section aria-label={t("graph.path.title")} class="graph-path">
      <h3>{t("graph.path.title")}</h3>
      {path.length === 0 ? <p class="note">{t("graph.path.none", { to: name(to) })}</p> : (
        <>
          <p class="hint" role="status">{t("graph.path.found", { n: path.length - 1 })}</p>
          <ol class="cards">
            {path.map((id, i) => {
              const before = path[i - 1];
              return (
                <li key={id}>
                  {before !== undefined && <span class="hint">{tiesBetween(graph, before, id).map(({ kind, forward }) => (forward ? `→ ${legible(kind)} →` : `← ${legible(kind)} ←`)).join(", ")} </span>}
                  <a href={addressOf(id)}>{name(id)}</a>
                </li>
              );
            })}
          </ol>
        </>
      )}
      <button type="button" class="button" onClick={onEnd}>{t("graph.path.end")}</button>
    </section>
  );
}

function Observations({ at, of }: { at: Place; of: Entity }) {
  const [editing, setEditing] = useState<Observation>();
  const all = [...of.observations].reverse();
  return (
    <section aria-label={t("graph.observations")}>
      <h3>{t("graph.observations")}</h3>
      {all.length === 0 && <p class="hint">{t("graph.observations.none")}</p>}
      <ul class="cards">
        {all.map((one) => (
          <li key={one.id}>
            <p class="graph-text">{legible(one.content)}</p>
            <p class="hint">{legible(one.origin)} · <time dateTime={one.created_at}>{when(one.created_at)}</time>{one.allowed_vendors.includes("*") ? "" : ` · ${vendors(one.allowed_vendors)}`}</p>
            <button type="button" class="plain" onClick={() => setEditing(one)}>{t("edit")}</button>{" "}
            <button type="button" class="plain" onClick={() => void forget(at, of, one)}>{t("trash.yes")}</button>
          </li>
        ))}
      </ul>
      {of.observations_left ? <p class="hint">{t("graph.older", { n: of.observations_left })}</p> : null}
      {editing && <ObservationForm title={t("graph.observation.edit")} text={editing.content} onClose={() => setEditing(undefined)} onSave={(text) => rewrite(at, of, editing, text)} />}
    </section>
  );
}

function Relations({ at, of, addressOf }: { at: Place; of: Entity; addressOf: (id: string) => string }) {
  const line = (one: Relation) => {
    const out = one.from_entity === of.id;
    const other = out ? { id: one.to_entity, name: one.to } : { id: one.from_entity, name: one.from };
    return (
      <li key={one.id}>
        <span class="hint">{out ? "→" : "←"} {legible(one.relation_type)}</span> <a href={addressOf(other.id)}>{legible(other.name)}</a>{" "}
        <button type="button" class="plain graph-drop" aria-label={t("graph.relation.drop", { kind: legible(one.relation_type), name: legible(other.name) })} onClick={() => void unrelate(at, one)}>×</button>
      </li>
    );
  };
  const all = [...of.relations].sort((a, b) => Number(b.from_entity === of.id) - Number(a.from_entity === of.id) || a.relation_type.localeCompare(b.relation_type));
  const [most, setMost] = useState(50);
  return (
    <section aria-label={t("graph.relations")}>
      <h3>{t("graph.relations")}</h3>
      {all.length === 0 && <p class="hint">{t("graph.relations.none")}</p>}
      <ul class="cards graph-relations">{all.slice(0, most).map(line)}</ul>
      {all.length > most && <button type="button" class="button" onClick={() => setMost(most + 200)}>{t("graph.more", { n: all.length - most })}</button>}
      {of.relations_left ? <p class="hint">{t("graph.older", { n: of.relations_left })}</p> : null}
    </section>
  );
}

function Facts({ of }: { of: Entity }) {
  const who = useStore(identity);
  return (
    <dl>
      <div><dt>{t("facts.readers")}</dt><dd>{vendors(of.allowed_vendors)}</dd></div>
      <div><dt>{t("facts.origin")}</dt><dd>{legible(of.origin)}{of.user_id !== who?.user_id ? ` · ${t("facts.otherOwner")}` : ""}</dd></div>
      <div><dt>{t("facts.created")}</dt><dd><time dateTime={of.created_at}>{when(of.created_at)}</time></dd></div>
      <div><dt>{t("facts.updated")}</dt><dd><time dateTime={of.updated_at}>{when(of.updated_at)}</time></dd></div>
      <div><dt>{t("facts.id")}</dt><dd><code>{of.id}</code></dd></div>
    </dl>
  );
}

function EntityHistory({ project, id, turn }: { project: string; id: string; turn: number }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="versions" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary><h3>{t("graph.history")}</h3></summary>
      {open && <Changes key={turn} project={project} id={id} />}
    </details>
  );
}

function Changes({ project, id }: { project: string; id: string }) {
  const read = useLoad((signal) => loci.graph.getEntityHistory(project, id, { limit: 200 }, { signal }), [project, id]);
  return (
    <Shown of={read}>
      {({ changes, has_more }) => (
        <>
          <ol class="cards">
            {changes.map((one, i) => (
              <li key={i}>
                {t(`graph.change.${one.change}`)}: {t(`graph.kind.${one.kind}`)} “{legible(one.text.slice(0, 200))}”
                <p class="hint">{legible(one.origin)} · <time dateTime={one.at}>{when(one.at)}</time></p>
              </li>
            ))}
          </ol>
          {has_more && <p class="hint">{t("graph.history.more")}</p>}
        </>
      )}
    </Shown>
  );
}

function Windows({ win, at, of, onClose, onOpen, onPath }: { win: Window; at: Place; of: Entity; onClose: () => void; onOpen: (id: string) => void; onPath: (to: string) => void }) {
  switch (win) {
    case "observe":
      return <ObservationForm title={t("graph.observe")} text="" onClose={onClose} onSave={(text) => observe(at, of, text)} />;
    case "relate":
      return <RelationForm at={at} of={of} onClose={onClose} />;
    case "merge":
      return <MergeForm at={at} of={of} onClose={onClose} onOpen={onOpen} />;
    case "rename":
      return <RenameForm at={at} of={of} onClose={onClose} onOpen={onOpen} />;
    case "readers":
      return <ReadersForm at={at} of={of} onClose={onClose} />;
    case "path":
      return <PathForm at={at} of={of} onClose={onClose} onPath={onPath} />;
  }
}

function ObservationForm({ title, text: before, onClose, onSave }: { title: string; text: string; onClose: () => void; onSave: (text: string) => Promise<void> }) {
  const [text, setText] = useState(before);
  return (
    <FormDialog title={title} onClose={onClose} onSave={() => onSave(text)}>
      <label>{t("graph.observation")}<textarea required autofocus rows={5} value={text} onInput={(event) => setText(event.currentTarget.value)} /></label>
    </FormDialog>
  );
}

function RelationForm({ at, of, onClose }: { at: Place; of: Entity; onClose: () => void }) {
  const [kind, setKind] = useState("");
  const [to, setTo] = useState("");
  const [back, setBack] = useState(false);
  const save = async () => {
    if (!to) throw new Plain(t("graph.pick.hint"));
    await (back ? relate(at, to, kind, of.id) : relate(at, of.id, kind, to));
  };
  return (
    <FormDialog title={t("graph.relate")} onClose={onClose} onSave={save}>
      <label>{t("graph.relation.kind")}<input required autofocus value={kind} placeholder="depends_on" onInput={(event) => setKind(event.currentTarget.value)} /></label>
      <Picker graph={at.graph} label={t("graph.other")} value={to} onChange={setTo} />
      <label class="check"><input type="checkbox" checked={back} onChange={(event) => setBack(event.currentTarget.checked)} /> {t("graph.relation.back", { name: legible(of.name) })}</label>
    </FormDialog>
  );
}

function MergeForm({ at, of, onClose, onOpen }: { at: Place; of: Entity; onClose: () => void; onOpen: (id: string) => void }) {
  const [into, setInto] = useState("");
  const save = async () => {
    if (!into) throw new Plain(t("graph.pick.hint"));
    await merge(at, of, into);
    onOpen(into);
  };
  return (
    <FormDialog title={t("graph.merge.title", { name: legible(of.name) })} yes={t("graph.merge")} danger onClose={onClose} onSave={save}>
      <p>{t("graph.merge.text", { name: legible(of.name) })}</p>
      <Picker graph={at.graph} label={t("graph.merge.into")} value={into} without={of.id} onChange={setInto} />
    </FormDialog>
  );
}

function RenameForm({ at, of, onClose, onOpen }: { at: Place; of: Entity; onClose: () => void; onOpen: (id: string) => void }) {
  const [name, setName] = useState(of.name);
  const [kind, setKind] = useState(of.entity_type);
  return (
    <FormDialog title={t("graph.rename")} onClose={onClose} onSave={async () => onOpen(await rename(at, of, name, kind))}>
      <p class="hint">{t("graph.rename.text")}</p>
      <label>{t("graph.name")}<input required autofocus value={name} onInput={(event) => setName(event.currentTarget.value)} /></label>
      <label>{t("graph.type")}<input required value={kind} onInput={(event) => setKind(event.currentTarget.value)} /></label>
    </FormDialog>
  );
}

function ReadersForm({ at, of, onClose }: { at: Place; of: Entity; onClose: () => void }) {
  const [value, setValue] = useState<string[]>([...of.allowed_vendors]);
  return (
    <FormDialog title={t("graph.readers")} onClose={onClose} onSave={() => setReaders(at, of, value)}>
      <p class="hint">{t("graph.readers.text")}</p>
      <VendorsField value={value} onChange={setValue} />
    </FormDialog>
  );
}

function PathForm({ at, of, onClose, onPath }: { at: Place; of: Entity; onClose: () => void; onPath: (to: string) => void }) {
  const [to, setTo] = useState("");
  const save = async () => {
    if (!to) throw new Plain(t("graph.pick.hint"));
    onPath(to);
  };
  return (
    <FormDialog title={t("graph.path.from", { name: legible(of.name) })} yes={t("graph.path.show")} onClose={onClose} onSave={save}>
      <Picker graph={at.graph} label={t("graph.path.to")} value={to} without={of.id} onChange={setTo} />
    </FormDialog>
  );
}

/** Restores what is in the trash of the graph. */
export async function restoreFromTrash(at: Place, ids: { entities?: string[]; observations?: string[]; relations?: string[] }, name: string): Promise<boolean> {
  if (!(await confirm({ title: t("restore"), text: t("graph.restore.ask", { name }), yes: t("restore") }))) return false;
  return attempt(() => loci.graph.restoreEntities(at.id, ids));
}
