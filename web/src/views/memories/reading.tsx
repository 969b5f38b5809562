import type { Memory } from "@loci-memory/sdk";
import { useEffect, useRef } from "preact/hooks";
import { identity, loci } from "../../api.ts";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { legible } from "../../legible.ts";
import { useChanges } from "../../live.ts";
import { useLoad } from "../../load.ts";
import { Markdown } from "../../markdown.tsx";
import { addressOf } from "../../router.ts";
import { Shown } from "../../states.tsx";
import { useStore } from "../../store.ts";
import { when } from "../../time.ts";
import { erase, pin, readMemory, restore, share, trash } from "./acts.ts";
import { Attachments, Sources } from "./evidence.tsx";
import { Versions } from "./history.tsx";
import { ownerOf } from "./owner.ts";
import type { Row, Rows } from "./pages.ts";
import { Related } from "./related.tsx";
import { peopleIn } from "../projects/people.ts";
import { parts, readers, reasons } from "./words.ts";

interface Props {
  id: string;
  /** The row of the list, if it has one: it says why a search found the memory. */
  row: Row | undefined;
  /** Shows it as it was known then, to read only; "": as it is now. */
  at?: string;
  rows: Rows;
  onClose: () => void;
  onEdit: (memory: Memory) => void;
}

/** A memory in full. */
export function Reading({ id, row, at = "", rows, onClose, onEdit }: Props) {
  const loaded = useLoad((signal) => (at ? loci.memories.get(id, { known_at: at, include_superseded: true }, { signal }) : readMemory(id, signal)), [id, at]);
  useChanges("memory", (changes) => {
    if (changes === "reset" || changes.some((change) => change.id === id)) loaded.reload();
  });
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // On a narrow screen the pane takes the place of the list.
    if (matchMedia("(max-width: 56rem)").matches) heading.current?.focus();
  }, [id, loaded.value === undefined]);
  return (
    <article class="reading" aria-label={t("reading")}>
      <button type="button" class="button back" onClick={onClose}>← {t("reading.back")}</button>
      <Shown of={loaded}>
        {(memory) => (
          <>
            <h2 ref={heading} tabIndex={-1}>{legible(memory.title)}</h2>
            {at ? <p class="note">{t("time.asKnown", { time: when(at) })} <a href={addressOf(`memories/${id}`)}>{t("time.showNow")}</a></p> : <Actions memory={memory} rows={rows} onEdit={onEdit} onChanged={loaded.reload} />}
            <Notes memory={memory} />
            {memory.summary && <p class="summary">{legible(memory.summary)}</p>}
            <Markdown text={memory.content} />
            {row?.why && <WhyFound row={row} />}
            <Facts memory={memory} />
            {!at && (
              <>
                <Related memory={memory} onChanged={loaded.reload} />
                <Sources id={memory.id} key={`s${memory.id}`} />
                <Attachments id={memory.id} key={`a${memory.id}`} />
                <Versions memory={memory} key={`v${memory.id}`} onChanged={loaded.reload} rows={rows} />
              </>
            )}
          </>
        )}
      </Shown>
    </article>
  );
}

function Actions({ memory, rows, onEdit, onChanged }: { memory: Memory; rows: Rows; onEdit: (memory: Memory) => void; onChanged: () => void }) {
  const who = useStore(identity);
  const mine = !who || memory.user_id === undefined || memory.user_id === who.user_id;
  const trashed = memory.deleted_at !== undefined;
  const after = (act: Promise<void>) => void act.then(onChanged);
  const edit = () => mine && !trashed && onEdit(memory);
  const remove = () => mine && (trashed ? after(erase([memory.id], rows)) : after(trash([memory], rows)));
  useKeys([
    { key: "e", help: t("keys.edit"), run: edit },
    { key: "p", help: t("keys.pin"), run: () => mine && !trashed && after(pin(memory, rows)) },
    { key: "x", help: t("keys.trash"), run: remove },
    { key: "r", help: trashed ? t("keys.restore") : "", run: () => mine && trashed && after(restore([memory.id], rows)) },
  ]);
  if (!mine) return <p class="hint">{t("reading.notMine")}</p>;
  if (trashed) {
    return (
      <div class="actions">
        <button type="button" class="button primary" onClick={() => after(restore([memory.id], rows))}>{t("restore")}</button>
        <button type="button" class="button danger" onClick={remove}>{t("erase.yes")}</button>
      </div>
    );
  }
  return (
    <div class="actions">
      <button type="button" class="button" onClick={edit}>{t("edit")}</button>
      <button type="button" class="button" onClick={() => after(pin(memory, rows))}>{memory.pinned ? t("unpin") : t("pin")}</button>
      {who?.team_id && memory.scope !== "agent" && <button type="button" class="button" onClick={() => after(share(memory, rows))}>{memory.team_id ? t("unshare") : t("share")}</button>}
      <button type="button" class="button danger" onClick={remove}>{t("trash.yes")}</button>
    </div>
  );
}

/** What a reader must know before they trust the text. */
function Notes({ memory }: { memory: Memory }) {
  const now = Date.now();
  const notes: string[] = [];
  if (memory.deleted_at) notes.push(t("note.trash", { time: when(memory.deleted_at) }));
  if (memory.expires_at && Date.parse(memory.expires_at) <= now) notes.push(t("note.expired", { time: when(memory.expires_at) }));
  if (memory.valid_to && Date.parse(memory.valid_to) <= now) notes.push(t("note.ended", { time: when(memory.valid_to) }));
  if (memory.valid_from && Date.parse(memory.valid_from) > now) notes.push(t("note.begins", { time: when(memory.valid_from) }));
  return <>{notes.map((note) => <p key={note} class="note">{note}</p>)}</>;
}

function WhyFound({ row }: { row: Row }) {
  if (!row.why) return null;
  const shares = parts(row.why);
  return (
    <section class="why-found" aria-label={t("why.title")}>
      <h3>{t("why.title")}</h3>
      <ul>{reasons(row.why).map((reason) => <li key={reason}>{reason}</li>)}</ul>
      {shares.length > 0 && <h4>{t("why.signals")}</h4>}
      {shares.length > 0 && (
        <ul class="signals">
          {shares.map(({ name, share }) => (
            <li key={name}>
              <span>{name}</span> <meter min={0} max={1} value={share} aria-label={name} /> <span>{Math.round(share * 100)} %</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Who wrote a memory. Of a candidate that a person accepted, it names both. */
function writtenBy({ origin, editor, editor_id, source, version }: Memory): string {
  if (origin === editor) return origin;
  if (source !== "auto" || version !== 1) return t("facts.edited", { origin, editor });
  return t("facts.accepted", { origin, who: t(editor_id === identity.get()?.user_id ? "facts.accepted.you" : "facts.accepted.owner") });
}

/** Where a memory comes from, and who may read it. */
function Facts({ memory }: { memory: Memory }) {
  const names = useLoad(
    async (signal) => {
      const [owner, project, agent, session] = await Promise.all([
        ownerOf(memory, signal),
        memory.project_id ? loci.projects.get(memory.project_id, { signal }).then((one) => ({ name: legible(one.name), people: ` (${peopleIn(one)})` })).catch(() => ({ name: t("facts.gone"), people: "" })) : undefined,
        memory.agent_id ? loci.agents.get(memory.agent_id, { signal }).then(({ name }) => name).catch(() => undefined) : undefined,
        memory.session_id ? loci.sessions.get(memory.session_id, { signal }).then(({ title }) => title).catch(() => undefined) : undefined,
      ]);
      return { owner, project, agent, session };
    },
    [memory.user_id, memory.project_id, memory.agent_id, memory.session_id],
  );
  const { owner, project, agent, session } = names.value ?? {};
  const facts: [string, preact.ComponentChildren][] = [
    ...(owner ? [[t("facts.owner"), legible(owner)] satisfies [string, string]] : []),
    [t("facts.readers"), readers(memory, { project: project ? project.name + project.people : "…", agent: legible(agent ?? "…") })],
    [t("facts.origin"), writtenBy(memory)],
    [t("facts.created"), <time dateTime={memory.created_at}>{when(memory.created_at)}</time>],
  ];
  if (memory.updated_at !== memory.created_at) facts.push([t("facts.updated"), <time dateTime={memory.updated_at}>{when(memory.updated_at)}</time>]);
  if (memory.tags.length > 0) facts.push([t("field.tags"), <>{memory.tags.map((tag) => <a key={tag} class="chip" href={addressOf("memories", { tag })}>{legible(tag)}</a>)}</>]);
  if (memory.key) facts.push([t("field.key"), <code>{legible(memory.key)}</code>]);
  if (memory.scope !== "global") facts.push([t("field.scope"), t(`scope.${memory.scope}`)]);
  if (project) facts.push([t("filters.project"), <a href={addressOf("memories", { project: memory.project_id! })}>{project.name}</a>]);
  if (memory.session_id) facts.push([t("filters.session"), <a href={addressOf("memories", { session: memory.session_id })}>{legible(session || memory.session_id.slice(0, 8))}</a>]);
  if (memory.valid_from) facts.push([t("field.valid_from"), when(memory.valid_from)]);
  if (memory.valid_to) facts.push([t("field.valid_to"), when(memory.valid_to)]);
  if (memory.expires_at) facts.push([t("field.expires_at"), when(memory.expires_at)]);
  facts.push([t("field.importance"), t("facts.importance", { n: memory.importance })]);
  if (memory.category !== "fact") facts.push([t("field.category"), legible(memory.category)]);
  if (memory.memory_type !== "semantic") facts.push([t("field.memory_type"), t(`type.${memory.memory_type}`)]);
  facts.push([t("facts.source"), legible(memory.source)], [t("facts.id"), <code>{memory.id}</code>]);
  return (
    <section aria-label={t("facts.title")}>
      <h3>{t("facts.title")}</h3>
      <dl>{facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
    </section>
  );
}
