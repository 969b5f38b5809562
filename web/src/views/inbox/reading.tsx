import type { Evidence, ReflectionFinding, Review, ShownCandidate } from "@loci-memory/sdk";
import { useEffect, useRef, useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { DiffView } from "../../diff.tsx";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";
import { useLoad, type Loaded } from "../../load.ts";
import { Markdown } from "../../markdown.tsx";
import { percent } from "../../numbers.ts";
import { addressOf } from "../../router.ts";
import { Failed, Loading, Shown } from "../../states.tsx";
import { when } from "../../time.ts";
import type { Action } from "./acts.ts";
import { inNotes, inText, type Piece } from "./evidence.ts";
import { waitsBecause } from "./words.ts";

interface Actions {
  act: (action: Action) => void;
  edit: () => void;
  later: () => void;
  undo: () => void;
}

interface Naming {
  /** The memories that accepting replaces. */
  named: ReadonlySet<string>;
  onName: (id: string, on: boolean) => void;
}

/** A candidate with what a person needs to decide about it. */
export function CandidatePane({ shown, actions, named, onName, onClose }: Naming & { shown: Loaded<ShownCandidate | undefined>; actions: Actions; onClose: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (matchMedia("(max-width: 56rem)").matches) heading.current?.focus();
  }, [shown.value === undefined]);
  return (
    <article class="reading" aria-label={t("inbox.candidate")}>
      <button type="button" class="button back" onClick={onClose}>← {t("reading.back")}</button>
      <Shown of={shown as Loaded<ShownCandidate>}>
        {(candidate) => (
          <>
            <h2 ref={heading} tabIndex={-1}>{legible(candidate.title)}</h2>
            <Buttons candidate={candidate} actions={actions} />
            <Why candidate={candidate} />
            <Markdown text={candidate.content} />
            <Changes of={candidate} named={named} onName={onName} />
            <Findings candidate={candidate} />
            <EvidenceOf candidate={candidate} key={candidate.id} />
            <Facts candidate={candidate} />
            <History reviews={candidate.history} />
          </>
        )}
      </Shown>
    </article>
  );
}

function Buttons({ candidate, actions }: { candidate: ShownCandidate; actions: Actions }) {
  const state = candidate.review_state;
  if (state !== "pending" && state !== "deferred") {
    return (
      <div class="actions">
        <button type="button" class="button" onClick={actions.undo}>{t("inbox.undo")} <kbd>u</kbd></button>
        {candidate.memory_id && <a class="button" href={addressOf(`memories/${candidate.memory_id}`)}>{t("inbox.memory")}</a>}
        {candidate.merged_into && <a class="button" href={addressOf(`inbox/${candidate.merged_into}`)}>{t("inbox.mergedInto")}</a>}
      </div>
    );
  }
  return (
    <div class="actions">
      <button type="button" class="button primary" onClick={() => actions.act("accept")}>{t("inbox.accept")} <kbd>a</kbd></button>
      <button type="button" class="button" onClick={actions.edit}>{t("edit")} <kbd>e</kbd></button>
      <button type="button" class="button danger" onClick={() => actions.act("reject")}>{t("inbox.reject")} <kbd>x</kbd></button>
      <button type="button" class="button" onClick={() => actions.act("defer")}>{t("inbox.defer")} <kbd>d</kbd></button>
      <button type="button" class="button" onClick={actions.later}>{t("inbox.defer.until")}</button>
      <button type="button" class="button" onClick={() => actions.act("archive")}>{t("inbox.archive")} <kbd>z</kbd></button>
    </div>
  );
}

/** How sure Loci is, why it proposes this, and why a person decides. */
function Why({ candidate }: { candidate: ShownCandidate }) {
  const waits = waitsBecause(candidate);
  return (
    <>
      <p class="inbox-why">
        <span class="tag">{t(`inbox.kind.${candidate.kind}`)}</span>{" "}
        <meter min={0} max={1} value={candidate.confidence} aria-label={t("inbox.confidence")} /> {t("inbox.confident", { share: percent(candidate.confidence) })}
      </p>
      <p class="hint">{legible(candidate.reason)}</p>
      {candidate.review_state === "deferred" && candidate.deferred_to && <p class="note">{t("inbox.deferred", { time: when(candidate.deferred_to) })}</p>}
      {waits.length > 0 && (
        <section class="note" aria-label={t("inbox.waits")}>
          <strong>{t("inbox.waits")}</strong>
          <ul>{waits.map((why) => <li key={why}>{why}</li>)}</ul>
        </section>
      )}
    </>
  );
}

/** The memories that the candidate may replace, each with its own switch: what would be missed most stands first. */
function Changes({ of, named, onName }: Naming & { of: ShownCandidate }) {
  const changes = of.would_change;
  if (changes.length === 0) return <Replaced of={of} />;
  const waits = of.review_state === "pending" || of.review_state === "deferred";
  return (
    <section aria-label={t("inbox.changes")}>
      <h3>{t("inbox.changes")}</h3>
      {waits && <p class="hint">{t("inbox.changes.text")}</p>}
      <Replaced of={of} />
      {changes.map((change) => (
        <div key={change.id} class="inbox-change">
          <p>
            <a href={addressOf(`memories/${change.id}`)}>{legible(change.title)}</a>{" "}
            {change.pinned && <span class="tag warn">{t("inbox.pinned")}</span>}{" "}
            {change.importance > 5 && <span class="tag warn">{t("inbox.important", { n: change.importance })}</span>}{" "}
            <span class="tag">{t(`inbox.finding.${change.kind as Exclude<ReflectionFinding["kind"], "claim">}`)}</span>
          </p>
          <p class="hint">{[t("inbox.by", { origin: legible(change.origin) }), ...(change.shared_with ? [t("inbox.readBy", { who: change.shared_with })] : []), legible(change.reason)].join(" · ")}</p>
          {waits && <label class="check"><input type="checkbox" checked={named.has(change.id)} onChange={(event) => onName(change.id, event.currentTarget.checked)} /> {t(`inbox.effect.${change.effect}`)}</label>}
          <DiffView diff={{ texts: change.diff.length > 0 ? [{ field: "content", hunks: change.diff }] : [], fields: [] }} />
        </div>
      ))}
    </section>
  );
}

/** What accepting the candidate has replaced. */
function Replaced({ of: { replaced } }: { of: ShownCandidate }) {
  if (!replaced?.length) return null;
  return <p>{t("inbox.replacedThese")} {replaced.map(({ id, title }, i) => <>{i > 0 && ", "}<a key={id} href={addressOf(`memories/${id}`)}>{legible(title)}</a></>)}</p>;
}

/** What the checks found besides. */
function Findings({ candidate }: { candidate: ShownCandidate }) {
  const shown = new Set(candidate.would_change.map(({ id }) => id));
  const findings = candidate.reflection_findings.filter(({ kind, target_source_id: id }) => kind !== "claim" && !(id && shown.has(id)));
  if (findings.length === 0) return null;
  return (
    <section aria-label={t("inbox.findings")}>
      <h3>{t("inbox.findings")}</h3>
      <ul class="cards">{findings.map((finding) => <li key={finding.id}><Finding finding={finding} /></li>)}</ul>
    </section>
  );
}

function Finding({ finding }: { finding: ReflectionFinding }) {
  const { kind, reason, target_title: title, target_type: type, target_source_id: id } = finding;
  const path = type === "memory" ? "memories" : type === "candidate" ? "inbox" : "";
  return (
    <>
      {kind !== "claim" && <span class="tag">{t(`inbox.finding.${kind}`)}</span>} {legible(reason)}
      {title && <> {path && id ? <a href={addressOf(`${path}/${id}`)}>{legible(title)}</a> : <em>{legible(title)}</em>}</>}
    </>
  );
}

function Marked({ pieces }: { pieces: readonly Piece[] }) {
  return <>{pieces.map(({ text, marked }, i) => (marked ? <mark key={i}>{legible(text)}</mark> : legible(text)))}</>;
}

/** The passages from which the candidate comes, and on demand the whole notes. */
function EvidenceOf({ candidate }: { candidate: ShownCandidate }) {
  const [whole, setWhole] = useState(false);
  const ofEvents = new Map<string, Evidence[]>();
  for (const one of candidate.evidence) {
    if (one.event_id && one.role !== "cue") ofEvents.set(one.event_id, [...(ofEvents.get(one.event_id) ?? []), one]);
  }
  if (candidate.passages.length === 0 && ofEvents.size === 0) {
    return <section aria-label={t("inbox.evidence")}><h3>{t("inbox.evidence")}</h3><p class="hint">{t("inbox.evidence.none")}</p></section>;
  }
  return (
    <section aria-label={t("inbox.evidence")}>
      <h3>{t("inbox.evidence")}</h3>
      {whole && candidate.source_id ? <Notes candidate={candidate} id={candidate.source_id} /> : candidate.passages.map(({ before, text, after, role }, i) => (
        <figure key={i} class="inbox-passage">
          {role === "reason" && <figcaption class="hint">{t("inbox.evidence.reason")}</figcaption>}
          <blockquote class="quote">{legible(before)}<mark>{legible(text)}</mark>{legible(after)}</blockquote>
        </figure>
      ))}
      {[...ofEvents].map(([id, evidence]) => <OfEvent key={id} id={id} evidence={evidence} />)}
      {candidate.source_id && candidate.passages.length > 0 && (
        <div class="actions">
          <button type="button" class="button" aria-expanded={whole} onClick={() => setWhole(!whole)}>{t(whole ? "inbox.notes.less" : "inbox.notes")}</button>
          <a class="button" href={addressOf("inbox", { source: candidate.source_id })}>{t("inbox.source")}</a>
        </div>
      )}
    </section>
  );
}

function Notes({ candidate, id }: { candidate: ShownCandidate; id: string }) {
  const notes = useLoad((signal) => loci.reflection.get(id, { signal }), [id]);
  const box = useRef<HTMLQuoteElement>(null);
  useEffect(() => box.current?.querySelector("mark")?.scrollIntoView({ block: "nearest" }), [notes.value]);
  return (
    <Shown of={notes}>
      {({ title, text }) => (
        <>
          <h4>{legible(title)}</h4>
          <blockquote ref={box} class="quote inbox-notes" tabIndex={0} aria-label={legible(title)}><Marked pieces={inNotes(text, candidate.passages)} /></blockquote>
        </>
      )}
    </Shown>
  );
}

function OfEvent({ id, evidence }: { id: string; evidence: readonly Evidence[] }) {
  const { value, error, loading, reload } = useLoad((signal) => loci.events.get(id, { signal }), [id]);
  if (error !== undefined && !loading) return <Failed error={error} retry={reload} />;
  if (!value) return <Loading />;
  return (
    <figure class="inbox-passage">
      <figcaption class="hint">{t("inbox.event", { type: legible(value.event_type), origin: legible(value.origin) })} · <time dateTime={value.time}>{when(value.time)}</time></figcaption>
      <blockquote class="quote inbox-notes" tabIndex={0}><Marked pieces={inText(value.content, evidence.map(({ char_start, char_end }) => [char_start, char_end] as const))} /></blockquote>
    </figure>
  );
}

/** What the memory would be, and where the candidate comes from. */
function Facts({ candidate }: { candidate: ShownCandidate }) {
  const project = useLoad((signal) => (candidate.project_id ? loci.projects.get(candidate.project_id, { signal }).then(({ name }) => name).catch(() => t("facts.gone")) : Promise.resolve("")), [candidate.project_id]);
  const vendors = candidate.allowed_vendors;
  const facts: [string, preact.ComponentChildren][] = [
    [t("field.allowed_vendors"), vendors.includes("*") ? t("readers.all") : vendors.length === 0 ? t("readers.none") : legible(vendors.join(", "))],
    [t("facts.origin"), legible(candidate.origin)],
    [t("facts.created"), <time dateTime={candidate.created_at}>{when(candidate.created_at)}</time>],
  ];
  if (candidate.tags.length > 0) facts.push([t("field.tags"), <>{candidate.tags.map((tag) => <span key={tag} class="tag">{legible(tag)}</span>)}</>]);
  if (candidate.domain) facts.push([t("field.category"), legible(candidate.domain)]);
  if (project.value) facts.push([t("filters.project"), legible(project.value)]);
  if (candidate.cue) facts.push([t("inbox.cue"), legible(candidate.cue)]);
  if (candidate.session_id) facts.push([t("filters.session"), <code>{candidate.session_id.slice(0, 8)}</code>]);
  if (candidate.sensitivity_flags.length > 0) facts.push([t("inbox.flags"), legible(candidate.sensitivity_flags.join(", "))]);
  facts.push([t("facts.id"), <code>{candidate.id}</code>]);
  return (
    <section aria-label={t("facts.title")}>
      <h3>{t("facts.title")}</h3>
      <dl>{facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
    </section>
  );
}

function History({ reviews }: { reviews: readonly Review[] }) {
  if (reviews.length === 0) return null;
  return (
    <section aria-label={t("inbox.history")}>
      <h3>{t("inbox.history")}</h3>
      <ul class="cards">
        {reviews.map(({ action, at, origin, reason, version }) => (
          <li key={version}>{t(`inbox.did.${action}`)} · {legible(origin)} · <time dateTime={at}>{when(at)}</time>{reason && <> · {legible(reason)}</>}</li>
        ))}
      </ul>
    </section>
  );
}
