import type { Event } from "@loci-memory/sdk";
import { useEffect, useRef, useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { Dialog } from "../../dialog.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { leave } from "../../leave.ts";
import { beginning, legible } from "../../legible.ts";
import { List } from "../../list.tsx";
import { useFollow } from "../../live.ts";
import { useLast, useLoad } from "../../load.ts";
import { Empty, Failed, Loading, Unread } from "../../states.tsx";
import { dayAndClock, when } from "../../time.ts";
import { Chart } from "./chart.tsx";
import { usePages } from "./pages.ts";

/** How often the events are read again, because the stream of changes tells only of those in sessions. */
const pause = 30_000;

/** The events of a session, or of all that the person sees: when they were, of which types, each in full. */
export function Events({ of, active }: { of: string; active: boolean }) {
  const [types, setTypes] = useState<readonly string[]>([]);
  const [q, setQ] = useState("");
  const [typed, setTyped] = useState("");
  const [follow, setFollow] = useState(active);
  const [current, setCurrent] = useState("");
  const [shown, setShown] = useState<Event>();
  const search = useRef<HTMLInputElement>(null);
  const base = { session_id: of || undefined, q: q || undefined };
  const list = usePages<Event>(`${of} ${types.join()} ${q}`, pause, async (cursor, signal) => {
    const page = await loci.events.list({ ...base, event_type: types.length > 0 ? [...types] : undefined, limit: 200, cursor: cursor || undefined }, { signal });
    return { rows: page.events, next: page.next_cursor };
  });
  const newest = list.rows[0]?.id;
  const stats = useLoad((signal) => loci.events.stats(base, { signal }), [of, q]);
  const density = useLoad((signal) => loci.events.stats({ ...base, event_type: types.length > 0 ? [...types] : undefined, parts: 60 }, { signal }), [of, q, types]);
  const recount = () => [stats, density].forEach(({ reload }) => reload());
  useFollow("events", () => { list.reload(); recount(); }, of);
  useEffect(() => { if (newest) recount(); }, [newest]); // the list also finds what the stream of changes does not tell of
  const byType = Object.entries(useLast(stats.value)?.by_event_type ?? {}).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  useEffect(() => {
    if (follow && newest) setCurrent(newest); // what is new comes into sight
  }, [follow, newest]);
  const move = (by: number) => {
    const at = list.rows.findIndex(({ id }) => id === current);
    const next = list.rows[Math.max(0, Math.min(list.rows.length - 1, at < 0 ? 0 : at + by))];
    if (!next) return;
    setFollow(false);
    setCurrent(next.id);
  };
  const toggle = (type: string) => setTypes((old) => (old.includes(type) ? old.filter((other) => other !== type) : [...old, type]));
  useKeys([
    { key: "/", help: t("sessions.keys.search"), run: () => search.current?.focus() },
    { key: "n", help: t("sessions.keys.next"), run: () => move(1) },
    { key: "p", help: t("sessions.keys.previous"), run: () => move(-1) },
    { key: "o", help: t("sessions.keys.open"), run: () => setShown(list.rows.find(({ id }) => id === current)) },
    { key: "f", help: t("sessions.keys.follow"), run: () => setFollow((on) => !on) },
  ]);
  const filtered = q !== "" || types.length > 0;
  return (
    <section class="sessions-events" aria-label={t("sessions.events")}>
      <div class="sessions-search">
        <form role="search" onSubmit={(event) => { event.preventDefault(); setQ(typed.trim()); search.current?.blur(); }}>
          <input ref={search} type="search" aria-label={t("sessions.search")} placeholder={t("sessions.search")} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} onKeyDown={leave} />
          <button class="button">{t("search")}</button>
        </form>
        <button type="button" class="chip" aria-pressed={follow} onClick={() => setFollow(!follow)}>{t("sessions.follow")}</button>
      </div>
      {(byType.length > 0 || types.length > 0) && (
        <div role="group" aria-label={t("sessions.types")}>
          {[...types.filter((type) => !byType.some(([other]) => other === type)).map((type): [string, number] => [type, 0]), ...byType].map(([type, count]) => (
            <button key={type} type="button" class="chip" aria-pressed={types.includes(type)} onClick={() => toggle(type)}>{legible(type)}{count > 0 && <span class="count">{count}</span>}</button>
          ))}
        </div>
      )}
      {list.error !== undefined ? <Failed error={list.error} retry={() => { list.reload(); recount(); }} /> : <Unread of={[stats, density]} />}
      {list.rows.length > 0 ? (
        <>
          {density.value && <Chart of={density.value} />}
          <div class="sessions-list">
            <List label={t("sessions.events")} items={list.rows} total={list.more ? undefined : list.rows.length} height={60} current={current} more={list.more} onMore={list.readMore} row={(event) => <EventRow event={event} onOpen={() => { setCurrent(event.id); setShown(event); }} />} />
          </div>
        </>
      ) : list.loading ? <Loading /> : list.error === undefined && (
        <Empty title={t(filtered ? "sessions.noMatch" : "sessions.noEvents")}>
          {filtered ? <button type="button" class="button" onClick={() => { setQ(""); setTyped(""); setTypes([]); }}>{t("sessions.showAll")}</button> : <p>{t("sessions.noEvents.text")}</p>}
        </Empty>
      )}
      {shown && <OneEvent event={shown} onClose={() => setShown(undefined)} />}
    </section>
  );
}

function EventRow({ event, onOpen }: { event: Event; onOpen: () => void }) {
  return (
    <button type="button" class="sessions-event" onClick={onOpen}>
      <span class="line meta">
        <span class={event.event_type === "error" ? "tag warn" : "tag"}>{legible(event.event_type)}</span>
        <span>{legible(event.actor ?? event.origin)}</span>
        <time dateTime={event.time} title={when(event.time)}>{dayAndClock(event.time)}</time>
      </span>
      <span class="line text">{beginning(event.content)}</span>
    </button>
  );
}

function OneEvent({ event, onClose }: { event: Event; onClose: () => void }) {
  const facts: [string, string][] = [
    [t("sessions.event.time"), when(event.time)],
    [t("sessions.event.by"), [event.actor, event.origin].filter(Boolean).map((name) => legible(name!)).join(" · ")],
    [t("field.tags"), legible(event.tags.join(", "))],
    [t("sessions.event.metadata"), event.metadata ? legible(JSON.stringify(event.metadata, null, 1)) : ""],
    [t("facts.id"), event.id],
  ];
  return (
    <Dialog title={legible(event.event_type)} onClose={onClose}>
      <p class="sessions-text">{legible(event.content)}</p>
      <dl class="sessions-facts">{facts.filter(([, value]) => value !== "").map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
      <button type="button" class="button" autofocus onClick={onClose}>{t("close")}</button>
    </Dialog>
  );
}
