import type { Memory } from "@loci-memory/sdk";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { confirm } from "../../dialog.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { focusRow, List } from "../../list.tsx";
import { resumed, withProof } from "../../pending.ts";
import { usePicks } from "../../picks.ts";
import { addressOf, go, usePlace } from "../../router.ts";
import { Empty, Failed, Loading } from "../../states.tsx";
import { tell } from "../../undo.tsx";
import { erase, restore, trash } from "./acts.ts";
import { Bulk } from "./bulk.tsx";
import { Editor } from "./editor.tsx";
import { Filters } from "./filters.tsx";
import { KnownAt } from "./known.tsx";
import { everything, filters, lookOf, queryOf, type Look } from "./look.ts";
import { useRows, type Row, type Rows } from "./pages.ts";
import { Reading } from "./reading.tsx";
import { MemoryRow, rowHeight } from "./row.tsx";
import "./memories.css";

const path = "memories";

/** What all assistants remember: search, filter, read, change. */
export function Memories() {
  const place = usePlace();
  const look = useMemo(() => lookOf(place.query), [place.query.toString()]);
  const rows = useRows(look);
  const open = place.path.split("/")[1] ?? "";
  const [cursor, setCursor] = useState("");
  const current = rows.rows.some(({ id }) => id === cursor) ? cursor : open;
  const { picked, chosen, pick, all, clear, keys } = usePicks(rows.rows, place.query.toString(), current);
  const [editing, setEditing] = useState<Memory>();
  const [filtering, setFiltering] = useState(() => filters(look) > 0);
  const [timing, setTiming] = useState(look.at !== "");
  const whole = look.trash || look.expired;
  const search = useRef<HTMLInputElement>(null);

  const show = (id: string, { replace = false } = {}) => go(addressOf(id ? `${path}/${id}` : path, queryOf(look)), { replace });
  const lookAt = (next: Look) => go(addressOf(path, queryOf(next)));
  useEffect(() => {
    setEditing(undefined);
    if (open && open !== "new") setCursor(open);
  }, [open]);
  useEffect(() => void goOn(rows), []);

  const move = (by: number) => {
    const at = rows.rows.findIndex(({ id }) => id === current);
    const next = rows.rows[Math.max(0, Math.min(rows.rows.length - 1, at < 0 ? 0 : at + by))];
    if (!next) return;
    setCursor(next.id);
    // Beside the list, the pane follows. Alone, it opens with Enter.
    if (matchMedia("(min-width: 56.01rem)").matches) show(next.id, { replace: open !== "" });
    focusRow(next.id);
  };
  useKeys([
    { key: "/", help: t("keys.search"), run: () => search.current?.focus() },
    { key: "j", help: t("keys.down"), run: () => move(1) },
    { key: "k", help: t("keys.up"), run: () => move(-1) },
    { key: "ArrowDown", help: "", run: () => move(1) },
    { key: "ArrowUp", help: "", run: () => move(-1) },
    ...keys,
    { key: "n", help: t("keys.new"), run: () => show("new") },
    { key: "f", help: t("keys.filter"), run: () => setFiltering((on) => !on) },
    { key: "t", help: t("time.keys.slider"), run: () => setTiming((on) => !on) },
    { key: "Escape", help: t("keys.close"), run: () => (picked.size > 0 ? clear() : show("")) },
  ]);

  const saved = (memory: Memory, text: string) => {
    setEditing(undefined);
    rows.put(memory);
    tell(text, memory.version > 1 ? async () => rows.put(await loci.history.revert(memory.id, { version: memory.version - 1 }, { ifMatch: memory.version })) : undefined);
  };
  return (
    <div class={open ? "memories opened" : "memories"}>
      <section class="side" aria-label={t("memories.title")}>
        <h1 class="hidden">{t(look.trash ? "trash" : look.expired ? "expired" : "memories.title")}</h1>
        <SearchBar look={look} input={search} filtering={filtering} onFilter={() => setFiltering(!filtering)} timing={timing} onTime={() => setTiming(!timing)} onLook={lookAt} onNew={() => show("new")} />
        {timing && !whole && <KnownAt at={look.at} onAt={(at) => go(addressOf(path, queryOf({ ...look, at })), { replace: true })} />}
        {filtering && <Filters look={look} onLook={lookAt} />}
        {picked.size > 0 && !look.at && !look.expired && <Bulk picked={chosen} inTrash={look.trash} rows={rows} onAll={all} onDone={clear} />}
        <Found rows={rows} look={look} />
        <Body rows={rows} look={look} onNew={() => show("new")}>
          <List label={t("memories.title")} items={rows.rows} total={rows.atLeast ? undefined : rows.total} height={rowHeight} current={current} more={rows.more} onMore={rows.readMore}
            row={(row: Row) => (
              <MemoryRow row={row} address={addressOf(`${path}/${row.id}`, queryOf(look))} open={row.id === open} picked={picked.has(row.id)} onPick={(on, range) => pick(row.id, on, range)} />
            )}
          />
        </Body>
      </section>
      <section class="pane" aria-label={t("reading")}>
        {open === "new" ? (
          <Editor key="new" onCancel={() => show("")} onSaved={(memory) => { tell(t("new.done")); rows.reload(); show(memory.id, { replace: true }); }} />
        ) : editing && editing.id === open ? (
          <Editor key={editing.id} memory={editing} onCancel={() => setEditing(undefined)} onSaved={(memory) => saved(memory, t("edit.done"))} />
        ) : open ? (
          <Reading key={`${open} ${look.at}`} id={open} at={look.at || (look.expired ? beforeEnd(rows.rows.find(({ id }) => id === open)) : "")} row={rows.rows.find(({ id }) => id === open)} rows={rows} onClose={() => show("")} onEdit={setEditing} />
        ) : (
          <Empty title={t("reading.none")}><p>{t("reading.none.text")}</p></Empty>
        )}
      </section>
    </div>
  );
}

/** A moment at which a memory had not expired yet, so that its text can be read. */
function beforeEnd(row: Row | undefined): string {
  return row?.expires_at ? new Date(Date.parse(row.expires_at) - 1).toISOString() : "";
}

interface SearchProps {
  look: Look;
  timing: boolean;
  onTime: () => void;
  input: preact.RefObject<HTMLInputElement | null>;
  filtering: boolean;
  onFilter: () => void;
  onLook: (look: Look) => void;
  onNew: () => void;
}

function SearchBar({ look, input, filtering, onFilter, timing, onTime, onLook, onNew }: SearchProps) {
  const [q, setQ] = useState(look.q);
  useEffect(() => setQ(look.q), [look.q]);
  const n = filters(look);
  const whole = look.trash || look.expired;
  return (
    <div class="bar">
      {whole && <h2>{t(look.trash ? "trash" : "expired")}</h2>}
      <form role="search" onSubmit={(event) => { event.preventDefault(); onLook({ ...look, q: q.trim(), weak: false }); input.current?.blur(); }}>
        <input ref={input} type="search" aria-label={t("search")} placeholder={t("search.hint")} value={q} onInput={(event) => setQ(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Escape" && input.current?.blur()} />
        <button class="button">{t("search")}</button>
      </form>
      <button type="button" class="button" aria-expanded={filtering} onClick={onFilter}>{t("filters")}{n > 0 ? ` (${n})` : ""}</button>
      {!whole && <button type="button" class="button" aria-expanded={timing} onClick={onTime}>{t("time.slider")}</button>}
      {!whole && <button type="button" class="button primary" onClick={onNew}>{t("new")}</button>}
      <a class="button" href={whole ? addressOf(path) : addressOf(path, { trash: "1" })}>{t(whole ? "trash.leave" : "trash")}</a>
    </div>
  );
}

/** How many there are, and what a search left out. */
function Found({ rows, look }: { rows: Rows; look: Look }) {
  if (rows.total === undefined) return <p class="found" role="status" />;
  const fallback = look.q ? rows.rows[0]?.why?.fallback : undefined;
  const notes = [t(rows.atLeast ? "found.atLeast" : "found", { n: rows.total })];
  if (rows.stopped) notes.push(t(`found.stopped.${rows.stopped}`));
  if (rows.meaning && rows.meaning !== "ready") notes.push(t(`found.meaning.${rows.meaning}`, { percent: rows.meaningDone ?? 0 }));
  if (fallback) notes.push(t(`why.fallback.${fallback}`));
  if (look.trash && rows.rows.length > 0) notes.push(t("trash.days"));
  return <p class="found" role="status">{notes.join(" · ")}</p>;
}

function Body({ rows, look, onNew, children }: { rows: Rows; look: Look; onNew: () => void; children: preact.ComponentChildren }) {
  if (rows.rows.length > 0) {
    return <>{rows.error !== undefined && <Failed error={rows.error} retry={rows.reload} />}{children}</>;
  }
  if (rows.error !== undefined) return <Failed error={rows.error} retry={rows.reload} />;
  if (rows.loading) return <Loading />;
  if (rows.nothingFits) {
    return <Empty title={t("found.nothingFits", { q: look.q })}><a class="button" href={addressOf(path, queryOf({ ...look, weak: true }))}>{t("found.weak")}</a></Empty>;
  }
  if (look.at) return <Empty title={t("time.empty")} />;
  if (look.q || filters(look) > 0) {
    return <Empty title={look.q ? t("found.none", { q: look.q }) : t("found.noneFiltered")}><a class="button" href={addressOf(path, queryOf({ ...everything, trash: look.trash, expired: look.expired }))}>{t("found.all")}</a></Empty>;
  }
  if (look.trash) return <Empty title={t("trash.empty")} />;
  if (look.expired) return <Empty title={t("expired.empty")} />;
  return (
    <Empty title={t("memories.none")}>
      <p>{t("memories.none.text")}</p>
      <p><code>{`${location.origin}/mcp`}</code></p>
      <div class="actions">
        <button type="button" class="button primary" onClick={onNew}>{t("new")}</button>
        <a class="button" href="/app/connections">{t("memories.connect")}</a>
      </div>
    </Empty>
  );
}

/** Goes on with what the person wanted before they proved who they are. */
async function goOn(rows: Rows): Promise<void> {
  const wanted = resumed("memories.");
  if (!wanted) return;
  const { ids } = wanted;
  const n = ids.length;
  if (wanted.what === "memories.erase") return erase(ids, rows);
  if (wanted.what === "memories.trash") {
    if (await confirm({ title: t("trash.title"), text: t("trash.ask", { n }), yes: t("trash.yes"), danger: true })) await trash(ids.map((id) => ({ id, title: "" })), rows, true);
    return;
  }
  if (await confirm({ title: t("restore"), text: t("restore.ask", { n }), yes: t("restore") })) await withProof(wanted, () => restore(ids, rows));
}
