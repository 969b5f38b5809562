import { VersionConflict, type Candidate, type CandidateChange } from "@loci-memory/sdk";
import { useEffect, useRef, useState } from "preact/hooks";
import { explain, loci } from "../../api.ts";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { useUnsaved } from "../../leave.ts";
import { tagsOf } from "../memories/tags.ts";
import { VendorsField } from "../memories/vendors.tsx";
import { kinds } from "./look.ts";

interface Props {
  candidate: Candidate;
  onSaved: (now: Candidate, accept: boolean) => void;
  onCancel: () => void;
  /** The person wants what another has written meanwhile. */
  onTheirs: () => void;
}

/** A form for a candidate that waits. Its evidence stays. */
export function CandidateEditor({ candidate, onSaved, onCancel, onTheirs }: Props) {
  const [before] = useState(() => draftOf(candidate));
  const [draft, setDraft] = useState(before);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const title = useRef<HTMLInputElement>(null);
  const set = (change: Partial<typeof before>) => setDraft((old) => ({ ...old, ...change }));
  const dirty = JSON.stringify(draft) !== JSON.stringify(before);
  useEffect(() => title.current?.focus(), []);
  const { cancel, saved } = useUnsaved(dirty, onCancel);
  useKeys([{ key: "Escape", help: t("keys.cancel"), run: cancel }]);

  const save = async (accept: boolean) => {
    setBusy(true);
    setError(undefined);
    try {
      const change = changeOf(draft, before);
      const now = Object.keys(change).length === 0 ? candidate : await loci.review.update(candidate.id, change, { ifMatch: candidate.version });
      saved();
      onSaved(now, accept);
    } catch (error) {
      setError(error);
      setBusy(false);
    }
  };
  return (
    <form
      class="editor"
      aria-label={t("inbox.edit")}
      onSubmit={(event) => {
        event.preventDefault();
        void save(false);
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
      }}
    >
      <h2>{t("inbox.edit")}</h2>
      {error !== undefined && (
        <div class="failed" role="alert">
          <p>{explain(error).title}: {explain(error).text}</p>
          {error instanceof VersionConflict && <button type="button" class="button" onClick={() => { saved(); onTheirs(); }}>{t("conflict.theirs")}</button>}
        </div>
      )}
      <label>{t("field.title")}<input ref={title} required value={draft.title} onInput={(event) => set({ title: event.currentTarget.value })} /></label>
      <label>{t("field.content")}<textarea required rows={8} value={draft.content} onInput={(event) => set({ content: event.currentTarget.value })} /></label>
      <label>
        {t("inbox.kind")}
        <select value={draft.kind} onChange={(event) => set({ kind: event.currentTarget.value as Candidate["kind"] })}>
          {kinds.map((kind) => <option key={kind} value={kind}>{t(`inbox.kind.${kind}`)}</option>)}
        </select>
      </label>
      <label>{t("field.tags")}<input value={draft.tags} placeholder={t("edit.tags.hint")} onInput={(event) => set({ tags: event.currentTarget.value })} /></label>
      <label>{t("field.category")}<input value={draft.domain} onInput={(event) => set({ domain: event.currentTarget.value })} /></label>
      <VendorsField value={draft.vendors} onChange={(vendors) => set({ vendors })} />
      <div class="actions">
        <button class="button primary" disabled={busy}>{t("save")}</button>
        <button type="button" class="button" disabled={busy} onClick={() => void save(true)}>{t("inbox.edit.accept")}</button>
        <button type="button" class="button" onClick={cancel}>{t("cancel")}</button>
      </div>
    </form>
  );
}

function draftOf(candidate: Candidate) {
  const { title, content, kind, tags, domain = "", allowed_vendors: vendors } = candidate;
  return { title, content, kind, tags: tags.join(", "), domain, vendors: [...vendors] };
}

/** What the person changed. Other fields stay as they are by now. */
function changeOf(draft: ReturnType<typeof draftOf>, before: ReturnType<typeof draftOf>): CandidateChange {
  return {
    ...(draft.title !== before.title && { title: draft.title }),
    ...(draft.content !== before.content && { content: draft.content }),
    ...(draft.kind !== before.kind && { kind: draft.kind }),
    ...(draft.tags !== before.tags && { tags: tagsOf(draft.tags) }),
    ...(draft.domain !== before.domain && { domain: draft.domain }),
    ...(draft.vendors.join() !== before.vendors.join() && { allowed_vendors: draft.vendors }),
  };
}
