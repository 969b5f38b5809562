import type { AuditEntry, Identity, User } from "@loci-memory/sdk";
import { useMemo, useRef, useState } from "preact/hooks";
import { isAdmin, loci } from "../../api.ts";
import { Dialog } from "../../dialog.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { leave } from "../../leave.ts";
import { legible } from "../../legible.ts";
import { List } from "../../list.tsx";
import { useLoad } from "../../load.ts";
import { number } from "../../numbers.ts";
import { nameOf } from "../../person.ts";
import { addressOf, go, usePlace } from "../../router.ts";
import { Empty, Failed, Loading, Unread } from "../../states.tsx";
import { dayAndClock, when } from "../../time.ts";
import { usePages } from "../sessions/pages.ts";
import { actions, deed, methodOf } from "./deeds.ts";
import "../sessions/sessions.css";

/** How often new entries are asked for. */
const often = 60_000;

const spans = [1, 7, 30, 365] as const;

/** The audit trail, as far as the person may see it: filters, a list of any length, and each entry in full. */
export function Audit({ who }: { who: Identity }) {
  const query = usePlace().query;
  const [action, person, days, denied] = ["action", "person", "days", "denied"].map((name) => query.get(name) ?? "") as [string, string, string, string];
  const admin = isAdmin(who);
  const members = useLoad(async (signal) => {
    const all: User[] = [];
    if (admin) for await (const one of loci.orgs.allMembers(who.org_id, { limit: 500 }, { signal })) if (all.push(one) >= 5000) break;
    return all;
  }, [who.org_id, admin]);
  const names = useMemo(() => new Map(members.value?.map((one) => [one.id, nameOf(one)])), [members.value]);
  const since = useMemo(() => (Number(days) > 0 ? new Date(Date.now() - Number(days) * 86_400_000).toISOString() : undefined), [days]);
  const list = usePages<AuditEntry>(`${action} ${person} ${since} ${denied}`, often, async (cursor, signal) => {
    const page = await loci.orgs.listAudit(who.org_id, {
      action: action || undefined, user_id: person || undefined, since, denied: denied ? true : undefined, limit: 100, cursor: cursor || undefined,
    }, { signal });
    return { rows: page.entries, next: page.next_cursor };
  });
  const [current, setCurrent] = useState("");
  const [shown, setShown] = useState<AuditEntry>();
  const select = useRef<HTMLSelectElement>(null);
  const filter = (name: string, value: string) => {
    const next = new URLSearchParams(query);
    if (value) next.set(name, value);
    else next.delete(name);
    go(addressOf("org/audit", next), { replace: true });
  };
  const move = (by: number) => {
    const at = list.rows.findIndex(({ id }) => id === current);
    const next = list.rows[Math.max(0, Math.min(list.rows.length - 1, at < 0 ? 0 : at + by))];
    if (next) setCurrent(next.id);
  };
  useKeys([
    { key: "j", help: t("audit.keys.down"), run: () => move(1) },
    { key: "k", help: t("audit.keys.up"), run: () => move(-1) },
    { key: "o", help: t("audit.keys.open"), run: () => setShown(list.rows.find(({ id }) => id === current)) },
    { key: "/", help: t("audit.keys.filter"), run: () => select.current?.focus() },
    { key: "d", help: t("audit.keys.denied"), run: () => filter("denied", denied ? "" : "1") },
  ]);
  const actor = (entry: AuditEntry) => actorOf(entry, who, names);
  const filtered = Boolean(action || person || days || denied);
  return (
    <section class="org-audit">
      <h2>{t("org.tab.audit")}</h2>
      <p class="hint">{t(admin ? "audit.text.admin" : "audit.text")}</p>
      <div class="org-audit-filters" role="group" aria-label={t("audit.filters")}>
        <select ref={select} aria-label={t("audit.action")} value={action} onKeyDown={leave} onChange={(event) => filter("action", event.currentTarget.value)}>
          <option value="">{t("audit.action")}: {t("audit.action.all")}</option>
          {[...actions].sort((a, b) => deed(a).localeCompare(deed(b))).map((one) => <option key={one} value={one}>{deed(one)}</option>)}
          {action && !actions.includes(action) && <option value={action}>{legible(action)}</option>}
        </select>
        {admin && (
          <select aria-label={t("audit.person")} value={person} onKeyDown={leave} onChange={(event) => filter("person", event.currentTarget.value)}>
            <option value="">{t("audit.person")}: {t("audit.person.all")}</option>
            {members.value?.map((one) => <option key={one.id} value={one.id}>{nameOf(one)}</option>)}
            {person && !names.has(person) && <option value={person}>{nameOf({ id: person })}</option>}
          </select>
        )}
        <select aria-label={t("audit.since")} value={days} onKeyDown={leave} onChange={(event) => filter("days", event.currentTarget.value)}>
          <option value="">{t("audit.since")}: {t("audit.since.all")}</option>
          {spans.map((n) => <option key={n} value={String(n)}>{t("audit.days", { n })}</option>)}
        </select>
        <button type="button" class="chip" aria-pressed={denied !== ""} onClick={() => filter("denied", denied ? "" : "1")}>{t("audit.denied")}</button>
      </div>
      {list.error !== undefined ? <Failed error={list.error} retry={() => { list.reload(); members.reload(); }} /> : <Unread of={[members]} />}
      {list.rows.length > 0 ? (
        <div class="sessions-list org-audit-list">
          <List label={t("org.tab.audit")} items={list.rows} total={list.more ? undefined : list.rows.length} height={60} current={current} more={list.more} onMore={list.readMore}
            row={(entry) => <Row entry={entry} actor={actor(entry)} onOpen={() => { setCurrent(entry.id); setShown(entry); }} />} />
        </div>
      ) : list.loading ? <Loading /> : list.error === undefined && (
        <Empty title={t(filtered ? "audit.none.filtered" : "audit.none")}>
          {filtered && <button type="button" class="button" onClick={() => go(addressOf("org/audit"), { replace: true })}>{t("audit.all")}</button>}
        </Empty>
      )}
      {shown && <OneEntry entry={shown} actor={actor(shown)} about={names.get(shown.target ?? "")} onClose={() => setShown(undefined)} />}
    </section>
  );
}

/** Who acted: the person, one of their assistants, or the operator. */
function actorOf(entry: AuditEntry, who: Identity, names: ReadonlyMap<string, string>): string {
  if (!entry.user_id) return t("audit.operator");
  const person = entry.user_id === who.user_id ? t("audit.you") : names.get(entry.user_id) ?? t("audit.gone");
  return entry.vendor ? t("audit.assistant", { person, vendor: legible(entry.vendor) }) : person;
}

function Row({ entry, actor, onOpen }: { entry: AuditEntry; actor: string; onOpen: () => void }) {
  return (
    <button type="button" class="sessions-event" onClick={onOpen}>
      <span class="line meta">
        {!entry.allowed && <span class="tag warn">{t("audit.rejected")}</span>}
        <span>{actor}</span>
        <time dateTime={entry.at} title={when(entry.at)}>{dayAndClock(entry.at)}</time>
      </span>
      <span class="line text">{deed(entry.action)}</span>
    </button>
  );
}

function OneEntry({ entry, actor, about, onClose }: { entry: AuditEntry; actor: string; about: string | undefined; onClose: () => void }) {
  const facts: [string, string][] = [
    [t("audit.since"), when(entry.at)],
    [t("audit.person"), actor],
    [t("audit.result"), t(entry.allowed ? "audit.allowed" : "audit.rejected")],
    [t("audit.method"), methodOf(entry.method)],
    [t("audit.target"), [about, legible(entry.target ?? "")].filter(Boolean).join(" · ")],
    [t("audit.count"), entry.count ? number(entry.count) : ""],
    [t("audit.credential"), entry.credential_id ?? ""],
    [t("audit.name"), legible(entry.action)],
  ];
  return (
    <Dialog title={deed(entry.action)} onClose={onClose}>
      <dl class="sessions-facts">{facts.filter(([, value]) => value !== "").map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
      <button type="button" class="button" autofocus onClick={onClose}>{t("close")}</button>
    </Dialog>
  );
}
