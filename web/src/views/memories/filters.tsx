import type { FacetCount, Project, Session } from "@loci-memory/sdk";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { loci } from "../../api.ts";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";
import { useLast, useLoad } from "../../load.ts";
import { useChanges } from "../../live.ts";
import { addressOf } from "../../router.ts";
import { Unread } from "../../states.tsx";
import { shortWhen } from "../../time.ts";
import { everything, filterOf, filters, queryOf, type Look } from "./look.ts";
import { offered } from "./vendors.tsx";

interface Props {
  look: Look;
  onLook: (look: Look) => void;
}

interface Choices {
  projects: Project[];
  sessions: Session[];
}

async function choices(signal: AbortSignal): Promise<Choices> {
  const [projects, sessions] = await Promise.all([loci.projects.list({ status: "all", limit: 100 }, { signal }), loci.sessions.list({ limit: 50 }, { signal })]);
  return { projects: projects.projects, sessions: sessions.sessions };
}

/** How long the page waits after a change before it counts again. */
const calm = 1500;

/** Counts what passes the filters, without the words and the time, which counts do not know. */
function useCounts(look: Look) {
  const { known_at: _, ...conditions } = filterOf(look);
  const counts = useLoad((signal) => loci.memories.count({ ...conditions, trashed: look.trash || undefined, expired: look.expired || undefined }, { signal, viewAs: look.reader || undefined }), [queryOf({ ...look, q: "", at: "" }).toString()]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useChanges("memory", () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(counts.reload, calm);
  });
  return counts;
}

/** The filters, with how many memories that pass them have each value. */
export function Filters({ look, onLook }: Props) {
  const known = useLoad(choices, []);
  const counted = useCounts(look);
  const { projects = [], sessions = [] } = known.value ?? {};
  const facets = useLast(counted.value)?.facets ?? {};
  const current = counted.error === undefined; // other counts are of other filters
  const set = (change: Partial<Look>) => onLook({ ...look, ...change });
  const scopes = useMemo(() => ["global", "project", "agent"] as const, []);
  const whole = look.trash || look.expired;
  const vendors = [...new Set([...offered, ...(facets.allowed_vendor ?? []).map(({ value }) => value).filter((vendor) => vendor !== "*"), look.reader, look.hidden])].filter(Boolean);
  const number = (facet: string, value: string) => {
    const count = facets[facet]?.find((one) => one.value === value)?.count;
    return count === undefined || !current ? "" : ` (${count})`;
  };
  return (
    <section class="filters" aria-label={t("filters")}>
      {(look.q || look.at) && <p class="hint">{t("filters.without")}</p>}
      <Unread of={[known, counted]} />
      <Facet label={t("field.tags")} counted={current} counts={facets.tag ?? []} chosen={look.tags} onToggle={(tag, on) => set({ tags: on ? [...look.tags, tag] : look.tags.filter((other) => other !== tag) })} />
      <Facet label={t("filters.origin")} counted={current} counts={facets.origin ?? []} chosen={look.origin ? [look.origin] : []} onToggle={(origin, on) => set({ origin: on ? origin : "" })} />
      <Facet label={t("field.category")} counted={current} counts={facets.category ?? []} chosen={look.category ? [look.category] : []} onToggle={(category, on) => set({ category: on ? category : "" })} />
      <div class="fields">
        <label>
          {t("field.scope")}
          <select value={look.scope} onChange={(event) => set({ scope: event.currentTarget.value as Look["scope"] })}>
            <option value="">{t("any")}</option>
            {scopes.map((scope) => <option key={scope} value={scope}>{t(`scope.${scope}`)}{number("scope", scope)}</option>)}
          </select>
        </label>
        <label>
          {t("filters.project")}
          <select value={look.project} onChange={(event) => set({ project: event.currentTarget.value })}>
            <option value="">{t("any")}</option>
            {withChosen(look.project, projects.map(({ id, name }) => [id, name])).map(([id, name]) => <option key={id} value={id}>{legible(name)}{number("project_id", id)}</option>)}
          </select>
        </label>
        {!whole && <label>
          {t("filters.reader")}
          <select value={look.reader} onChange={(event) => set({ reader: event.currentTarget.value, hidden: "" })}>
            <option value="">{t("any")}</option>
            {vendors.map((vendor) => <option key={vendor} value={vendor}>{legible(vendor)}</option>)}
          </select>
        </label>}
        <label>
          {t("filters.hidden")}
          <select value={look.hidden} onChange={(event) => set({ hidden: event.currentTarget.value, reader: "" })}>
            <option value="">{t("any")}</option>
            {vendors.map((vendor) => <option key={vendor} value={vendor}>{legible(vendor)}</option>)}
          </select>
        </label>
        <label>
          {t("filters.session")}
          <select value={look.session} onChange={(event) => set({ session: event.currentTarget.value })}>
            <option value="">{t("any")}</option>
            {withChosen(look.session, sessions.map((one) => [one.id, `${one.title || one.origin} · ${shortWhen(one.created_at)}`])).map(([id, name]) => <option key={id} value={id}>{legible(name)}</option>)}
          </select>
        </label>
        <label>{t("filters.from")}<input type="date" value={look.from} max={look.to || undefined} onChange={(event) => set({ from: event.currentTarget.value })} /></label>
        <label>{t("filters.to")}<input type="date" value={look.to} min={look.from || undefined} onChange={(event) => set({ to: event.currentTarget.value })} /></label>
      </div>
      <label class="check"><input type="checkbox" checked={look.pinned} onChange={(event) => set({ pinned: event.currentTarget.checked })} /> {t("filters.pinned")}{number("pinned", "true")}</label>
      {!whole && <label class="check"><input type="checkbox" checked={look.superseded} onChange={(event) => set({ superseded: event.currentTarget.checked })} /> {t("filters.superseded")}</label>}
      <div class="actions">
        {filters(look) > 0 && <button type="button" class="button" onClick={() => onLook({ ...everything, q: look.q, at: look.at, trash: look.trash, expired: look.expired })}>{t("filters.clear")}</button>}
        {!whole && <a class="button" href={addressOf("memories", { expired: "1" })}>{t("expired")}</a>}
      </div>
    </section>
  );
}

/** What is chosen stays in the list, even if it is not among the newest. */
function withChosen(id: string, known: [string, string][]): [string, string][] {
  return id === "" || known.some(([other]) => other === id) ? known : [[id, id.slice(0, 8)], ...known];
}

function Facet({ label, counts, counted, chosen, onToggle }: { label: string; counted: boolean; counts: readonly FacetCount[]; chosen: readonly string[]; onToggle: (name: string, on: boolean) => void }) {
  const shown = [...chosen.filter((name) => !counts.some(({ value }) => value === name)).map((value) => ({ value, count: 0 })), ...counts.slice(0, 20)];
  if (shown.length === 0) return null;
  return (
    <fieldset class="facet">
      <legend>{label}</legend>
      {shown.map(({ value: name, count }) => (
        <button key={name} type="button" class="chip" aria-pressed={chosen.includes(name)} onClick={() => onToggle(name, !chosen.includes(name))}>
          {legible(name)}{counted && count > 0 && <span class="count">{count}</span>}
        </button>
      ))}
    </fieldset>
  );
}
