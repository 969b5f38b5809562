import type { Candidate, ShownCandidate } from "@loci-memory/sdk";
import { useEffect, useRef, useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { Cancel, confirm, Dialog } from "../../dialog.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { beginning } from "../../legible.ts";
import { focusRow, List } from "../../list.tsx";
import { concerns, useChanges } from "../../live.ts";
import { useLoad } from "../../load.ts";
import { usePicks } from "../../picks.ts";
import { addressOf, go } from "../../router.ts";
import { Empty, Failed, Loading } from "../../states.tsx";
import { fromField, toField } from "../../time.ts";
import { tell, undoLast } from "../../undo.tsx";
import { decide, edited, merge, undoSettled, type Action, type Choice } from "./acts.ts";
import { CandidateEditor } from "./editor.tsx";
import { CandidateFilters } from "./filters.tsx";
import { queryOf, type Look } from "./look.ts";
import { counts, useCandidates, type Rows } from "./pages.ts";
import { CandidatePane } from "./reading.tsx";
import { CandidateRow } from "./row.tsx";

const wide = () => matchMedia("(min-width: 56.01rem)").matches;

/** The candidates of a state: those that wait are decided here, and decisions are taken back. */
export function Candidates({ look, open }: { look: Look; open: string }) {
  const list = useCandidates(look);
  const [cursor, setCursor] = useState("");
  const [editing, setEditing] = useState(false);
  const [asking, setAsking] = useState<"merge" | "defer">();
  /** The memories that the open candidate replaces if the person accepts it. */
  const [named, setNamed] = useState<ReadonlySet<string>>(new Set());
  const shown = useLoad<ShownCandidate | undefined>((signal) => (open ? loci.review.get(open, { signal }) : Promise.resolve(undefined)), [open]);
  const filter = useRef<HTMLSelectElement>(null);

  const at = list.rows.findIndex(({ id }) => id === (open || cursor));
  const current: Candidate | undefined = list.rows[at] ?? (shown.value?.id === open ? shown.value : undefined);
  const { picked, chosen, pick, all, clear, keys } = usePicks(list.rows, queryOf(look).toString(), current?.id);
  const targets = chosen.length > 0 ? chosen : current ? [current] : [];
  const waits = look.list === "pending" || look.list === "deferred";
  const show = (id: string, replace = false) => go(addressOf(id ? `inbox/${id}` : "inbox", queryOf(look)), { replace });

  useEffect(() => { setEditing(false); setNamed(new Set()); }, [open]);
  useEffect(() => {
    // Undoing and other people change the candidate that is open.
    if (current?.id === open && shown.value && shown.value.version !== current.version) shown.reload();
  }, [current?.version]);
  useChanges("candidate", (changes) => open !== "" && !editing && concerns(changes, open) && shown.reload());
  useFirst(list, open, queryOf(look).toString(), (id) => show(id, true));

  const moveTo = (row: Candidate | undefined) => {
    setCursor(row?.id ?? "");
    if (open || (row && wide())) show(row?.id ?? "", open !== "");
    if (row) focusRow(row.id);
  };
  const move = (by: number) => list.rows.length > 0 && moveTo(list.rows[Math.max(0, Math.min(list.rows.length - 1, at < 0 ? 0 : at + by))]);
  /** The row that follows those that leave the list. */
  const goPast = (gone: readonly Candidate[]) => {
    const ids = new Set(gone.map(({ id }) => id));
    const left = (row: Candidate) => !ids.has(row.id);
    if (current && left(current)) return;
    moveTo(list.rows.slice(Math.max(at, 0)).find(left) ?? list.rows.slice(0, Math.max(at, 0)).findLast(left));
  };
  const name = (id: string, on: boolean) => setNamed((old) => new Set(on ? [...old, id] : [...old].filter((one) => one !== id)));
  const act = async (action: Action, choice: Choice = {}) => {
    const waiting = targets.filter(isOpen);
    const n = waiting.length;
    if (n === 0) return;
    if (n > 1 && !(await confirm({ title: t(`inbox.${action}`), text: t("inbox.ask", { n }) + (action === "accept" ? ` ${t("inbox.ask.replaces")}` : ""), yes: t(`inbox.${action}`) }))) return;
    clear();
    goPast(waiting);
    const one = action === "accept" && n === 1 && waiting[0]!.id === open;
    decide(action, waiting, list, one ? { supersedes: [...named] } : choice);
  };
  const takeBack = async () => {
    const settled = waits ? [] : targets.filter((candidate) => !isOpen(candidate));
    if (settled.length === 0) return undoLast();
    clear();
    await undoSettled(settled, list);
    shown.reload();
  };
  const startMerge = () => {
    if (chosen.length > 1) setAsking("merge");
    else tell(t("inbox.merge.pick"));
  };
  const edit = () => current && isOpen(current) && (open ? setEditing(true) : (show(current.id), setTimeout(() => setEditing(true))));
  useKeys([
    { key: "j", help: t("inbox.keys.down"), run: () => move(1) },
    { key: "k", help: t("inbox.keys.up"), run: () => move(-1) },
    { key: "ArrowDown", help: "", run: () => move(1) },
    { key: "ArrowUp", help: "", run: () => move(-1) },
    { key: "a", help: t("inbox.accept"), run: () => void act("accept") },
    { key: "x", help: t("inbox.reject"), run: () => void act("reject") },
    { key: "d", help: t("inbox.defer"), run: () => void act("defer") },
    { key: "D", help: t("inbox.defer.until"), run: () => targets.some(isOpen) && setAsking("defer") },
    { key: "z", help: t("inbox.archive"), run: () => void act("archive") },
    { key: "e", help: t("edit"), run: edit },
    ...keys,
    { key: "m", help: t("inbox.merge"), run: startMerge },
    { key: "u", help: t("keys.undo"), run: () => void takeBack() },
    { key: "/", help: t("keys.filter"), run: () => filter.current?.focus() },
    { key: "Escape", help: t("keys.close"), run: () => (picked.size > 0 ? clear() : show("")) },
  ]);
  const actions = { act: (action: Action) => void act(action), edit, later: () => setAsking("defer"), undo: () => void takeBack() };
  return (
    <div class={open ? "memories opened" : "memories"}>
      <section class="side" aria-label={t(`inbox.list.${look.list}`)}>
        <CandidateFilters look={look} input={filter} onLook={(next) => go(addressOf("inbox", queryOf(next)))} />
        {chosen.length > 0 && <Bulk n={chosen.length} waits={waits} actions={actions} onMerge={startMerge} onAll={all} onNone={clear} />}
        <Body list={list} look={look}>
          <List label={t(`inbox.list.${look.list}`)} items={list.rows} total={look.kind || look.project || look.source ? undefined : counts.get()[look.list]} height={76} current={current?.id} more={list.more} onMore={list.readMore}
            row={(row) => (
              <CandidateRow row={row} address={addressOf(`inbox/${row.id}`, queryOf(look))} open={row.id === open} picked={picked.has(row.id)} onPick={(on, range) => pick(row.id, on, range)} />
            )}
          />
        </Body>
      </section>
      <section class="pane" aria-label={t("inbox.candidate")}>
        {editing && shown.value ? (
          <CandidateEditor candidate={shown.value} onCancel={() => setEditing(false)}
            onSaved={(now, accept) => { setEditing(false); edited(shown.value!, now, list); shown.reload(); if (accept) { goPast([now]); decide("accept", [now], list); } }}
            onTheirs={() => { setEditing(false); list.reload(); shown.reload(); }} />
        ) : open ? (
          <CandidatePane key={open} shown={shown} actions={actions} named={named} onName={name} onClose={() => show("")} />
        ) : (
          <Empty title={t("inbox.none.open")}><p>{t("inbox.none.open.text")}</p></Empty>
        )}
      </section>
      {asking === "merge" && <Merge of={chosen} first={current} onClose={() => setAsking(undefined)} onMerge={(into, others) => { setAsking(undefined); clear(); moveTo(into); void merge(into, others, list).then(shown.reload); }} />}
      {asking === "defer" && <Later onClose={() => setAsking(undefined)} onLater={(until) => { setAsking(undefined); void act("defer", { until }); }} />}
    </div>
  );
}

/** Tells whether a candidate still waits for a decision. */
export function isOpen({ review_state: state }: Candidate): boolean {
  return state === "pending" || state === "deferred";
}

/** Opens the first candidate beside the list, once for each list. */
function useFirst(list: Rows, open: string, name: string, show: (id: string) => void): void {
  const seen = useRef<string | undefined>(undefined);
  const first = list.rows[0];
  useEffect(() => {
    if (list.loading || seen.current === name) return;
    seen.current = name;
    if (first && !open && wide()) show(first.id);
  }, [list.loading, first?.id, name]);
}

interface Actions {
  act: (action: Action) => void;
  edit: () => void;
  later: () => void;
  undo: () => void;
}

function Bulk({ n, waits, actions, onMerge, onAll, onNone }: { n: number; waits: boolean; actions: Actions; onMerge: () => void; onAll: () => void; onNone: () => void }) {
  return (
    <div class="bulk" role="toolbar" aria-label={t("bulk.title")}>
      <strong>{t("bulk.picked", { n })}</strong>
      {waits && (["accept", "reject", "defer", "archive"] as const).map((action) => (
        <button key={action} type="button" class={action === "reject" ? "danger" : undefined} onClick={() => actions.act(action)}>{t(`inbox.${action}`)}</button>
      ))}
      {waits && n > 1 && <button type="button" onClick={onMerge}>{t("inbox.merge")}</button>}
      {!waits && <button type="button" onClick={actions.undo}>{t("inbox.undo")}</button>}
      <button type="button" onClick={onAll}>{t("inbox.selectAll")}</button>
      <button type="button" onClick={onNone}>{t("bulk.none")}</button>
    </div>
  );
}

function Body({ list, look, children }: { list: Rows; look: Look; children: preact.ComponentChildren }) {
  const failed = list.error !== undefined && <Failed error={list.error} retry={list.reload} />;
  if (list.rows.length > 0) return <>{failed}{children}</>;
  if (failed) return failed;
  if (list.loading || list.more) {
    if (!list.loading) list.readMore(); // everything that was read is decided
    return <Loading />;
  }
  if (look.kind || look.project || look.source) {
    return <Empty title={t("inbox.empty.filtered")}><a class="button" href={addressOf("inbox", queryOf({ ...look, kind: "", project: "", source: "" }))}>{t("inbox.all")}</a></Empty>;
  }
  return <Empty title={t(look.list === "pending" ? "inbox.empty" : "inbox.empty.other")}>{look.list === "pending" && <p>{t("inbox.empty.text")}</p>}</Empty>;
}

function Merge({ of, first, onClose, onMerge }: { of: readonly Candidate[]; first: Candidate | undefined; onClose: () => void; onMerge: (into: Candidate, others: Candidate[]) => void }) {
  const [into, setInto] = useState(of.find(({ id }) => id === first?.id) ?? of[0]!);
  return (
    <Dialog title={t("inbox.merge")} onClose={onClose}>
      <form class="inbox-form" onSubmit={(event) => { event.preventDefault(); onMerge(into, of.filter(({ id }) => id !== into.id)); }}>
        <fieldset>
          <legend>{t("inbox.merge.into")}</legend>
          {of.map((one) => (
            <label key={one.id} class="check">
              <input type="radio" name="into" checked={one.id === into.id} onChange={() => setInto(one)} /> <span>{beginning(one.title, 100)}</span>
            </label>
          ))}
        </fieldset>
        <p class="hint">{t("inbox.merge.text")}</p>
        <div class="actions">
          <button class="button primary" autofocus>{t("inbox.merge")}</button>
          <Cancel />
        </div>
      </form>
    </Dialog>
  );
}

function Later({ onClose, onLater }: { onClose: () => void; onLater: (until: string) => void }) {
  const [until, setUntil] = useState(() => toField(new Date(Date.now() + 7 * 86_400_000).toISOString()));
  return (
    <Dialog title={t("inbox.defer")} onClose={onClose}>
      <form class="inbox-form" onSubmit={(event) => { event.preventDefault(); const at = fromField(until); if (at) onLater(at); }}>
        <label>{t("inbox.defer.field")}<input type="datetime-local" required autofocus value={until} onInput={(event) => setUntil(event.currentTarget.value)} /></label>
        <div class="actions">
          <button class="button primary">{t("inbox.defer")}</button>
          <Cancel />
        </div>
      </form>
    </Dialog>
  );
}
