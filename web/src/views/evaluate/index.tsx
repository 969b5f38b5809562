import type { GoldenQuestion, GoldenRun } from "@loci-memory/sdk";
import { useEffect, useRef, useState } from "preact/hooks";
import { identity, loci, Plain } from "../../api.ts";
import { confirm } from "../../dialog.tsx";
import { Finder, findMemories, type Found } from "../../finder.tsx";
import { FormDialog } from "../../form.tsx";
import { useFilter } from "../../filter.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { beginning, legible } from "../../legible.ts";
import { useLoad } from "../../load.ts";
import { percent } from "../../numbers.ts";
import { usePoll } from "../../poll.ts";
import { addressOf } from "../../router.ts";
import { Empty, Failed, Loading, Shown } from "../../states.tsx";
import { useStore } from "../../store.ts";
import { when } from "../../time.ts";
import { complain, tell } from "../../undo.tsx";
import { moveEarlier } from "./earlier.ts";
import "../plain.css";

/** How many hits of a search a run looks at. */
const depth = 20;

/** Golden questions of a person, and how well searches find what they should, over time. */
export default function Evaluate() {
  const who = useStore(identity);
  return who ? <Page key={who.user_id} person={`${who.org_id}.${who.user_id}`} /> : <Loading />;
}

interface All {
  questions: GoldenQuestion[];
  runs: GoldenRun[];
  more: boolean;
}

function Page({ person }: { person: string }) {
  const [every, setEvery] = useState(false);
  const all = useLoad(async (signal): Promise<All> => {
    await moveEarlier(person, signal).catch((failed: unknown) => { if (!signal.aborted) complain(failed); });
    const [{ questions }, runs] = await Promise.all([loci.golden.list({ signal }), every ? allRuns(signal) : loci.golden.runs({ limit: 50 }, { signal })]);
    return { questions, runs: runs.runs, more: runs.has_more };
  }, [person, every]);
  usePoll(all.reload, 60_000);
  return (
    <div class="plain-page" tabIndex={0} role="region" aria-label={t("evaluate.title")}>
      <div class="reading">
        <h1>{t("evaluate.title")}</h1>
        <p>{t("evaluate.text")}</p>
        <p class="note">{t("evaluate.private")}</p>
        <Shown of={all}>{(value) => <Questions all={value} reload={all.reload} onMore={value.more ? () => setEvery(true) : undefined} />}</Shown>
      </div>
    </div>
  );
}

/** All runs that the server keeps, the newest first. */
async function allRuns(signal: AbortSignal): Promise<{ runs: GoldenRun[]; has_more: boolean }> {
  const runs: GoldenRun[] = [];
  for await (const one of loci.golden.runsAll({ limit: 500 }, { signal })) runs.push(one);
  return { runs, has_more: false };
}

function Questions({ all, reload, onMore }: { all: All; reload: () => void; onMore: (() => void) | undefined }) {
  const { questions, runs } = all;
  const [editing, setEditing] = useState<GoldenQuestion | "new">();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const ends = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => ends.current?.abort(), []);
  const run = async () => {
    if (busy || questions.length === 0) return;
    const { signal } = (ends.current = new AbortController());
    setBusy(true);
    setError(undefined);
    try {
      await loci.golden.run({ signal });
      tell(t("evaluate.done", { n: questions.length }));
      reload();
    } catch (failed) {
      if (!signal.aborted) setError(failed);
    }
    setBusy(false);
  };
  const remove = async (one: GoldenQuestion) => {
    if (!(await confirm({ title: t("evaluate.remove"), text: t("evaluate.remove.ask", { question: beginning(one.question, 120) }), yes: t("evaluate.remove"), danger: true }))) return;
    try {
      await loci.golden.delete(one.id);
      reload();
      const expected = one.expected.filter(({ title }) => title !== undefined).map(({ id }) => id);
      if (expected.length === 0) tell(t("evaluate.removed"));
      else tell(t("evaluate.removed"), async () => {
        await loci.golden.create({ question: one.question, expected });
        reload();
      });
    } catch (failed) {
      complain(failed);
    }
  };
  const filter = useFilter(t("filter.questions"));
  const shown = questions.filter((one) => filter.fits(one.question, ...one.expected.map(({ title }) => title ?? t("evaluate.gone"))));
  useKeys([
    filter.key,
    { key: "n", help: t("evaluate.new"), run: () => setEditing("new") },
    { key: "r", help: t("evaluate.run"), run: () => void run() },
  ]);
  const ranks = new Map(runs[0]?.places.map(({ id, rank }) => [id, rank]));
  return (
    <>
      <div class="actions">
        <button type="button" class="button primary" disabled={busy || questions.length === 0} onClick={() => void run()}>{t("evaluate.run")} <kbd>r</kbd></button>
        <button type="button" class="button" onClick={() => setEditing("new")}>{t("evaluate.new")} <kbd>n</kbd></button>
        {busy && <button type="button" class="button" onClick={() => ends.current?.abort()}>{t("cancel")}</button>}
      </div>
      {busy && <progress aria-label={t("transfer.running")} />}
      {error !== undefined && <Failed error={error} retry={() => void run()} />}
      {runs.length > 0 && <Runs runs={runs} />}
      {onMore && <button type="button" class="button" onClick={onMore}>{t("evaluate.older")}</button>}
      <h2>{t("evaluate.questions")}</h2>
      {questions.length > 0 && filter.field(shown.length)}
      {questions.length === 0 ? <Empty title={t("evaluate.none")}><p>{t("evaluate.none.text")}</p></Empty> : shown.length === 0 ? filter.none() : (
        <ul class="cards">
          {shown.map((one) => <Card key={one.id} one={one} rank={ranks.get(one.id)} onEdit={() => setEditing(one)} onRemove={() => void remove(one)} />)}
        </ul>
      )}
      {editing && <Editor one={editing === "new" ? undefined : editing} onClose={() => setEditing(undefined)} onSaved={reload} />}
    </>
  );
}

function Card({ one, rank, onEdit, onRemove }: { one: GoldenQuestion; rank: number | undefined; onEdit: () => void; onRemove: () => void }) {
  return (
    <li>
      <p><strong>{legible(one.question)}</strong> {rank !== undefined && <span class={rank ? "tag" : "tag warn"}>{rank ? t("evaluate.rank", { n: rank }) : t("evaluate.missed", { n: depth })}</span>}</p>
      <p class="hint">{t("evaluate.expects")} {one.expected.map(({ id, title }, i) => <span key={id}>{i > 0 && ", "}{title === undefined ? t("evaluate.gone") : <a href={addressOf(`memories/${id}`)}>{beginning(title, 80)}</a>}</span>)}</p>
      <button type="button" class="plain" onClick={onEdit}>{t("evaluate.edit")}</button> <button type="button" class="plain" onClick={onRemove}>{t("evaluate.remove")}</button>
    </li>
  );
}

/** The figures of each run, the newest first. */
function Runs({ runs }: { runs: readonly GoldenRun[] }) {
  return (
    <>
      <h2>{t("evaluate.runs")}</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label={t("evaluate.runs")}>
        <table>
          <thead><tr><th scope="col">{t("evaluate.at")}</th><th scope="col">{t("evaluate.questions")}</th><th scope="col">R@1</th><th scope="col">R@5</th><th scope="col">R@10</th><th scope="col">MRR</th><th scope="col">{t("settings.embed.model")}</th></tr></thead>
          <tbody>
            {runs.map((one) => (
              <tr key={one.id}>
                <th scope="row"><time dateTime={one.at}>{when(one.at)}</time></th><td>{one.questions}</td>
                {([one.r1, one.r5, one.r10, one.mrr] as const).map((share, i) => <td key={i}>{percent(share, 1)} <meter max="1" value={share} aria-hidden="true" /></td>)}
                <td>{modelOf(one)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">{t("evaluate.figures")}</p>
    </>
  );
}

/** The model of embeddings that took part in a run, and what it could not do. */
function modelOf({ meaning, model }: GoldenRun): string {
  if (!meaning && !model) return t("evaluate.words");
  const name = model ? legible(model) : t("evaluate.model.unknown");
  return meaning && meaning !== "ready" ? `${name} ${t(`evaluate.model.${meaning}`)}` : name;
}

function Editor({ one, onSaved, onClose }: { one: GoldenQuestion | undefined; onSaved: () => void; onClose: () => void }) {
  const [question, setQuestion] = useState(one?.question ?? "");
  const [expected, setExpected] = useState<readonly Found[]>(one?.expected.map(({ id, title }) => ({ id, name: title ?? t("evaluate.gone") })) ?? []);
  const toggle = (found: Found | undefined) => found && setExpected((old) => (old.some(({ id }) => id === found.id) ? old.filter(({ id }) => id !== found.id) : [...old, found]));
  const save = async () => {
    if (expected.length === 0) throw new Plain(t("evaluate.choose"));
    const body = { question: question.trim(), expected: expected.map(({ id }) => id) };
    await (one ? loci.golden.update(one.id, body) : loci.golden.create(body));
    onSaved();
  };
  return (
    <FormDialog title={t(one ? "evaluate.edit" : "evaluate.new")} onClose={onClose} onSave={save}>
      <label>{t("evaluate.question")}<input required autofocus value={question} onInput={(event) => setQuestion(event.currentTarget.value)} /></label>
      <p class="hint">{t("evaluate.choose")}</p>
      {expected.length > 0 && <ul class="chips">{expected.map((found) => <li key={found.id}><button type="button" class="chip" aria-pressed={true} onClick={() => toggle(found)}>{beginning(found.name, 80)} ×</button></li>)}</ul>}
      <Finder chosen={undefined} onChoose={toggle} find={findMemories} />
    </FormDialog>
  );
}
