import type { Briefing, Count, Project, Session } from "@loci-memory/sdk";
import { useMemo } from "preact/hooks";
import { loci } from "../../api.ts";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";
import { useLoad } from "../../load.ts";
import { shortWhen } from "../../time.ts";
import { filters, type Look } from "./look.ts";

interface Props {
  look: Look;
  onLook: (look: Look) => void;
}

interface Facets {
  briefing: Briefing;
  projects: Project[];
  sessions: Session[];
}

async function facets(signal: AbortSignal): Promise<Facets> {
  const [briefing, projects, sessions] = await Promise.all([
    loci.recall.briefing({}, { signal }),
    loci.projects.list({ status: "all", limit: 100 }, { signal }),
    loci.sessions.list({ limit: 50 }, { signal }),
  ]);
  return { briefing, projects: projects.projects, sessions: sessions.sessions };
}

/** The filters, with how many memories each tag and writer has. */
export function Filters({ look, onLook }: Props) {
  const known = useLoad(facets, []);
  const { briefing, projects = [], sessions = [] } = known.value ?? {};
  const set = (change: Partial<Look>) => onLook({ ...look, ...change });
  const scopes = useMemo(() => ["global", "project", "agent"] as const, []);
  return (
    <section class="filters" aria-label={t("filters")}>
      {briefing?.counted_newest && <p class="hint">{t("filters.newest", { n: briefing.counted_newest })}</p>}
      {known.error !== undefined && <p class="hint" role="alert">{t("filters.failed")} <button type="button" class="plain" onClick={known.reload}>{t("state.retry")}</button></p>}
      <Facet label={t("field.tags")} counts={briefing?.tags ?? []} chosen={look.tags} onToggle={(tag, on) => set({ tags: on ? [...look.tags, tag] : look.tags.filter((other) => other !== tag) })} />
      <Facet label={t("filters.origin")} counts={briefing?.origins ?? []} chosen={look.origin ? [look.origin] : []} onToggle={(origin, on) => set({ origin: on ? origin : "" })} />
      <div class="fields">
        <label>
          {t("field.scope")}
          <select value={look.scope} onChange={(event) => set({ scope: event.currentTarget.value as Look["scope"] })}>
            <option value="">{t("any")}</option>
            {scopes.map((scope) => <option key={scope} value={scope}>{t(`scope.${scope}`)}</option>)}
          </select>
        </label>
        <label>
          {t("filters.project")}
          <select value={look.project} onChange={(event) => set({ project: event.currentTarget.value })}>
            <option value="">{t("any")}</option>
            {withChosen(look.project, projects.map(({ id, name }) => [id, name])).map(([id, name]) => <option key={id} value={id}>{legible(name)}</option>)}
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
      <label class="check"><input type="checkbox" checked={look.pinned} onChange={(event) => set({ pinned: event.currentTarget.checked })} /> {t("filters.pinned")}</label>
      <label class="check"><input type="checkbox" checked={look.superseded} onChange={(event) => set({ superseded: event.currentTarget.checked })} /> {t("filters.superseded")}</label>
      {filters(look) > 0 && (
        <button type="button" class="button" onClick={() => set({ tags: [], origin: "", scope: "", project: "", session: "", from: "", to: "", pinned: false, superseded: false })}>{t("filters.clear")}</button>
      )}
    </section>
  );
}

/** What is chosen stays in the list, even if it is not among the newest. */
function withChosen(id: string, known: [string, string][]): [string, string][] {
  return id === "" || known.some(([other]) => other === id) ? known : [[id, id.slice(0, 8)], ...known];
}

function Facet({ label, counts, chosen, onToggle }: { label: string; counts: readonly Count[]; chosen: readonly string[]; onToggle: (name: string, on: boolean) => void }) {
  const shown = [...chosen.filter((name) => !counts.some((count) => count.name === name)).map((name) => ({ name, count: 0 })), ...counts.slice(0, 20)];
  if (shown.length === 0) return null;
  return (
    <fieldset class="facet">
      <legend>{label}</legend>
      {shown.map(({ name, count }) => (
        <button key={name} type="button" class="chip" aria-pressed={chosen.includes(name)} onClick={() => onToggle(name, !chosen.includes(name))}>
          {legible(name)}{count > 0 && <span class="count">{count}</span>}
        </button>
      ))}
    </fieldset>
  );
}
