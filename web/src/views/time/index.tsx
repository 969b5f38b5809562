import type { Key, LeftAlone, Session, Undone, UndoReport, UndoSelection } from "@loci-memory/sdk";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { confirm } from "../../dialog.tsx";
import { DiffView } from "../../diff.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { leave } from "../../leave.ts";
import { legible } from "../../legible.ts";
import { focusRow, List } from "../../list.tsx";
import { useLoad } from "../../load.ts";
import { Markdown } from "../../markdown.tsx";
import { resumed, withProof } from "../../pending.ts";
import { addressOf, go, usePlace } from "../../router.ts";
import { Empty, Shown, Unread } from "../../states.tsx";
import { fromField, shortWhen, toField, when } from "../../time.ts";
import { complain, tell, undoNow } from "../../undo.tsx";
import { readMemory } from "../memories/acts.ts";
import { useCalm } from "../visibility/counts.ts";
import { label, ordered } from "../visibility/groups.ts";
import { lacks, queryOf, requestOf, selectionOf, type Selection } from "./look.ts";
import "./time.css";

/** A line of the report: what is undone, or what is left alone. */
type Line = { id: string; title: string } & ({ undone: Undone } | { left: LeftAlone });

/** Takes back what a vendor, a session or a key changed in some time: first dry, as a diff, then for good, and back again. */
export default function Time() {
  const place = usePlace();
  const selection = useMemo(() => selectionOf(place.query), [place.query.toString()]);
  const open = place.path.split("/")[1] ?? "";
  const [done, setDone] = useState<{ of: string; report: UndoReport; back: () => Promise<void> }>();
  const name = queryOf(selection).toString();
  const missing = lacks(selection);
  const dry = useLoad<UndoReport | undefined>((signal) => (missing ? Promise.resolve(undefined) : loci.history.undo({ ...requestOf(selection), dry_run: true }, { signal })), [name]);
  useCalm(dry.reload);
  const report = done?.of === name ? done.report : dry.value;
  const rows = useMemo(() => linesOf(report), [report]);
  const first = useRef<HTMLSelectElement>(null);

  const show = (id: string, replace = false) => go(addressOf(id ? `time/${id}` : "time", queryOf(selection)), { replace });
  const move = (by: number) => {
    const at = rows.findIndex(({ id }) => id === open);
    const next = rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + by))];
    if (!next) return;
    show(next.id, open !== "");
    focusRow(next.id);
  };
  const undo = async (of: Selection, n: number) => {
    if (n === 0 || !(await confirm({ title: t("time.undo.title"), text: t("time.undo.ask", { n }), yes: t("time.undo.yes"), danger: true }))) return;
    await withProof({ what: "time.undo", ids: [queryOf(of).toString()] }, async () => {
      const report = await loci.history.undo(requestOf(of));
      const { redo } = report;
      const back = () => takeBack(redo!);
      setDone({ of: queryOf(of).toString(), report, back });
      tell(t("time.undo.done", { n: report.undone.length }), redo && back);
    });
  };
  /** Undoes the undo. */
  const takeBack = async (redo: UndoSelection) => {
    await loci.history.undo({ ...redo });
    dry.reload();
    setDone(undefined);
  };
  useEffect(() => {
    const wanted = resumed("time.undo");
    if (!wanted) return;
    const of = selectionOf(new URLSearchParams(wanted.ids[0] ?? ""));
    go(addressOf("time", queryOf(of)), { replace: true });
    void loci.history.undo({ ...requestOf(of), dry_run: true }).then(({ undone }) => undo(of, undone.length), complain);
  }, []);
  const may = !missing && done?.of !== name && dry.value !== undefined && dry.value.undone.length > 0;
  const start = () => may && void undo(selection, dry.value!.undone.length);
  useKeys([
    { key: "/", help: t("time.keys.form"), run: () => first.current?.focus() },
    { key: "j", help: t("keys.down"), run: () => move(1) },
    { key: "k", help: t("keys.up"), run: () => move(-1) },
    { key: "ArrowDown", help: "", run: () => move(1) },
    { key: "ArrowUp", help: "", run: () => move(-1) },
    { key: "x", help: t("time.keys.undo"), run: start },
    { key: "Escape", help: t("keys.close"), run: () => show("") },
  ]);
  const current = rows.find(({ id }) => id === open);
  return (
    <div class={open ? "memories opened" : "memories"}>
      <section class="side" aria-label={t("time.title")}>
        <div class="bar"><h1 class="time-title">{t("time.heading")}</h1></div>
        <Form selection={selection} first={first} onSelect={(next) => go(addressOf("time", queryOf(next)), { replace: true })} />
        {missing ? <p class="hint time-hint" role="status">{t(`time.lacks.${missing}`)}</p> : (
          <Shown of={done?.of === name ? { value: report, loading: false, reload: dry.reload } : dry}>
            {() => report && <Summary report={report} since={selection.since} done={done?.of === name} onUndo={may ? start : undefined} onBack={() => done && void undoNow(done.back)} />}
          </Shown>
        )}
        {rows.length > 0 && (
          <List label={t("time.changes")} items={rows} total={rows.length} height={60} current={open} more={false} onMore={() => {}} row={(line) => <LineRow line={line} address={addressOf(`time/${line.id}`, queryOf(selection))} open={line.id === open} />} />
        )}
      </section>
      <section class="pane" aria-label={t("time.change")}>
        {current ? <Change key={current.id} line={current} done={done?.of === name} onClose={() => show("")} /> : <Empty title={t("time.none")}><p>{t("time.none.text")}</p></Empty>}
      </section>
    </div>
  );
}

function linesOf(report: UndoReport | undefined): Line[] {
  if (!report) return [];
  return [...report.undone.map((undone) => ({ id: undone.id, title: undone.title, undone })), ...report.left_alone.map((left) => ({ id: left.id, title: left.title, left }))];
}

interface Choices {
  origins: string[];
  sessions: Session[];
  keys: Key[];
}

async function choices(signal: AbortSignal): Promise<Choices> {
  const [facets, { sessions }, keys] = await Promise.all([
    loci.memories.count({}, { signal }),
    loci.sessions.list({ limit: 100 }, { signal }),
    loci.keys.list({}, { signal }).then(({ keys }) => keys).catch(() => []),
  ]);
  return { origins: ordered([...(facets.facets.origin ?? []).map(({ value }) => value), ...keys.flatMap(({ vendor }) => vendor ?? []), "api", "cli", "dashboard"]), sessions, keys };
}

/** How far back the shortcuts begin, in hours. */
const ago = { hour: 1, day: 24, week: 7 * 24 } as const;

function Form({ selection, first, onSelect }: { selection: Selection; first: preact.RefObject<HTMLSelectElement | null>; onSelect: (selection: Selection) => void }) {
  const known = useLoad(choices, []);
  const { origins = [], sessions = [], keys = [] } = known.value ?? {};
  const set = (change: Partial<Selection>) => onSelect({ ...selection, ...change });
  const choice = (text: string, name: "origin" | "session" | "key", of: [string, string][]) => (
    <label>
      {text}
      <select ref={name === "origin" ? first : null} name={name} value={selection[name]} onKeyDown={leave} onChange={(event) => set({ [name]: event.currentTarget.value })}>
        <option value="">{t("any")}</option>
        {(selection[name] === "" || of.some(([id]) => id === selection[name]) ? of : [[selection[name], selection[name].slice(0, 20)] as [string, string], ...of]).map(([id, shown]) => <option key={id} value={id}>{legible(shown)}</option>)}
      </select>
    </label>
  );
  return (
    <section class="filters" aria-label={t("time.what")}>
      <Unread of={[known]} />
      <div class="fields">
        {choice(t("time.origin"), "origin", origins.map((origin) => [origin, label(origin)]))}
        {choice(t("filters.session"), "session", sessions.map((one) => [one.id, `${one.title || one.origin} · ${shortWhen(one.created_at)}`]))}
        {choice(t("time.key"), "key", keys.map((key) => [key.id, `${key.name} · ${key.prefix}…`]))}
        <label>{t("time.since")}<input type="datetime-local" name="since" value={toField(selection.since)} onKeyDown={leave} onChange={(event) => set({ since: fromField(event.currentTarget.value) ?? "" })} /></label>
        <label>{t("time.until")}<input type="datetime-local" name="until" value={toField(selection.until)} onKeyDown={leave} onChange={(event) => set({ until: fromField(event.currentTarget.value) ?? "" })} /></label>
      </div>
      <div>
        {(Object.keys(ago) as (keyof typeof ago)[]).map((name) => (
          <button key={name} type="button" class="chip" onClick={() => set({ since: new Date(Date.now() - ago[name] * 3_600_000).toISOString(), until: "" })}>{t(`time.ago.${name}`)}</button>
        ))}
      </div>
    </section>
  );
}

/** What an undo would do, or did. */
function Summary({ report, since, done, onUndo, onBack }: { report: UndoReport; since: string; done: boolean; onUndo: (() => void) | undefined; onBack: () => void }) {
  const n = report.undone.length;
  const { redo } = report;
  return (
    <div class="time-summary">
      <p role="status"><strong>{t(done ? "time.did" : n === 0 ? "time.nothing" : "time.would", { n })}</strong></p>
      {report.left_alone.length > 0 && <p class="hint">{t("time.left", { n: report.left_alone.length })}</p>}
      {(report.unchanged ?? 0) > 0 && <p class="hint">{t("time.unchanged", { n: report.unchanged ?? 0 })}</p>}
      {report.still_superseded?.length ? (
        <ul class="time-notes">{report.still_superseded.map((one) => <li key={one.id}><a href={addressOf(`memories/${one.id}`)}>{legible(one.title)}</a>: {t("time.still", { n: one.revert_to ?? 0 })}</li>)}</ul>
      ) : null}
      <div class="actions">
        {onUndo && <button type="button" class="button danger" onClick={onUndo}>{t("time.undo.yes")}</button>}
        {done && redo && <button type="button" class="button" onClick={onBack}>{t("time.redo")}</button>}
        {since && <a class="button" href={addressOf("memories", { at: since })}>{t("time.before")}</a>}
      </div>
      {done && <p class="hint">{t(redo ? "time.back" : "time.noBack")}</p>}
    </div>
  );
}

function LineRow({ line, address, open }: { line: Line; address: string; open: boolean }) {
  return (
    <div class="memory-row time-row">
      <a href={address} data-id={line.id} aria-current={open ? "true" : undefined}>
        <span class="line"><strong>{legible(line.title)}</strong></span>
        <span class="line meta">{"undone" in line ? <span>{outcome(line.undone)}</span> : <><span>{legible(line.left.reason)}</span><span class="tag warn">{t("time.leftAlone")}</span></>}</span>
      </a>
    </div>
  );
}

function outcome({ change, back_to: to }: Undone): string {
  if (change === "trashed") return t("time.becomes.trashed");
  return change === "restored" ? t("time.becomes.restored") : t("time.becomes.updated", { n: to ?? 0 });
}

/** One memory of the report: what the undo changes, as a diff. */
function Change({ line, done, onClose }: { line: Line; done: boolean; onClose: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (matchMedia("(max-width: 56rem)").matches) heading.current?.focus();
  }, []);
  return (
    <article class="reading" aria-label={t("time.change")}>
      <button type="button" class="button back" onClick={onClose}>← {t("reading.back")}</button>
      <h2 ref={heading} tabIndex={-1}>{legible(line.title)}</h2>
      {"left" in line ? (
        <p class="note">{t("time.leftAlone.why", { reason: legible(line.left.reason) })}</p>
      ) : (
        <>
          <p>{t(done ? "time.became" : "time.becomes", { what: outcome(line.undone) })}</p>
          {line.undone.note && <p class="note">{legible(line.undone.note)}</p>}
        </>
      )}
      <div class="actions"><a class="button" href={addressOf(`memories/${line.id}`)}>{t("see.open")}</a></div>
      {"undone" in line && line.undone.back_to !== undefined ? <Difference undone={line.undone} /> : <Whole id={line.id} gone={"undone" in line} />}
    </article>
  );
}

function Difference({ undone }: { undone: Undone }) {
  const loaded = useLoad((signal) => loci.history.diff(undone.id, { from: undone.from, to: undone.back_to! }, { signal }), [undone.id, undone.from, undone.back_to]);
  return (
    <section aria-label={t("time.diff", { from: undone.from, to: undone.back_to! })}>
      <h3>{t("time.diff", { from: undone.from, to: undone.back_to! })}</h3>
      <Shown of={loaded}>{(diff) => <DiffView diff={diff} />}</Shown>
    </section>
  );
}

/** The text of a memory that is created in the range, or left alone. */
function Whole({ id, gone }: { id: string; gone: boolean }) {
  const loaded = useLoad((signal) => readMemory(id, signal), [id]);
  return (
    <Shown of={loaded}>
      {(memory) => (
        <>
          <p class="meta">{t("facts.edited", { origin: memory.origin, editor: memory.editor })} · <time dateTime={memory.updated_at}>{when(memory.updated_at)}</time></p>
          {gone ? <div class="diff"><div class="hunk">{memory.content.split("\n").map((text, i) => <p key={i} class="removed"><del>{legible(text) || "\u00a0"}</del></p>)}</div></div> : <Markdown text={memory.content} />}
        </>
      )}
    </Shown>
  );
}
