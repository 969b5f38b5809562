import type { GraphImported, Project } from "@loci-memory/sdk";
import { useEffect, useRef, useState } from "preact/hooks";
import { cutOff, loci, Plain } from "../../api.ts";
import { confirm } from "../../dialog.tsx";
import { attempt } from "../../form.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { legible } from "../../legible.ts";
import { useLoad } from "../../load.ts";
import { number } from "../../numbers.ts";
import { guard } from "../../router.ts";
import { Failed, Shown } from "../../states.tsx";
import { tell } from "../../undo.tsx";
import { fresh, importMemories, takeBack, type Report } from "./memories.ts";
import "../plain.css";


/** What leaves Loci as a file, and what comes from one. */
export default function Transfer() {
  const projects = useLoad(async (signal) => (await loci.projects.list({ limit: 500 }, { signal })).projects, []);
  const file = useRef<HTMLInputElement>(null);
  const [saving, setSaving] = useState(0);
  useKeys([
    { key: "e", help: t("transfer.export.memories"), run: () => setSaving((n) => n + 1) },
    { key: "i", help: t("transfer.import.memories"), run: () => file.current?.focus() },
  ]);
  return (
    <div class="plain-page" tabIndex={0} role="region" aria-label={t("transfer.title")}>
      <div class="reading">
        <h1>{t("transfer.title")}</h1>
        <h2>{t("transfer.export.memories")}</h2>
        <p class="hint">{t("transfer.export.text")}</p>
        <Export name="loci-memories.jsonl" start={saving} read={(signal) => loci.account.export({ signal })} />
        <h2>{t("transfer.import.memories")}</h2>
        <p class="hint">{t("transfer.import.text")}</p>
        <ImportMemories input={file} />
        <h2>{t("transfer.graph")}</h2>
        <Shown of={projects}>
          {(all) => all.length === 0 ? <p class="hint">{t("graph.projects.none")}</p> : <Graphs projects={all} />}
        </Shown>
      </div>
    </div>
  );
}

interface ExportState {
  bytes: number;
  lines: number;
  done?: boolean;
  error?: unknown;
}

/** Downloads an export with its progress, checks that it is whole, and gives it to the browser. */
function Export({ name, start = 0, read }: { name: string; start?: number; read: (signal: AbortSignal) => ReturnType<typeof loci.account.export> }) {
  const [state, setState] = useState<ExportState>();
  const ends = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => ends.current?.abort(), []);
  useEffect(() => { if (start > 0) void run(); }, [start]);
  const busy = state !== undefined && !state.done && state.error === undefined;
  const run = async () => {
    if (busy) return;
    const { signal } = (ends.current = new AbortController());
    let [bytes, lines, at] = [0, 0, 0];
    setState({ bytes, lines });
    try {
      const pieces: Uint8Array<ArrayBuffer>[] = [];
      const reader = (await read(signal)).stream().getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        pieces.push(value as Uint8Array<ArrayBuffer>);
        bytes += value.length;
        for (const byte of value) if (byte === 10) lines++;
        if (performance.now() - at < 200) continue;
        at = performance.now();
        setState({ bytes, lines });
      }
      save(new Blob(pieces, { type: "application/x-ndjson" }), name);
      setState({ bytes, lines, done: true });
    } catch (error) {
      if (!signal.aborted) setState({ bytes, lines, error: cutOff(error) });
      else setState(undefined);
    }
  };
  return (
    <>
      <div class="actions">
        <button type="button" class="button primary" disabled={busy} onClick={() => void run()}>{t("transfer.export")}</button>
        {busy && <button type="button" class="button" onClick={() => ends.current?.abort()}>{t("cancel")}</button>}
      </div>
      {busy && <progress aria-label={t("transfer.running")} />}
      <p role="status">{state && state.error === undefined && t(state.done ? "transfer.exported" : "transfer.exporting", { lines: state.lines, kib: Math.ceil(state.bytes / 1024), name })}</p>
      {state?.error !== undefined && <Failed error={state.error} retry={() => void run()} />}
    </>
  );
}

/** Gives a file to the browser. */
function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function ImportMemories({ input }: { input: preact.RefObject<HTMLInputElement | null> }) {
  const [file, setFile] = useState<File>();
  const [state, setState] = useState<{ share: number; report: Report; done?: boolean; error?: unknown }>();
  const ends = useRef<AbortController | undefined>(undefined);
  const busy = state !== undefined && !state.done && state.error === undefined;
  useEffect(() => (busy ? guard(() => window.confirm(t("transfer.leave"))) : undefined), [busy]);
  useEffect(() => () => ends.current?.abort(), []);
  const run = async () => {
    if (!file || busy) return;
    if (!(await confirm({ title: t("transfer.import.memories"), text: t("transfer.import.ask", { name: legible(file.name) }), yes: t("transfer.import") }))) return;
    const { signal } = (ends.current = new AbortController());
    setState({ share: 0, report: fresh() });
    try {
      const report = await importMemories(file, signal, (share, report) => setState({ share, report }));
      setState({ share: 1, report, done: true });
      const changes = report.ids.length + report.before.size;
      tell(t("transfer.imported", { n: report.made + report.changed }), changes === 0 ? undefined : async () => {
        const stay = await takeBack(report);
        if (stay > 0) throw new Plain(t("transfer.stay", { n: stay }));
      });
    } catch (error) {
      setState((old) => ({ share: old?.share ?? 0, report: old?.report ?? fresh(), error: signal.aborted ? new Plain(t("transfer.stopped")) : error }));
    }
  };
  return (
    <>
      <p><label>{t("transfer.file")} <input ref={input} type="file" accept=".jsonl,.json,.ndjson" disabled={busy} onChange={(event) => { setFile(event.currentTarget.files?.[0]); setState(undefined); }} /></label></p>
      <div class="actions">
        <button type="button" class="button primary" disabled={!file || busy} onClick={() => void run()}>{t("transfer.import")}</button>
        {busy && <button type="button" class="button" onClick={() => ends.current?.abort()}>{t("cancel")}</button>}
      </div>
      {state && <progress max="1" value={state.share} aria-label={t("transfer.running")} />}
      {state && <MemoriesReport report={state.report} done={state.done ?? false} />}
      {state?.error !== undefined && <Failed error={state.error} retry={() => void run()} />}
    </>
  );
}

const counted = ["lines", "made", "changed", "same", "skipped", "alone", "failures"] as const;

function MemoriesReport({ report, done }: { report: Report; done: boolean }) {
  return (
    <section aria-label={t("transfer.report")}>
      <p role="status">{t(done ? "transfer.done" : "transfer.running")}</p>
      <dl>{counted.filter((name) => name === "lines" || name === "made" || report[name] > 0).map((name) => <div key={name}><dt>{t(`transfer.${name}`)}</dt><dd>{number(report[name])}</dd></div>)}</dl>
      <Problems problems={report.failed} />
    </section>
  );
}

function Problems({ problems }: { problems: readonly { line: number; why: string }[] }) {
  if (problems.length === 0) return null;
  return <ul class="cards">{problems.map(({ line, why }, i) => <li key={i}>{t("transfer.line", { n: line })}: {legible(why)}</li>)}</ul>;
}

function Graphs({ projects }: { projects: readonly Project[] }) {
  const [id, setId] = useState(projects[0]?.id ?? "");
  const [format, setFormat] = useState<"loci" | "reference">("loci");
  const project = projects.find((one) => one.id === id);
  return (
    <>
      <p class="actions">
        <label>{t("filters.project")} <select value={id} onChange={(event) => setId(event.currentTarget.value)}>{projects.map((one) => <option key={one.id} value={one.id}>{legible(one.name)}</option>)}</select></label>
        <label>{t("transfer.format")} <select value={format} onChange={(event) => setFormat(event.currentTarget.value as "loci" | "reference")}><option value="loci">{t("transfer.format.loci")}</option><option value="reference">{t("transfer.format.reference")}</option></select></label>
      </p>
      {project && <Export key={id + format} name={format === "loci" ? "loci-graph.jsonl" : "memory.json"} read={(signal) => loci.graph.export(id, { format }, { signal })} />}
      <h3>{t("transfer.graph.import")}</h3>
      <p class="hint">{t("transfer.graph.text")}</p>
      {project && <ImportGraph key={id} project={project} />}
    </>
  );
}

function ImportGraph({ project }: { project: Project }) {
  const [file, setFile] = useState<File>();
  const [busy, setBusy] = useState(false);
  const [found, setFound] = useState<{ dry: boolean; report: GraphImported }>();
  const run = async (dry: boolean) => {
    if (!file || busy) return;
    if (!dry && !(await confirm({ title: t("transfer.graph.import"), text: t("transfer.graph.ask", { name: legible(file.name), project: legible(project.name) }), yes: t("transfer.import") }))) return;
    setBusy(true);
    setFound(undefined);
    await attempt(async () => setFound({ dry, report: await loci.graph.import(project.id, file, { dry_run: dry || undefined }, { timeout: 600_000 }) }));
    setBusy(false);
  };
  return (
    <>
      <p><label>{t("transfer.file")} <input type="file" accept=".jsonl,.json,.ndjson" disabled={busy} onChange={(event) => { setFile(event.currentTarget.files?.[0]); setFound(undefined); }} /></label></p>
      <div class="actions">
        <button type="button" class="button" disabled={!file || busy} onClick={() => void run(true)}>{t("transfer.dry")}</button>
        <button type="button" class="button primary" disabled={!file || busy} onClick={() => void run(false)}>{t("transfer.import")}</button>
      </div>
      {busy && <progress aria-label={t("transfer.running")} />}
      {found && (
        <section aria-label={t("transfer.report")}>
          <p role="status">{t(found.report.lines === 0 ? "transfer.empty" : found.dry ? "transfer.dried" : "transfer.done")}</p>
          <dl>
            {(["lines", "entities", "observations", "relations", "present", "refused"] as const).map((name) => <div key={name}><dt>{t(`transfer.graph.${name}`)}</dt><dd>{number(found.report[name])}</dd></div>)}
          </dl>
          <Problems problems={found.report.problems.slice(0, 200).map(({ line, detail }) => ({ line, why: detail }))} />
        </section>
      )}
    </>
  );
}
