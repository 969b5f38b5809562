import { loci } from "../../api.ts";
import { language, t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";
import { useLoad } from "../../load.ts";
import { useEvery } from "../../poll.ts";
import { Shown } from "../../states.tsx";
import { when } from "../../time.ts";

const number = (n: number) => new Intl.NumberFormat(language.get()).format(n);

/** What the server counts so far, as far as the person sees it. */
export function Usage() {
  const counts = useLoad(async (signal) => {
    const [memories, events] = await Promise.all([loci.memories.count({}, { signal }), loci.events.stats({}, { signal })]);
    return { memories, events };
  }, []);
  useEvery(counts.reload);
  return (
    <section aria-label={t("org.tab.usage")}>
      <h2>{t("org.tab.usage")}</h2>
      <p class="hint">{t("usage.text")}</p>
      <Shown of={counts}>
        {({ memories, events }) => (
          <>
            <dl>
              <div><dt>{t("memories.title")}</dt><dd>{number(memories.total)}</dd></div>
              <div><dt>{t("usage.events")}</dt><dd>{events.partial ? t("agents.events.more", { n: events.total }) : number(events.total)}</dd></div>
              <div><dt>{t("usage.sessions")}</dt><dd>{number(events.sessions)}</dd></div>
              {events.first && events.last && <div><dt>{t("usage.between")}</dt><dd>{when(events.first)} – {when(events.last)}</dd></div>}
            </dl>
            <Table title={t("usage.writers")} rows={(memories.facets.origin ?? []).map(({ value, count }) => [String(value), count])} />
            <Table title={t("usage.types")} rows={Object.entries(events.by_event_type).sort((a, b) => b[1] - a[1])} />
          </>
        )}
      </Shown>
    </section>
  );
}

function Table({ title, rows }: { title: string; rows: [string, number][] }) {
  if (rows.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <table><tbody>{rows.slice(0, 50).map(([name, n]) => <tr key={name}><th scope="row">{legible(name)}</th><td>{number(n)}</td></tr>)}</tbody></table>
    </section>
  );
}
