import type { Memory, Suggestion } from "@loci-memory/sdk";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { DiffView } from "../../diff.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { beginning, legible } from "../../legible.ts";
import { focusRow, List } from "../../list.tsx";
import { useFollow } from "../../live.ts";
import { useLoad } from "../../load.ts";
import { addressOf, go } from "../../router.ts";
import { Empty, Failed, Loading, Shown } from "../../states.tsx";
import { store } from "../../store.ts";
import { shortWhen, when } from "../../time.ts";
import { readMemory } from "../memories/acts.ts";
import { Sources } from "../memories/evidence.tsx";
import { merged } from "./merge.ts";
import { Choice, settle } from "./settle.tsx";
import { textsOf } from "./words-diff.ts";

/** How many suggestions wait, in words; "": none. */
export const suggestionCount = store("");

const place = (id: string) => addressOf(id ? `inbox/${id}` : "inbox", { list: "suggestions" });

/** The replacements of memories and the deletions in graphs that assistants and people suggest. */
export function Suggestions({ open }: { open: string }) {
  const list = useSuggestions();
  const [share, setShare] = useState(false);
  useEffect(() => setShare(false), [open]);
  const at = list.rows.findIndex(({ id }) => id === open);
  const current = list.rows[at];
  const show = (id: string, replace = false) => go(place(id), { replace });
  const move = (by: number) => {
    const next = list.rows[Math.max(0, Math.min(list.rows.length - 1, at < 0 ? 0 : at + by))];
    if (!next) return;
    show(next.id, open !== "");
    focusRow(next.id);
  };
  const decide = async (one: Suggestion | undefined, accept: boolean) => {
    if (!one || !(await settle(one, accept, share, list.reload))) return;
    list.drop(one.id);
    if (one.id === open) show(list.rows[at + 1]?.id ?? list.rows[at - 1]?.id ?? "", true);
  };
  useKeys([
    { key: "j", help: t("inbox.keys.down"), run: () => move(1) },
    { key: "k", help: t("inbox.keys.up"), run: () => move(-1) },
    { key: "ArrowDown", help: "", run: () => move(1) },
    { key: "ArrowUp", help: "", run: () => move(-1) },
    { key: "a", help: t("keys.accept"), run: () => void decide(current, true) },
    { key: "x", help: t("keys.decline"), run: () => void decide(current, false) },
    { key: "Escape", help: t("keys.close"), run: () => show("") },
  ]);
  return (
    <div class={open ? "memories opened" : "memories"}>
      <section class="side" aria-label={t("inbox.list.suggestions")}>
        {list.error !== undefined && <Failed error={list.error} retry={list.reload} />}
        {list.rows.length > 0 ? (
          <List label={t("inbox.list.suggestions")} items={list.rows} height={76} current={open} more={list.next !== ""} onMore={list.readMore}
            row={(row) => <SuggestionRow row={row} open={row.id === open} />} />
        ) : list.loading ? <Loading /> : list.error === undefined && <Empty title={t("inbox.suggestions.none")}><p>{t("inbox.suggestions.none.text")}</p></Empty>}
      </section>
      <section class="pane" aria-label={t("suggestion.title")}>
        {current?.graph ? (
          <GraphPane key={current.id} of={current} graph={current.graph} onClose={() => show("")} onSettle={(accept) => void decide(current, accept)} />
        ) : current?.kind === "secret" ? (
          <SecretPane key={current.id} of={current} onClose={() => show("")} onSettle={(accept) => void decide(current, accept)} />
        ) : current ? (
          <SuggestionPane key={current.id} of={current} onClose={() => show("")} share={share} onShare={setShare} onSettle={(accept) => void decide(current, accept)} />
        ) : (
          <Empty title={t("inbox.suggestions.open")} />
        )}
      </section>
    </div>
  );
}

interface State {
  rows: readonly Suggestion[];
  next: string;
  loading: boolean;
  error?: unknown;
}

function useSuggestions() {
  const [state, setState] = useState<State>({ rows: [], next: "", loading: true });
  const latest = useRef(state);
  latest.current = state;
  const read = useCallback(async (cursor: string) => {
    setState((old) => ({ ...old, loading: true, error: undefined }));
    try {
      const found = await loci.suggestions.list({ state: "pending", limit: 100, cursor: cursor || undefined });
      setState((old) => ({ loading: false, ...merged(old, { rows: found.suggestions, next: found.next_cursor }, cursor) }));
    } catch (error) {
      setState((old) => ({ ...old, loading: false, error }));
    }
  }, []);
  const reload = useCallback(() => void read(""), []);
  useEffect(reload, []);
  useFollow(["suggestion", "memory", "graph"], reload);
  useEffect(() => void (state.loading || suggestionCount.set(`${state.rows.length || ""}${state.next ? "+" : ""}`)), [state]);
  const readMore = () => void (latest.current.next && !latest.current.loading && latest.current.error === undefined && read(latest.current.next));
  const drop = (id: string) => setState((old) => ({ ...old, rows: old.rows.filter((one) => one.id !== id) }));
  return { ...state, reload, readMore, drop };
}

function SuggestionRow({ row, open }: { row: Suggestion; open: boolean }) {
  return (
    <div class="memory-row inbox-suggestion">
      <a href={place(row.id)} data-id={row.id} aria-current={open ? "true" : undefined}>
        <span class="line">
          <strong>{legible(row.memory?.title ?? row.row?.excerpt?.title ?? row.graph?.rows?.[0]?.text ?? t("inbox.untitled"))}</strong>
          <time dateTime={row.created_at} title={when(row.created_at)}>{shortWhen(row.created_at)}</time>
        </span>
        <span class="line text">{beginning(row.by?.text ?? (row.kind === "secret" ? (row.memory ?? row.row?.excerpt)?.text : "") ?? "")}</span>
        <span class="line meta"><span>{t(`inbox.suggestion.${row.kind}`, { origin: legible(row.origin) })}</span></span>
      </a>
    </div>
  );
}

function GraphPane({ of, graph, onClose, onSettle }: { of: Suggestion; graph: NonNullable<Suggestion["graph"]>; onClose: () => void; onSettle: (accept: boolean) => void }) {
  const rows = graph.rows ?? [];
  return (
    <article class="reading" aria-label={t("suggestion.title")}>
      <button type="button" class="button back" onClick={onClose}>← {t("reading.back")}</button>
      <h2 tabIndex={-1}>{legible(rows[0]?.text ?? "")}</h2>
      <p>{t(of.kind === "secret" ? "suggestion.secret.graph" : `suggestion.${of.kind}`, { origin: legible(of.origin) })} <time class="hint" dateTime={of.created_at}>{when(of.created_at)}</time></p>
      <ul>
        {rows.map((row, i) => <li key={i}>{legible(row.text)} <span class="hint">{[t(`suggestion.row.${row.kind}`), legible(row.origin), ...(row.secrets ?? [])].join(" · ")}</span></li>)}
      </ul>
      {graph.more ? <p class="hint">{t("suggestion.more", { count: graph.more })}</p> : null}
      <Choice of={of} by={undefined} decline="x" share={false} onShare={() => {}} onSettle={onSettle}>
        <a class="button" href={addressOf(`graph/${graph.project_id}`)}>{t("suggestion.graph")}</a>
      </Choice>
    </article>
  );
}

function SecretPane({ of, onClose, onSettle }: { of: Suggestion; onClose: () => void; onSettle: (accept: boolean) => void }) {
  const text = of.memory ?? of.row?.excerpt;
  return (
    <article class="reading" aria-label={t("suggestion.title")}>
      <button type="button" class="button back" onClick={onClose}>← {t("reading.back")}</button>
      <h2 tabIndex={-1}>{legible(text?.title ?? t("inbox.untitled"))}</h2>
      <p>{t(of.row ? `suggestion.secret.${of.row.kind}` : "suggestion.secret", { origin: legible(of.origin) })} <time class="hint" dateTime={of.created_at}>{when(of.created_at)}</time></p>
      <blockquote class="quote">{legible(text?.text ?? "")}</blockquote>
      <p class="hint">{text?.secrets?.join(", ")}</p>
      <Choice of={of} by={undefined} decline="x" share={false} onShare={() => {}} onSettle={onSettle}>
        {!of.row && <a class="button" href={addressOf(`memories/${of.memory_id}`)}>{t("suggestion.read")}</a>}
        {of.row?.session_id && <a class="button" href={addressOf(`sessions/${of.row.session_id}`)}>{t("suggestion.session")}</a>}
      </Choice>
    </article>
  );
}

function SuggestionPane({ of, share, onShare, onClose, onSettle }: { of: Suggestion; onClose: () => void; share: boolean; onShare: (share: boolean) => void; onSettle: (accept: boolean) => void }) {
  const { memory_id = "", by_id = "" } = of;
  const both = useLoad((signal) => Promise.all([readMemory(memory_id, signal), readMemory(by_id, signal)]), [memory_id, by_id]);
  return (
    <article class="reading" aria-label={t("suggestion.title")}>
      <button type="button" class="button back" onClick={onClose}>← {t("reading.back")}</button>
      <h2 tabIndex={-1}>{legible(of.memory?.title ?? t("inbox.untitled"))}</h2>
      <p>{t(`suggestion.${of.kind}`, { origin: legible(of.origin) })} <time class="hint" dateTime={of.created_at}>{when(of.created_at)}</time></p>
      <Choice of={of} by={both.value?.[1]} decline="x" share={share} onShare={onShare} onSettle={onSettle}>
        <a class="button" href={addressOf(`memories/${memory_id}`)}>{t("inbox.old")}</a>
        <a class="button" href={addressOf(`memories/${by_id}`)}>{t("inbox.new")}</a>
      </Choice>
      <Shown of={both}>{([old, now]) => <Compared old={old} now={now} />}</Shown>
      <Sources id={by_id} />
    </article>
  );
}

function Compared({ old, now }: { old: Memory; now: Memory }) {
  return (
    <section aria-label={t("inbox.compare")}>
      <h3>{t("inbox.compare")}</h3>
      <DiffView diff={{ texts: textsOf(old, now), fields: [] }} />
      <dl>
        <div><dt>{t("inbox.old")}</dt><dd>{legible(old.origin)} · <time dateTime={old.updated_at}>{when(old.updated_at)}</time></dd></div>
        <div><dt>{t("inbox.new")}</dt><dd>{legible(now.origin)} · <time dateTime={now.updated_at}>{when(now.updated_at)}</time></dd></div>
      </dl>
    </section>
  );
}
