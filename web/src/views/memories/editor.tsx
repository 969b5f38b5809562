import { VersionConflict, type Edit, type Memory, type Saved } from "@loci-memory/sdk";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { useUnsaved } from "../../leave.ts";
import { Markdown } from "../../markdown.tsx";
import { Problem } from "../../states.tsx";
import { fromField, toField } from "../../time.ts";
import { readMemory } from "./acts.ts";
import { tagsOf } from "./tags.ts";
import { VendorsField } from "./vendors.tsx";

/** What the form holds. */
interface Draft {
  title: string;
  content: string;
  summary: string;
  tags: string;
  key: string;
  importance: number;
  pinned: boolean;
  vendors: string[];
  expires: string;
  from: string;
  to: string;
}

function draftOf(memory: Memory | undefined): Draft {
  return {
    title: memory?.title ?? "",
    content: memory?.content ?? "",
    summary: memory?.summary ?? "",
    tags: memory?.tags.join(", ") ?? "",
    key: memory?.key ?? "",
    importance: memory?.importance ?? 5,
    pinned: memory?.pinned ?? false,
    vendors: memory?.allowed_vendors ?? ["*"],
    expires: toField(memory?.expires_at),
    from: toField(memory?.valid_from),
    to: toField(memory?.valid_to),
  };
}

/** What differs from the memory as it was when the form opened. Other fields stay as they are by now. */
function editOf(draft: Draft, before: Draft): Edit {
  const changed = (name: keyof Draft) => JSON.stringify(draft[name]) !== JSON.stringify(before[name]);
  return {
    ...(changed("title") && { title: draft.title }),
    ...(changed("content") && { content: draft.content }),
    ...(changed("summary") && { summary: draft.summary || null }),
    ...(changed("tags") && { tags: tagsOf(draft.tags) }),
    ...(changed("key") && { key: draft.key || null }),
    ...(changed("importance") && { importance: draft.importance }),
    ...(changed("pinned") && { pinned: draft.pinned }),
    ...(changed("vendors") && { allowed_vendors: draft.vendors }),
    ...(changed("expires") && { expires_at: fromField(draft.expires) ?? null }),
    ...(changed("from") && { valid_from: fromField(draft.from) ?? null }),
    ...(changed("to") && { valid_to: fromField(draft.to) ?? null }),
  };
}

interface Props {
  /** The memory to edit; undefined: a new one. */
  memory?: Memory;
  onSaved: (saved: Memory | Saved) => void;
  onCancel: () => void;
}

/** A form for a memory, with a preview of its Markdown. */
export function Editor({ memory, onSaved, onCancel }: Props) {
  const [before] = useState(() => draftOf(memory));
  const [draft, setDraft] = useState(before);
  const [preview, setPreview] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [theirs, setTheirs] = useState<Memory>();
  const form = useRef<HTMLFormElement>(null);
  const title = useRef<HTMLInputElement>(null);
  const id = useId();
  const set = (change: Partial<Draft>) => setDraft((old) => ({ ...old, ...change }));

  useEffect(() => title.current?.focus(), []);
  const { cancel, saved } = useUnsaved(JSON.stringify(draft) !== JSON.stringify(before), onCancel);
  useKeys([{ key: "Escape", help: t("keys.cancel"), run: cancel }]);

  const save = async (version = memory?.version) => {
    setBusy(true);
    setError(undefined);
    try {
      const result = memory ? await loci.memories.edit(memory.id, editOf(draft, before), { ifMatch: version }) : await loci.memories.create(newOf(draft));
      saved();
      onSaved(result);
    } catch (error) {
      setError(error);
      if (error instanceof VersionConflict && memory) setTheirs(await readMemory(memory.id).catch(() => undefined));
    } finally {
      setBusy(false);
    }
  };

  return (
    <form
      ref={form}
      class="editor"
      aria-label={memory ? t("edit.title") : t("new.title")}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
      }}
    >
      <h2>{memory ? t("edit.title") : t("new.title")}</h2>
      {!theirs && <Problem error={error} />}
      {theirs && memory && (
        <div class="failed" role="alert">
          <p class="state-title">{t("conflict.title")}</p>
          <p>{t("conflict.text", { editor: theirs.editor, n: theirs.version })}</p>
          <pre tabIndex={0}>{theirs.content}</pre>
          <div class="actions">
            <button type="button" class="button" onClick={() => void save(theirs.version)}>{t("conflict.mine")}</button>
            <button type="button" class="button" onClick={() => { saved(); onSaved(theirs); }}>{t("conflict.theirs")}</button>
          </div>
        </div>
      )}
      <label>{t("field.title")}<input ref={title} required={draft.key === ""} value={draft.title} onInput={(event) => set({ title: event.currentTarget.value })} /></label>
      <div class="tabs" role="group" aria-label={t("field.content")}>
        <button type="button" aria-pressed={!preview} onClick={() => setPreview(false)}>{t("edit.write")}</button>
        <button type="button" aria-pressed={preview} onClick={() => setPreview(true)}>{t("edit.preview")}</button>
      </div>
      {preview ? <Markdown text={draft.content} /> : (
        <>
          <label for={`${id}content`}>{t("field.content")}</label>
          <textarea id={`${id}content`} required rows={10} value={draft.content} onInput={(event) => set({ content: event.currentTarget.value })} />
        </>
      )}
      <label>{t("field.tags")}<input value={draft.tags} placeholder={t("edit.tags.hint")} onInput={(event) => set({ tags: event.currentTarget.value })} /></label>
      <VendorsField value={draft.vendors} onChange={(vendors) => set({ vendors })} />
      <label class="check"><input type="checkbox" checked={draft.pinned} onChange={(event) => set({ pinned: event.currentTarget.checked })} /> {t("edit.pinned")}</label>
      <details>
        <summary>{t("edit.more")}</summary>
        <label>{t("field.summary")}<input value={draft.summary} onInput={(event) => set({ summary: event.currentTarget.value })} /></label>
        <label>{t("field.key")}<input value={draft.key} onInput={(event) => set({ key: event.currentTarget.value })} /></label>
        <label>{t("field.importance")}<input type="number" min={1} max={10} value={draft.importance} onInput={(event) => set({ importance: Number(event.currentTarget.value) || 5 })} /></label>
        <label>{t("field.expires_at")}<input type="datetime-local" value={draft.expires} onInput={(event) => set({ expires: event.currentTarget.value })} /></label>
        <label>{t("field.valid_from")}<input type="datetime-local" value={draft.from} onInput={(event) => set({ from: event.currentTarget.value })} /></label>
        <label>{t("field.valid_to")}<input type="datetime-local" value={draft.to} onInput={(event) => set({ to: event.currentTarget.value })} /></label>
      </details>
      <div class="actions">
        <button class="button primary" disabled={busy}>{t("save")}</button>
        <button type="button" class="button" onClick={cancel}>{t("cancel")}</button>
      </div>
    </form>
  );
}

function newOf(draft: Draft) {
  return {
    title: draft.title || undefined,
    content: draft.content,
    summary: draft.summary || undefined,
    tags: tagsOf(draft.tags),
    key: draft.key || undefined,
    importance: draft.importance,
    pinned: draft.pinned || undefined,
    allowed_vendors: draft.vendors,
    expires_at: fromField(draft.expires),
    valid_from: fromField(draft.from),
    valid_to: fromField(draft.to),
  };
}
