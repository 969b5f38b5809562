import type { Memory } from "@loci-memory/sdk";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { leave } from "../../leave.ts";
import { legible } from "../../legible.ts";
import { focusRow, List } from "../../list.tsx";
import { useLoad } from "../../load.ts";
import { usePicks } from "../../picks.ts";
import { addressOf, go, usePlace } from "../../router.ts";
import { Empty, Failed, Loading, Unread } from "../../states.tsx";
import { KnownAt } from "../memories/known.tsx";
import { everything, filters, lookOf, type Look } from "../memories/look.ts";
import { useRows, type Row } from "../memories/pages.ts";
import { MemoryRow, rowHeight } from "../memories/row.tsx";
import { both, useCalm, useOwn } from "./counts.ts";
import { Explain } from "./explain.tsx";
import { label, labels, ordered } from "./groups.ts";
import { addressOfCell } from "./matrix.tsx";
import { NarrowDialog } from "./narrow.tsx";

type Side = "visible" | "hidden";

/** What a vendor's assistants get of the person's memories, by the same rule and routes as for their keys, and what is hidden from them. */
export function ViewAs({ vendor, open }: { vendor: string; open: string }) {
  const place = usePlace();
  const look = useMemo(() => lookOf(place.query), [place.query.toString()]);
  const side: Side = place.query.get("list") === "hidden" ? "hidden" : "visible";
  const shown = useMemo((): Look => ({ ...look, reader: side === "visible" ? vendor : "", hidden: side === "hidden" ? vendor : "" }), [look, side, vendor]);
  const rows = useRows(shown);
  const name = legible(label(vendor));
  const counts = useLoad((signal) => both(look, vendor, signal), [place.query.toString(), vendor]);
  useCalm(counts.reload);
  const again = () => [rows, counts].forEach(({ reload }) => reload());
  const own = useOwn();
  const vendors = ordered([...(own.value?.vendors ?? []), vendor]);
  const [cursor, setCursor] = useState("");
  const [narrowing, setNarrowing] = useState<"picked" | "all" | Memory>();
  const [timing, setTiming] = useState(look.at !== "");
  const search = useRef<HTMLInputElement>(null);
  const current = rows.rows.some(({ id }) => id === cursor) ? cursor : open;
  const { picked, chosen, pick, all, clear, keys } = usePicks(rows.rows, place.query.toString(), current);

  const to = (id: string, where = side, of = look) => addressOfCell(vendor, of, where, id);
  const show = (id: string, { replace = false } = {}) => go(to(id), { replace });
  useEffect(() => void (open && setCursor(open)), [open]);
  const move = (by: number) => {
    const at = rows.rows.findIndex(({ id }) => id === current);
    const next = rows.rows[Math.max(0, Math.min(rows.rows.length - 1, at < 0 ? 0 : at + by))];
    if (!next) return;
    setCursor(next.id);
    if (matchMedia("(min-width: 56.01rem)").matches) show(next.id, { replace: open !== "" });
    focusRow(next.id);
  };
  const here = rows.rows.find(({ id }) => id === current);
  const narrowHere = () => {
    if (look.at) return;
    if (chosen.length > 0) setNarrowing("picked");
    else if (here) setNarrowing(here);
  };
  useKeys([
    { key: "/", help: t("keys.search"), run: () => search.current?.focus() },
    { key: "j", help: t("keys.down"), run: () => move(1) },
    { key: "k", help: t("keys.up"), run: () => move(-1) },
    { key: "ArrowDown", help: "", run: () => move(1) },
    { key: "ArrowUp", help: "", run: () => move(-1) },
    ...keys,
    { key: "x", help: t("see.keys.take"), run: narrowHere },
    { key: "X", help: t("see.keys.takeAll"), run: () => look.at === "" && setNarrowing("all") },
    { key: "h", help: t("see.keys.side"), run: () => go(to("", side === "visible" ? "hidden" : "visible")) },
    { key: "t", help: t("time.keys.slider"), run: () => setTiming((on) => !on) },
    { key: "Escape", help: t("keys.close"), run: () => (picked.size > 0 ? clear() : open ? show("") : go(addressOf("visibility"))) },
  ]);
  const number = (n: number | undefined) => (n === undefined ? "…" : t("see.number", { count: n }) + (counts.value?.atLeast ? "+" : ""));
  return (
    <div class={open ? "memories opened" : "memories"}>
      <section class="side" aria-label={t("see.viewAs", { vendor: name })}>
        <div class="bar">
          <h1 class="see-as">{t("see.viewAs", { vendor: name })}</h1>
          <a class="button" href={addressOf("visibility")}>{t("see.matrix")}</a>
          <SearchForm look={look} input={search} onLook={(next) => go(to("", side, next))} />
          <select aria-label={t("see.as")} value={vendor} onChange={(event) => go(addressOfCell(event.currentTarget.value, look, side))}>
            {ordered([...vendors, ...Object.keys(labels)]).map((one) => <option key={one} value={one}>{legible(label(one))}</option>)}
          </select>
          <button type="button" class="button" aria-expanded={timing} onClick={() => setTiming(!timing)}>{t("time.slider")}</button>
        </div>
        {timing && <KnownAt at={look.at} onAt={(at) => go(to("", side, { ...look, at }), { replace: true })} />}
        <nav class="see-sides" aria-label={t("see.sides")}>
          <a href={to("", "visible")} aria-current={side === "visible" ? "page" : undefined}>{t("see.side.visible", { vendor: name })} <span class="count">{number(counts.value?.visible)}</span></a>
          <a href={to("", "hidden")} aria-current={side === "hidden" ? "page" : undefined}>{t("see.side.hidden", { vendor: name })} <span class="count">{number(counts.value?.hidden)}</span></a>
        </nav>
        {rows.error === undefined && <Unread of={[counts]} />}
        <Conditions look={look} onLook={(next) => go(to("", side, next))} />
        {side === "visible" && rows.rows.length > 0 && look.at === "" && (
          <div class="bulk" role="toolbar" aria-label={t("bulk.title")}>
            {chosen.length > 0 ? (
              <>
                <strong>{t("bulk.picked", { n: chosen.length })}</strong>
                <button type="button" onClick={() => setNarrowing("picked")}>{t("see.take")}</button>
                <button type="button" onClick={all}>{t("inbox.selectAll")}</button>
                <button type="button" onClick={clear}>{t("bulk.none")}</button>
              </>
            ) : (
              <button type="button" onClick={() => setNarrowing("all")}>{t("see.takeAll")}</button>
            )}
          </div>
        )}
        {rows.rows.length > 0 ? (
          <>
            {rows.error !== undefined && <Failed error={rows.error} retry={again} />}
            <List label={t("memories.title")} items={rows.rows} total={rows.atLeast ? undefined : rows.total} height={rowHeight} current={current} more={rows.more} onMore={rows.readMore}
              row={(row: Row) => <MemoryRow row={row} address={to(row.id)} open={row.id === open} picked={picked.has(row.id)} onPick={(on, range) => pick(row.id, on, range)} />}
            />
          </>
        ) : rows.error !== undefined ? <Failed error={rows.error} retry={again} /> : rows.loading ? <Loading /> : (
          <Empty title={t(side === "visible" ? "see.nothing" : "see.nothingHidden", { vendor: name })}>
            {(look.q || filters(look) > 0) && <a class="button" href={to("", side, { ...everything, at: look.at })}>{t("found.all")}</a>}
          </Empty>
        )}
      </section>
      <section class="pane" aria-label={t("reading")}>
        {open ? (
          <Explain key={open} id={open} vendor={vendor} at={look.at} onClose={() => show("")} onTake={setNarrowing} onChanged={rows.reload} />
        ) : (
          <Empty title={t("reading.none")}><p>{t("see.none.text", { vendor: name })}</p></Empty>
        )}
      </section>
      {narrowing && (
        <NarrowDialog vendor={vendor} vendors={vendors} of={narrowing === "all" ? { look: shown } : { memories: narrowing === "picked" ? chosen : [narrowing] }}
          onClose={() => setNarrowing(undefined)} onDone={() => { clear(); rows.reload(); counts.reload(); }} />
      )}
    </div>
  );
}

function SearchForm({ look, input, onLook }: { look: Look; input: preact.RefObject<HTMLInputElement | null>; onLook: (look: Look) => void }) {
  const [q, setQ] = useState(look.q);
  useEffect(() => setQ(look.q), [look.q]);
  return (
    <form role="search" onSubmit={(event) => { event.preventDefault(); onLook({ ...look, q: q.trim() }); input.current?.blur(); }}>
      <input ref={input} type="search" aria-label={t("search")} placeholder={t("search.hint")} value={q} onInput={(event) => setQ(event.currentTarget.value)}
        onKeyDown={leave} />
      <button class="button">{t("search")}</button>
    </form>
  );
}

/** The group whose cell was opened, with a way back to all. */
function Conditions({ look, onLook }: { look: Look; onLook: (look: Look) => void }) {
  const chips: [string, Look][] = [
    ...look.tags.map((tag): [string, Look] => [`#${tag}`, { ...look, tags: look.tags.filter((other) => other !== tag) }]),
    ...(["origin", "category", "scope", "project"] as const).flatMap((name): [string, Look][] => (look[name] ? [[`${t(`see.by.${name}`)}: ${name === "project" ? look[name].slice(0, 8) : look[name]}`, { ...look, [name]: "" }]] : [])),
  ];
  if (chips.length === 0) return null;
  return <div class="see-chips">{chips.map(([text, next]) => <button key={text} type="button" class="chip" aria-pressed={true} onClick={() => onLook(next)}>{legible(text)} ×</button>)}</div>;
}
