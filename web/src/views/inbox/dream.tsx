import type { Candidate, Dream } from "@loci-memory/sdk";
import { useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { confirm } from "../../dialog.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { legible } from "../../legible.ts";
import { useFollow } from "../../live.ts";
import { List } from "../../list.tsx";
import { useLoad } from "../../load.ts";
import { addressOf, go } from "../../router.ts";
import { Empty, Shown } from "../../states.tsx";
import { shortWhen, when } from "../../time.ts";
import { complain, tell } from "../../undo.tsx";
import { reasonWords } from "./words.ts";

const place = (id: string) => addressOf(id ? `inbox/${id}` : "inbox", { list: "dream" });

/** How many receipts the page shows. There is one a day at most, and those that people ask for. */
const most = 200;

/** The receipts of the dream-cycle: what it proposed, decided, and left to a person. For admins of the org. */
export function Receipts({ open }: { open: string }) {
  const runs = useLoad((signal) => loci.dream.list({ limit: most }, { signal }), []);
  const [tried, setTried] = useState<Dream>();
  const [busy, setBusy] = useState(false);
  useFollow("dream", runs.reload);
  const rows = runs.value?.runs ?? [];
  const at = rows.findIndex(({ id }) => id === open);
  const move = (by: number) => {
    const next = rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + by))];
    if (next) go(place(next.id), { replace: open !== "" });
  };
  const start = async (dry: boolean) => {
    if (busy || (!dry && !(await confirm({ title: t("inbox.dream.run"), text: t("inbox.dream.ask"), yes: t("inbox.dream.run") })))) return;
    setBusy(true);
    try {
      const run = await loci.dream.run({ dry_run: dry });
      setTried(dry ? run : undefined);
      go(dry ? place("dry") : place(run.id));
      runs.reload();
      if (!dry) tell(t("inbox.dream.done"));
    } catch (error) {
      complain(error);
    } finally {
      setBusy(false);
    }
  };
  useKeys([
    { key: "j", help: t("inbox.keys.down"), run: () => move(1) },
    { key: "k", help: t("inbox.keys.up"), run: () => move(-1) },
    { key: "ArrowDown", help: "", run: () => move(1) },
    { key: "ArrowUp", help: "", run: () => move(-1) },
    { key: "Escape", help: t("keys.close"), run: () => go(place("")) },
  ]);
  const current = open === "dry" ? tried : rows[at];
  return (
    <div class={current ? "memories opened" : "memories"}>
      <section class="side" aria-label={t("inbox.list.dream")}>
        <div class="bar">
          <button type="button" class="button" disabled={busy} onClick={() => void start(true)}>{t("inbox.dream.dry")}</button>
          <button type="button" class="button" disabled={busy} onClick={() => void start(false)}>{t("inbox.dream.run")}</button>
          {busy && <span class="hint" role="status">{t("inbox.dream.running")}</span>}
        </div>
        <Shown of={runs}>
          {({ runs: all }) => all.length === 0 ? <NoRuns /> : (
            <List label={t("inbox.list.dream")} items={all} height={76} current={open} more={false} onMore={() => {}} row={(run) => <RunRow run={run} open={run.id === open} />} />
          )}
        </Shown>
      </section>
      <section class="pane" aria-label={t("inbox.receipt")}>
        {current ? <Receipt key={current.id} run={current} onClose={() => go(place(""))} /> : <Empty title={t("inbox.dream.open")} />}
      </section>
    </div>
  );
}

/** There are no receipts, and when the first one comes. */
function NoRuns() {
  const at = useLoad(async (signal) => (await loci.settings.list({ signal })).settings.find(({ key }) => key === "dream.at")?.value, []).value;
  return (
    <Empty title={t("inbox.dream.none")}>
      <p>{t("inbox.dream.none.text")}</p>
      {at && <p>{at === "off" ? t("inbox.dream.off") : t("inbox.dream.at", { time: legible(at) })}</p>}
    </Empty>
  );
}

function RunRow({ run, open }: { run: Dream; open: boolean }) {
  return (
    <div class="memory-row inbox-suggestion">
      <a href={place(run.id)} data-id={run.id} aria-current={open ? "true" : undefined}>
        <span class="line">
          <strong>{when(run.started_at)}</strong>
          <time dateTime={run.started_at}>{shortWhen(run.started_at)}</time>
        </span>
        <span class="line text">{t("inbox.dream.short", { promoted: run.promoted, archived: run.archived, left: run.left })}</span>
        <span class="line meta"><span>{requestedBy(run)}</span>{run.state !== "done" && <span class="tag warn">{t(`inbox.dream.state.${run.state}`)}</span>}</span>
      </a>
    </div>
  );
}

function requestedBy({ requested_by: by }: Dream): string {
  return by === "schedule" ? t("inbox.dream.schedule") : by === "operator" ? t("inbox.dream.operator") : t("inbox.dream.person");
}

function Receipt({ run, onClose }: { run: Dream; onClose: () => void }) {
  const reasons = Object.entries(run.left_by_reason).sort((a, b) => b[1] - a[1]);
  const numbers: [string, string | number][] = [
    [t("inbox.dream.state"), t(`inbox.dream.state.${run.state}`)],
    [t("inbox.dream.by"), requestedBy(run)],
    [t("inbox.dream.took"), t("inbox.dream.seconds", { seconds: Math.round(run.latency_ms / 100) / 10 })],
    [t("inbox.dream.events"), run.events_read],
    [t("inbox.dream.notes"), run.notes_read],
    [t("inbox.dream.proposed"), run.candidates_proposed],
    [t("inbox.dream.scanned"), run.candidates_scanned],
    [t("inbox.list.promoted"), run.dry_run ? run.would_promote : run.promoted],
    [t("inbox.list.archived"), run.dry_run ? run.would_archive : run.archived],
    [t("inbox.dream.left"), run.left],
    [t("inbox.dream.failures"), run.failed],
  ];
  return (
    <article class="reading" aria-label={t("inbox.receipt")}>
      <button type="button" class="button back" onClick={onClose}>← {t("reading.back")}</button>
      <h2>{t(run.dry_run ? "inbox.dream.dryTitle" : "inbox.dream.title", { time: when(run.started_at) })}</h2>
      {run.error && <p class="note">{legible(run.error)}</p>}
      {run.more && <p class="note">{t("inbox.dream.more")}</p>}
      <dl>{numbers.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{String(value)}</dd></div>)}</dl>
      {reasons.length > 0 && (
        <section aria-label={t("inbox.waits")}>
          <h3>{t("inbox.waits")}</h3>
          <ul class="cards">{reasons.map(([reason, n]) => <li key={reason}>{reasonWords(reason)} · {n}</li>)}</ul>
        </section>
      )}
      <Outcome title={t("inbox.list.promoted")} ids={run.promoted_ids} />
      <Outcome title={t("inbox.list.archived")} ids={run.archived_ids} />
      <Outcome title={t("inbox.dream.left")} ids={run.left_ids} />
      <Outcome title={t("inbox.dream.failures")} ids={run.failed_ids} />
    </article>
  );
}

/** How many candidates of an outcome have their titles at first. */
const few = 10;

/** Candidates of a receipt, as far as the person may see them. */
function Outcome({ title, ids }: { title: string; ids: readonly string[] }) {
  const [n, setN] = useState(few);
  const shown = ids.slice(0, n);
  const found = useLoad((signal) => Promise.all(shown.map((id) => loci.review.get(id, { signal }).catch(() => undefined))), [shown.join()]);
  if (ids.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul class="cards">{shown.map((id, i) => <li key={id}><Line id={id} candidate={found.value?.[i]} loading={found.loading} /></li>)}</ul>
      {ids.length > n && <button type="button" class="button" onClick={() => setN(n + 3 * few)}>{t("inbox.dream.further", { n: ids.length - n })}</button>}
    </section>
  );
}

function Line({ id, candidate, loading }: { id: string; candidate: Candidate | undefined; loading: boolean }) {
  if (!candidate) return <span class="hint"><code>{id.slice(0, 8)}</code> {!loading && t("inbox.dream.others")}</span>;
  const list = candidate.review_state === "pending" ? {} : { list: candidate.review_state };
  return <><a href={addressOf(`inbox/${id}`, list)}>{legible(candidate.title)}</a> <span class="tag">{t(`inbox.list.${candidate.review_state}`)}</span></>;
}
