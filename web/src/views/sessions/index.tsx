import type { Session } from "@loci-memory/sdk";
import { useMemo, useRef, useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { leave } from "../../leave.ts";
import { legible } from "../../legible.ts";
import { focusRow, List } from "../../list.tsx";
import { concerns, useChanges, useFollow } from "../../live.ts";
import { useLoad } from "../../load.ts";
import { addressOf, go, usePlace } from "../../router.ts";
import { Empty, Failed, Loading, Shown } from "../../states.tsx";
import { shortWhen, when } from "../../time.ts";
import { vendors } from "../memories/words.ts";
import { Events } from "./events.tsx";
import { usePages } from "./pages.ts";
import { Preview } from "./preview.tsx";
import { Reflect } from "./reflect.tsx";
import "./sessions.css";

/** How often the list asks when sessions were last used: the stream of changes does not have that. */
const often = 60_000;

/** The id of the row that stands for all events. */
const all = "all";

const tabs = ["events", "context"] as const;
type Tab = (typeof tabs)[number];

/** What happens in sessions: when, of which types, live; what a context pack would have; and what of it should be kept. */
export default function Sessions() {
  const place = usePlace();
  const state = place.query.get("state") === "active" ? "active" : place.query.get("state") === "closed" ? "closed" : "";
  const tab = tabs.find((name) => name === place.query.get("tab")) ?? "events";
  const open = place.path.split("/")[1] ?? "";
  const list = usePages<Session>(state, often, async (cursor, signal) => {
    const page = await loci.sessions.list({ state: state || undefined, limit: 50, cursor: cursor || undefined }, { signal });
    return { rows: page.sessions, next: page.next_cursor };
  });
  useFollow("session", list.reload);
  const [cursor, setCursor] = useState("");
  const rows = useMemo(() => [{ id: all } as Session, ...list.rows], [list.rows]);
  const current = open || cursor;
  const box = useRef<HTMLSelectElement>(null);

  const queryOf = (change: { state?: string; tab?: Tab }) => {
    const query = new URLSearchParams();
    const next = { state, tab, ...change };
    if (next.state) query.set("state", next.state);
    if (next.tab !== "events") query.set("tab", next.tab);
    return query;
  };
  const show = (id: string, replace = false) => go(addressOf(id ? `sessions/${id}` : "sessions", queryOf({})), { replace });
  const move = (by: number) => {
    const at = rows.findIndex(({ id }) => id === current);
    const next = rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + by))];
    if (!next) return;
    setCursor(next.id);
    if (matchMedia("(min-width: 56.01rem)").matches) show(next.id, open !== "");
    focusRow(next.id, ".side");
  };
  useKeys([
    { key: "j", help: t("sessions.keys.down"), run: () => move(1) },
    { key: "k", help: t("sessions.keys.up"), run: () => move(-1) },
    { key: "ArrowDown", help: "", run: () => move(1) },
    { key: "ArrowUp", help: "", run: () => move(-1) },
    { key: "g", help: t("sessions.keys.state"), run: () => box.current?.focus() },
    { key: "Escape", help: t("keys.close"), run: () => show("") },
  ]);
  return (
    <div class={open ? "memories opened" : "memories"}>
      <section class="side" aria-label={t("sessions.title")}>
        <div class="bar sessions-bar">
          <h1>{t("sessions.title")}</h1>
          <select ref={box} aria-label={t("sessions.state")} value={state} onKeyDown={leave}
            onChange={(event) => go(addressOf("sessions", queryOf({ state: event.currentTarget.value })))}>
            <option value="">{t("sessions.state.all")}</option>
            <option value="active">{t("sessions.state.active")}</option>
            <option value="closed">{t("sessions.state.closed")}</option>
          </select>
        </div>
        {list.error !== undefined && <Failed error={list.error} retry={list.reload} />}
        {list.rows.length > 0 ? (
          <List label={t("sessions.title")} items={rows} total={list.more ? undefined : rows.length} height={60} current={current} more={list.more} onMore={list.readMore}
            row={(row) => <SessionRow session={row} address={addressOf(`sessions/${row.id}`, queryOf({}))} open={row.id === open} />} />
        ) : list.loading && list.error === undefined ? <Loading /> : (
          <>
            <div class="sessions-alone"><SessionRow session={rows[0]!} address={addressOf(`sessions/${all}`, queryOf({}))} open={open === all} /></div>
            {list.error === undefined && <Empty title={t(state ? "sessions.empty.filtered" : "sessions.empty")}>
              {state ? <a class="button" href={addressOf("sessions", queryOf({ state: "" }))}>{t("sessions.state.all")}</a> : <><p>{t("sessions.empty.text")}</p><a class="button" href={addressOf("connections")}>{t("memories.connect")}</a></>}
            </Empty>}
          </>
        )}
      </section>
      <section class="pane" aria-label={t("sessions.session")}>
        {open === all ? <AllEvents onClose={() => show("")} /> : open ? (
          <OneSession key={open} id={open} known={list.rows.find(({ id }) => id === open)} tab={tab} tabAddress={(next) => addressOf(`sessions/${open}`, queryOf({ tab: next }))} onClose={() => show("")} />
        ) : <Empty title={t("sessions.none")}><p>{t("sessions.none.text")}</p></Empty>}
      </section>
    </div>
  );
}

/** What a session is called. */
export function nameOf(session: Session): string {
  return session.title ? legible(session.title) : t("sessions.untitled", { origin: legible(session.origin) });
}

function SessionRow({ session, address, open }: { session: Session; address: string; open: boolean }) {
  return (
    <div class="memory-row sessions-row">
      <a href={address} data-id={session.id} aria-current={open ? "true" : undefined}>
        {session.id === all ? <span class="line"><strong>{t("sessions.all")}</strong></span> : (
          <>
            <span class="line">
              <strong>{nameOf(session)}</strong>
              <time dateTime={session.last_active_at} title={when(session.last_active_at)}>{shortWhen(session.last_active_at)}</time>
            </span>
            <span class="line meta"><span>{legible(session.origin)} · {t(`sessions.state.${session.state}`)}</span></span>
          </>
        )}
      </a>
    </div>
  );
}

function AllEvents({ onClose }: { onClose: () => void }) {
  return (
    <article class="reading sessions-wide" aria-label={t("sessions.all")}>
      <button type="button" class="button back" onClick={onClose}>← {t("reading.back")}</button>
      <h2>{t("sessions.all")}</h2>
      <Events of="" active />
    </article>
  );
}

function OneSession({ id, known, tab, tabAddress, onClose }: { id: string; known: Session | undefined; tab: Tab; tabAddress: (tab: Tab) => string; onClose: () => void }) {
  const loaded = useLoad<Session>((signal) => (known ? Promise.resolve(known) : loci.sessions.get(id, { signal })), [id, known?.updated_at, known?.state]);
  useChanges("session", (changes) => !known && concerns(changes, id) && loaded.reload());
  const [reflecting, setReflecting] = useState(false);
  useKeys([
    { key: "c", help: t("sessions.keys.tab"), run: () => go(tabAddress(tab === "events" ? "context" : "events")) },
    { key: "r", help: t("sessions.keys.reflect"), run: () => loaded.value && setReflecting(true) },
  ]);
  return (
    <article class="reading sessions-wide" aria-label={t("sessions.session")}>
      <button type="button" class="button back" onClick={onClose}>← {t("reading.back")}</button>
      <Shown of={loaded}>
        {(session) => (
          <>
            <h2>{nameOf(session)}</h2>
            <Facts session={session} />
            <div class="actions">
              <nav class="see-tabs" aria-label={t("sessions.tabs")}>
                {tabs.map((name) => <a key={name} class="button" href={tabAddress(name)} aria-current={name === tab ? "page" : undefined}>{t(`sessions.tab.${name}`)}</a>)}
              </nav>
              <button type="button" class="button" onClick={() => setReflecting(true)}>{t("sessions.reflect")}</button>
              <a class="button" href={addressOf("memories", { session: session.id })}>{t("sessions.memories")}</a>
              <a class="button" href={addressOf("time", { session: session.id })}>{t("sessions.undo")}</a>
            </div>
            {tab === "events" ? <Events key={session.id} of={session.id} active={session.state === "active"} /> : <Preview session={session} />}
            {reflecting && <Reflect session={session} onClose={() => setReflecting(false)} />}
          </>
        )}
      </Shown>
    </article>
  );
}

function Facts({ session }: { session: Session }) {
  const agent = useLoad((signal) => (session.agent_id ? loci.agents.get(session.agent_id, { signal }).then(({ name }) => name).catch(() => undefined) : Promise.resolve(undefined)), [session.agent_id]);
  const facts = [
    t(`sessions.state.${session.state}`) + (session.expired ? ` (${t("sessions.idle")})` : ""),
    t(`sessions.reach.${session.reach}`),
    vendors(session.allowed_vendors),
    agent.value ? t("sessions.agent", { agent: legible(agent.value) }) : "",
    t("sessions.times", { from: when(session.created_at), to: when(session.closed_at ?? session.last_active_at) }),
  ];
  return <p class="meta">{facts.filter(Boolean).join(" · ")}</p>;
}
