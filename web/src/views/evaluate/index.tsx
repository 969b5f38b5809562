import { useEffect, useRef, useState } from "preact/hooks";
import { identity, loci } from "../../api.ts";
import { confirm } from "../../dialog.tsx";
import { Finder, findMemories, type Found } from "../../finder.tsx";
import { FormDialog, Plain } from "../../form.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { beginning, legible } from "../../legible.ts";
import { percent } from "../../numbers.ts";
import { addressOf } from "../../router.ts";
import { Empty, Failed, Loading } from "../../states.tsx";
import { useStore } from "../../store.ts";
import { when } from "../../time.ts";
import { tell } from "../../undo.tsx";
import { depth, figures, read, write, type Golden, type Kept, type Run } from "./figures.ts";
import "../plain.css";


/** Golden questions of a person, and how well searches find what they should, over time. */
export default function Evaluate() {
  const who = useStore(identity);
  return who ? <Questions key={who.user_id} person={`${who.org_id}.${who.user_id}`} /> : <Loading />;
}

function Questions({ person }: { person: string }) {
  const [kept, setKept] = useState<Kept>(() => read(person));
  const [adding, setAdding] = useState(false);
  const [busy, setBusy] = useState<number>();
  const [error, setError] = useState<unknown>();
  const ends = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => ends.current?.abort(), []);
  const change = (next: Kept) => {
    write(person, next);
    setKept(next);
  };
  const run = async () => {
    if (busy !== undefined || kept.questions.length === 0) return;
    const { signal } = (ends.current = new AbortController());
    setBusy(0);
    setError(undefined);
    try {
      const hits = new Map<string, string[]>();
      for (const { id, question } of kept.questions) {
        const { memories } = await loci.recall.recall({ query: question, kinds: ["memory"], limit: depth }, { signal });
        hits.set(id, memories.map((one) => one.id));
        setBusy(hits.size);
      }
      change({ ...kept, runs: [...kept.runs, figures(kept.questions, hits, new Date().toISOString())] });
      tell(t("evaluate.done"));
    } catch (failed) {
      if (!signal.aborted) setError(failed);
    }
    setBusy(undefined);
  };
  const remove = async (one: Golden) => {
    if (!(await confirm({ title: t("evaluate.remove"), text: t("evaluate.remove.ask", { question: beginning(one.question, 120) }), yes: t("evaluate.remove"), danger: true }))) return;
    const before = kept;
    change({ ...kept, questions: kept.questions.filter(({ id }) => id !== one.id) });
    tell(t("evaluate.removed"), () => change(before));
  };
  useKeys([
    { key: "n", help: t("evaluate.new"), run: () => setAdding(true) },
    { key: "r", help: t("evaluate.run"), run: () => void run() },
  ]);
  const last = kept.runs.at(-1);
  return (
    <div class="plain-page" tabIndex={0} role="region" aria-label={t("evaluate.title")}>
      <div class="reading">
        <h1>{t("evaluate.title")}</h1>
        <p>{t("evaluate.text")}</p>
        <p class="note">{t("evaluate.kept")}</p>
        <div class="actions">
          <button type="button" class="button primary" disabled={busy !== undefined || kept.questions.length === 0} onClick={() => void run()}>{t("evaluate.run")} <kbd>r</kbd></button>
          <button type="button" class="button" onClick={() => setAdding(true)}>{t("evaluate.new")} <kbd>n</kbd></button>
          {busy !== undefined && <button type="button" class="button" onClick={() => ends.current?.abort()}>{t("cancel")}</button>}
        </div>
        {busy !== undefined && <progress max={kept.questions.length} value={busy} aria-label={t("transfer.running")} />}
        {error !== undefined && <Failed error={error} retry={() => void run()} />}
        {kept.runs.length > 0 && <Runs runs={kept.runs} />}
        <h2>{t("evaluate.questions")}</h2>
        {kept.questions.length === 0 ? <Empty title={t("evaluate.none")}><p>{t("evaluate.none.text")}</p></Empty> : (
          <ul class="cards">
            {kept.questions.map((one) => (
              <li key={one.id}>
                <p><strong>{legible(one.question)}</strong> {last && one.id in last.ranks && <span class={last.ranks[one.id] ? "tag" : "tag warn"}>{last.ranks[one.id] ? t("evaluate.rank", { n: last.ranks[one.id]! }) : t("evaluate.missed", { n: depth })}</span>}</p>
                <p class="hint">{t("evaluate.expects")} {one.expected.map(({ id, name }, i) => <span key={id}>{i > 0 && ", "}<a href={addressOf(`memories/${id}`)}>{beginning(name, 80)}</a></span>)}</p>
                <button type="button" class="plain" onClick={() => void remove(one)}>{t("evaluate.remove")}</button>
              </li>
            ))}
          </ul>
        )}
        {adding && <NewQuestion onClose={() => setAdding(false)} onSave={(one) => change({ ...kept, questions: [...kept.questions, one] })} />}
      </div>
    </div>
  );
}

/** The figures of each run, the newest first. */
function Runs({ runs }: { runs: readonly Run[] }) {
  return (
    <>
      <h2>{t("evaluate.runs")}</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label={t("evaluate.runs")}>
        <table>
          <thead><tr><th scope="col">{t("evaluate.at")}</th><th scope="col">{t("evaluate.questions")}</th><th scope="col">R@1</th><th scope="col">R@5</th><th scope="col">R@10</th><th scope="col">MRR</th></tr></thead>
          <tbody>
            {runs.toReversed().map((one) => (
              <tr key={one.at}>
                <th scope="row"><time dateTime={one.at}>{when(one.at)}</time></th><td>{one.questions}</td>
                {([one.r1, one.r5, one.r10, one.mrr] as const).map((share, i) => <td key={i}>{percent(share, 1)} <meter max="1" value={share} aria-hidden="true" /></td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">{t("evaluate.figures")}</p>
    </>
  );
}

function NewQuestion({ onSave, onClose }: { onSave: (one: Golden) => void; onClose: () => void }) {
  const [question, setQuestion] = useState("");
  const [expected, setExpected] = useState<readonly Found[]>([]);
  const toggle = (one: Found | undefined) => one && setExpected((old) => (old.some(({ id }) => id === one.id) ? old.filter(({ id }) => id !== one.id) : [...old, one]));
  const save = async () => {
    if (expected.length === 0) throw new Plain(t("evaluate.choose"));
    onSave({ id: crypto.randomUUID(), question: question.trim(), expected: [...expected] });
  };
  return (
    <FormDialog title={t("evaluate.new")} onClose={onClose} onSave={save}>
      <label>{t("evaluate.question")}<input required autofocus value={question} onInput={(event) => setQuestion(event.currentTarget.value)} /></label>
      <p class="hint">{t("evaluate.choose")}</p>
      {expected.length > 0 && <ul class="chips">{expected.map((one) => <li key={one.id}><button type="button" class="chip" aria-pressed={true} onClick={() => toggle(one)}>{beginning(one.name, 80)} ×</button></li>)}</ul>}
      <Finder chosen={undefined} onChoose={toggle} find={findMemories} />
    </FormDialog>
  );
}
