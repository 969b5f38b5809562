import { loci } from "../../api.ts";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";
import { useFollow } from "../../live.ts";
import { useLoad } from "../../load.ts";
import { number } from "../../numbers.ts";
import { usePoll } from "../../poll.ts";
import { Shown } from "../../states.tsx";
import { when } from "../../time.ts";


/** What the server counts so far, as far as the person sees it. */
export function Usage() {
  const memories = useLoad((signal) => loci.memories.count({}, { signal }), []);
  const events = useLoad((signal) => loci.events.stats({}, { signal }), []);
  useFollow("memory", memories.reload);
  usePoll(events.reload, 30_000);
  return (
    <section>
      <h2>{t("org.tab.usage")}</h2>
      <p class="hint">{t("usage.text")}</p>
      <h3>{t("memories.title")}</h3>
      <Shown of={memories}>
        {({ total, facets }) => (
          <>
            <dl><div><dt>{t("memories.title")}</dt><dd>{number(total)}</dd></div></dl>
            <Table title={t("usage.writers")} rows={(facets.origin ?? []).map(({ value, count }) => [String(value), count])} />
          </>
        )}
      </Shown>
      <h3>{t("usage.events")}</h3>
      <Shown of={events}>
        {({ total, partial, sessions, first, last, by_event_type }) => (
          <>
            <dl>
              <div><dt>{t("usage.events")}</dt><dd>{partial ? t("agents.events.more", { n: total }) : number(total)}</dd></div>
              <div><dt>{t("usage.sessions")}</dt><dd>{number(sessions)}</dd></div>
              {first && last && <div><dt>{t("usage.between")}</dt><dd>{when(first)} – {when(last)}</dd></div>}
            </dl>
            <Table title={t("usage.types")} rows={Object.entries(by_event_type).sort((a, b) => b[1] - a[1])} />
          </>
        )}
      </Shown>
    </section>
  );
}

function Table({ title, rows }: { title: string; rows: [string, number][] }) {
  if (rows.length === 0) return null;
  return (
    <section>
      <h4>{title}</h4>
      <table><tbody>{rows.slice(0, 50).map(([name, n]) => <tr key={name}><th scope="row">{legible(name)}</th><td>{number(n)}</td></tr>)}</tbody></table>
    </section>
  );
}
