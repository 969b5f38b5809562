import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";
import { loci } from "../../api.ts";
import { FormDialog } from "../../form.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { legible } from "../../legible.ts";
import { focusRow, List } from "../../list.tsx";
import { concerns, useChanges } from "../../live.ts";
import { useLoad, type Loaded } from "../../load.ts";
import { number } from "../../numbers.ts";
import { addressOf, go, usePlace } from "../../router.ts";
import { Empty, Failed, Loading, Shown, Unread } from "../../states.tsx";
import { kept, keep } from "../../store.ts";
import { createEntity, type Place } from "./acts.ts";
import { slots } from "./colors.ts";
import { EntityPane } from "./entity.tsx";
import { lookOf, queryOf, type Look } from "./look.ts";
import { around, kindsOf, pathBetween, rowsOf, tiesBetween, type Graph, type Row } from "./model.ts";
import { Picture, type Lens } from "./picture.tsx";
import { useGraph, type Whole } from "./read.ts";
import { Trash } from "./trash.tsx";
import "../plain.css";
import "./graph.css";

/** The graph of a project; without a project, a choice of one. */
export default function GraphView() {
  const [, project = ""] = usePlace().path.split("/");
  return project ? <ProjectGraph key={project} id={project} /> : <Projects />;
}

/** The projects with a graph. If there is only one, or one was open before, its graph opens. */
function Projects() {
  const projects = useLoad((signal) => loci.projects.list({ status: "active", limit: 500 }, { signal }), []);
  const last = kept("graph");
  const opens = projects.value?.projects.find(({ id }, _, all) => all.length === 1 || id === last)?.id;
  useEffect(() => {
    if (opens) go(addressOf(`graph/${opens}`), { replace: true });
  }, [opens]);
  return (
    <div class="reading">
      <h1 class="graph-title">{t("graph.title")}</h1>
      <Shown of={projects}>
        {({ projects: all }) => all.length === 0 ? (
          <Empty title={t("graph.projects.none")}>
            <p>{t("graph.projects.none.text")}</p>
            <a class="button" href={addressOf("projects")}>{t("graph.projects")}</a>
          </Empty>
        ) : (
          <>
            <p>{t("graph.choose")}</p>
            <ul class="cards">
              {all.map(({ id, name, description }) => <li key={id}><a href={addressOf(`graph/${id}`)}>{legible(name)}</a>{description && <p class="hint">{legible(description)}</p>}</li>)}
            </ul>
          </>
        )}
      </Shown>
    </div>
  );
}

function ProjectGraph({ id }: { id: string }) {
  const whole = useGraph(id);
  const { graph, error, loading, read } = whole;
  useEffect(() => {
    if (graph?.order) keep("graph", id);
  }, [graph, id]);
  if (!graph) {
    if (error !== undefined) return <div class="reading"><Failed error={error} retry={whole.reload} /><p class="actions"><a class="button" href={addressOf("projects")}>{t("graph.projects")}</a></p></div>;
    if (loading) return <div><Loading /><p class="state" role="status">{read > 0 && t("graph.read", { n: read })}</p></div>;
    return null;
  }
  return <Body id={id} whole={whole} graph={graph} />;
}

/** The ids that a search found, the best first; undefined: there is no search. */
function useSearch(id: string, q: string, turn: number): Loaded<{ ids: string[]; total: number; atLeast: boolean; anyWord: boolean } | undefined> {
  return useLoad(async (signal) => {
    if (!q) return undefined;
    const found = await loci.graph.search(id, { q, limit: 100 }, { signal });
    const ids = found.entities.map((one) => one.id);
    for (let next = found.next_cursor; next && ids.length < 500;) {
      const more = await loci.graph.search(id, { q, limit: 100, cursor: next }, { signal });
      ids.push(...more.entities.map((one) => one.id));
      next = more.next_cursor;
    }
    return { ids, total: found.total, atLeast: found.total_is_lower_bound ?? false, anyWord: found.any_word ?? false };
  }, [id, q, turn]);
}

function Body({ id, whole, graph }: { id: string; whole: Whole; graph: Graph }) {
  const place = usePlace();
  const look = useMemo(() => lookOf(place.query), [place.query.toString()]);
  const open = place.path.split("/")[2] ?? "";
  const [turn, setTurn] = useState(0);
  const [cursor, setCursor] = useState("");
  const [adding, setAdding] = useState(false);
  const [pictured, setPictured] = useState(false);
  const lens = useRef<Lens>(null);
  const search = useRef<HTMLInputElement>(null);
  const at: Place = useMemo(() => ({ id, graph, changed: () => { whole.changed(); setTurn((n) => n + 1); }, reload: () => { whole.changed(); setTurn((n) => n + 1); whole.reload(); } }), [id, graph, whole.reload]);

  useChanges("graph", (changes) => concerns(changes, id) && setTurn((n) => n + 1));

  const address = useCallback((entity: string, next: Look) => addressOf(entity ? `graph/${id}/${entity}` : `graph/${id}`, queryOf(next)), [id]);
  const show = (entity: string, { replace = false } = {}) => go(address(entity, { ...look, to: "", trash: false }), { replace });
  const lookAt = (next: Look) => go(address(open, next));

  const kinds = useMemo(() => kindsOf(graph), [graph, turn]);
  const all = useMemo(() => rowsOf(graph), [graph, turn]);
  const found = useSearch(id, look.q, turn);
  const path = useMemo(() => (look.to && open ? pathBetween(graph, open, look.to) : []), [graph, turn, open, look.to]);
  const near = useMemo(() => (look.near && open ? around(graph, open, look.near) : undefined), [graph, turn, open, look.near]);
  const rows = useMemo(() => shownRows(all, look, found.value?.ids, near), [all, look, found.value, near]);
  const current = rows.some((row) => row.id === cursor) ? cursor : open;
  const shown = useMemo(() => ({
    open, kinds: new Set(look.kinds), slot: slots(kinds), path: new Set(path.slice(1).flatMap((to, i) => tiesBetween(graph, path[i]!, to).map((tie) => tie.id))),
    bright: path.length > 0 ? new Set(path) : near ?? (look.q && found.value ? new Set(found.value.ids) : open && graph.hasNode(open) ? around(graph, open, 1) : undefined),
  }), [open, look, kinds, path, near, found.value, graph, turn]);
  useEffect(() => {
    setCursor(open);
    if (open) lens.current?.to(open);
  }, [open]);

  useEffect(() => {
    if (path.length > 1) lens.current?.fit(path);
    else if (near && near.size > 1) lens.current?.fit(near);
  }, [path, near]);

  const move = (by: number) => {
    const i = rows.findIndex((row) => row.id === current);
    const next = rows[Math.max(0, Math.min(rows.length - 1, i < 0 ? 0 : i + by))];
    if (!next) return;
    setCursor(next.id);
    lens.current?.to(next.id);
    focusRow(next.id);
  };
  const close = () => (look.trash ? lookAt({ ...look, trash: false }) : look.to ? lookAt({ ...look, to: "" }) : open ? show("") : lookAt({ ...look, q: "", near: 0, kinds: [] }));
  useKeys([
    { key: "/", help: t("keys.search"), run: () => search.current?.focus() },
    { key: "j", help: t("graph.keys.down"), run: () => move(1) },
    { key: "k", help: t("graph.keys.up"), run: () => move(-1) },
    { key: "ArrowDown", help: "", run: () => move(1) },
    { key: "ArrowUp", help: "", run: () => move(-1) },
    { key: "n", help: t("graph.new"), run: () => setAdding(true) },
    { key: "g", help: t("graph.keys.picture"), run: () => setPictured((on) => !on) },
    { key: "+", help: t("graph.keys.in"), run: () => lens.current?.zoom(1.5) },
    { key: "-", help: t("graph.keys.out"), run: () => lens.current?.zoom(1 / 1.5) },
    { key: "0", help: t("graph.keys.whole"), run: () => lens.current?.whole() },
    { key: "H", help: t("graph.keys.left"), run: () => lens.current?.pan(-0.2, 0) },
    { key: "L", help: t("graph.keys.right"), run: () => lens.current?.pan(0.2, 0) },
    { key: "K", help: t("graph.keys.north"), run: () => lens.current?.pan(0, 0.2) },
    { key: "J", help: t("graph.keys.south"), run: () => lens.current?.pan(0, -0.2) },
    { key: "Escape", help: t("graph.keys.close"), run: close },
  ]);
  return (
    <div class={`graph${open || look.trash ? " opened" : ""}${pictured ? " pictured" : ""}`}>
      <section class="side" aria-label={t("graph.entities")}>
        <h1 class="hidden">{t("graph.title")}</h1>
        <Bar whole={whole} look={look} input={search} onLook={(next) => go(address("", next))} onNew={() => setAdding(true)} onPicture={() => setPictured(true)} />
        <Legend kinds={kinds} look={look} onLook={lookAt} />
        <Found rows={rows.length} graph={graph} look={look} found={found} whole={whole} />
        {rows.length > 0 ? (
          <List label={t("graph.entities")} items={rows} total={rows.length} height={52} current={current} more={false} onMore={() => {}}
            row={(row) => <EntityRow row={row} slot={shown.slot.get(row.kind) ?? 0} address={address(row.id, { ...look, to: "" })} open={row.id === open} />} />
        ) : found.loading ? <Loading /> : found.error !== undefined ? <Failed error={found.error} retry={found.reload} /> : (
          <Nothing empty={graph.order === 0} all={address("", lookOf(new URLSearchParams()))} onNew={() => setAdding(true)} />
        )}
      </section>
      <section class="graph-drawing" aria-label={t("graph.drawing")}>
        <div class="graph-tools">
          <button type="button" class="button graph-list" onClick={() => setPictured(false)}>← {t("reading.back")}</button>
          <button type="button" class="button" aria-label={t("graph.keys.in")} onClick={() => lens.current?.zoom(1.5)}>+</button>
          <button type="button" class="button" aria-label={t("graph.keys.out")} onClick={() => lens.current?.zoom(1 / 1.5)}>−</button>
          <button type="button" class="button" onClick={() => lens.current?.whole()}>{t("graph.whole")}</button>
        </div>
        {graph.order > 0 && <Picture graph={graph} shown={shown} lens={lens} onOpen={(entity) => show(entity)} />}
      </section>
      {(open || look.trash) && (
        <section class="pane" aria-label={t(look.trash ? "trash" : "graph.entity")}>
          {look.trash ? <Trash at={at} onBack={() => lookAt({ ...look, trash: false })} /> : (
            <EntityPane key={open} at={at} open={open} look={look} turn={turn} path={path} addressOf={(entity) => address(entity, { ...look, to: "" })} onOpen={(entity) => show(entity)} onLook={lookAt} />
          )}
        </section>
      )}
      {adding && <NewEntity at={at} kinds={kinds} onClose={() => setAdding(false)} onOpen={(entity) => show(entity)} />}
    </div>
  );
}

/** The rows that the list shows: in the order of a search, else what has most relations first. */
function shownRows(all: Row[], { q, kinds, near }: Look, found: string[] | undefined, around: ReadonlySet<string> | undefined): Row[] {
  let rows = all;
  if (q) {
    const byId = new Map(all.map((row) => [row.id, row]));
    rows = (found ?? []).flatMap((id) => byId.get(id) ?? []);
  }
  if (near && around) rows = rows.filter((row) => around.has(row.id));
  return kinds.length > 0 ? rows.filter((row) => kinds.includes(row.kind)) : rows;
}

interface BarProps {
  whole: Whole;
  look: Look;
  input: RefObject<HTMLInputElement | null>;
  onLook: (look: Look) => void;
  onNew: () => void;
  onPicture: () => void;
}

function Bar({ whole, look, input, onLook, onNew, onPicture }: BarProps) {
  const [q, setQ] = useState(look.q);
  useEffect(() => setQ(look.q), [look.q]);
  const projects = useLoad((signal) => loci.projects.list({ status: "active", limit: 500 }, { signal }), []);
  useChanges("project", projects.reload);
  const here = whole.project;
  const others = projects.value?.projects ?? [];
  return (
    <div class="bar">
      <select class="graph-project" aria-label={t("filters.project")} value={here?.id ?? ""} onChange={(event) => go(addressOf(`graph/${event.currentTarget.value}`))}>
        {here && !others.some(({ id }) => id === here.id) && <option value={here.id}>{legible(here.name)}</option>}
        {others.map(({ id, name }) => <option key={id} value={id}>{legible(name)}</option>)}
      </select>
      <form role="search" onSubmit={(event) => { event.preventDefault(); onLook({ ...look, q: q.trim(), near: 0, to: "", trash: false }); input.current?.blur(); }}>
        <input ref={input} type="search" aria-label={t("search")} placeholder={t("graph.search.hint")} value={q} onInput={(event) => setQ(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Escape" && input.current?.blur()} />
        <button class="button">{t("search")}</button>
      </form>
      <button type="button" class="button primary" onClick={onNew}>{t("new")}</button>
      <button type="button" class="button" onClick={() => onLook({ ...look, trash: true })}>{t("trash")}</button>
      <button type="button" class="button graph-show" onClick={onPicture}>{t("graph.drawing")}</button>
      <Unread of={[projects]} />
    </div>
  );
}

/** The types with their colours and counts. A click shows only entities of that type. */
function Legend({ kinds, look, onLook }: { kinds: readonly [string, number][]; look: Look; onLook: (look: Look) => void }) {
  const [all, setAll] = useState(false);
  const most = 9;
  const toggle = (kind: string) => onLook({ ...look, kinds: look.kinds.includes(kind) ? look.kinds.filter((other) => other !== kind) : [...look.kinds, kind] });
  if (kinds.length === 0) return null;
  return (
    <fieldset class="graph-legend">
      <legend class="hidden">{t("graph.types")}</legend>
      {kinds.slice(0, all ? 200 : most).map(([kind, n], i) => (
        <button key={kind} type="button" class="chip" aria-pressed={look.kinds.includes(kind)} onClick={() => toggle(kind)}>
          <span class={`graph-dot slot-${Math.min(i, 8)}`} aria-hidden="true" />{legible(kind)}<span class="count">{number(n)}</span>
        </button>
      ))}
      {kinds.length > most && !all && <button type="button" class="chip" onClick={() => setAll(true)}>{t("graph.types.more", { n: kinds.length - most })}</button>}
    </fieldset>
  );
}

function Found({ rows, graph, look, found, whole }: { rows: number; graph: Graph; look: Look; found: ReturnType<typeof useSearch>; whole: Whole }) {
  const notes = [];
  if (look.q && found.value) {
    notes.push(t(found.value.atLeast ? "graph.found.atLeast" : "graph.found", { n: found.value.total }));
    if (found.value.anyWord) notes.push(t("graph.found.anyWord"));
    if (found.value.total > found.value.ids.length) notes.push(t("graph.found.first", { n: found.value.ids.length }));
  } else if (!look.q) notes.push(rows === graph.order ? `${t("graph.size", { n: graph.order })}, ${t("graph.size.relations", { n: graph.size })}` : t("graph.found", { n: rows }));
  return (
    <p class="found" role="status">
      {notes.join(" · ")}
      {whole.loading && <> · {t("graph.rereading")}</>}
      {whole.error !== undefined && !whole.loading && <> · {t("graph.reread.failed")}</>}
      {(whole.stale || whole.error !== undefined) && !whole.loading && <> {whole.stale && t("graph.stale")} <button type="button" class="plain" onClick={whole.reload}>{t("graph.reread")}</button></>}
    </p>
  );
}

function Nothing({ empty, all, onNew }: { empty: boolean; all: string; onNew: () => void }) {
  if (!empty) return <Empty title={t("graph.none.filtered")}><a class="button" href={all}>{t("graph.all")}</a></Empty>;
  return (
    <Empty title={t("graph.none")}>
      <p>{t("graph.none.text")}</p>
      <button type="button" class="button primary" onClick={onNew}>{t("graph.new")}</button>
    </Empty>
  );
}

function EntityRow({ row, slot, address, open }: { row: Row; slot: number; address: string; open: boolean }) {
  return (
    <div class="memory-row graph-row">
      <a href={address} data-id={row.id} aria-current={open ? "true" : undefined}>
        <span class="line"><strong>{legible(row.name)}</strong></span>
        <span class="line meta"><span><span class={`graph-dot slot-${slot}`} aria-hidden="true" />{legible(row.kind)} · {t("graph.degree", { n: row.degree })}</span></span>
      </a>
    </div>
  );
}

function NewEntity({ at, kinds, onClose, onOpen }: { at: Place; kinds: readonly [string, number][]; onClose: () => void; onOpen: (id: string) => void }) {
  const [name, setName] = useState("");
  const [kind, setKind] = useState("");
  const [text, setText] = useState("");
  const save = async () => onOpen(await createEntity(at, name, kind, text.split("\n").map((one) => one.trim()).filter(Boolean)));
  return (
    <FormDialog title={t("graph.new")} onClose={onClose} onSave={save}>
      <label>{t("graph.name")}<input required autofocus value={name} onInput={(event) => setName(event.currentTarget.value)} /></label>
      <label>{t("graph.type")}<input required value={kind} list="graph-kinds" onInput={(event) => setKind(event.currentTarget.value)} /></label>
      <datalist id="graph-kinds">{kinds.slice(0, 100).map(([name]) => <option key={name} value={name} />)}</datalist>
      <label>{t("graph.observations.lines")}<textarea rows={4} value={text} onInput={(event) => setText(event.currentTarget.value)} /></label>
    </FormDialog>
  );
}
