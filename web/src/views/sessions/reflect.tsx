import type { Reflected, Session } from "@loci-memory/sdk";
import { useEffect, useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { Cancel, Dialog } from "../../dialog.tsx";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";
import { useLoad } from "../../load.ts";
import { addressOf, go } from "../../router.ts";
import { Failed, Shown } from "../../states.tsx";
import { complain, tell } from "../../undo.tsx";
import { nameOf } from "./index.tsx";
import { notesOf } from "./notes.ts";

/** Finds in the events of a session what to keep. Nothing is kept before a person decides about it in the inbox. */
export function Reflect({ session, onClose }: { session: Session; onClose: () => void }) {
  const events = useLoad((signal) => loci.events.list({ session_id: session.id, limit: 500 }, { signal }), []);
  const [text, setText] = useState<string>();
  const [found, setFound] = useState<{ of: string; answer: Reflected }>();
  const [failed, setFailed] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const notes = events.value && notesOf(events.value.events, session.allowed_vendors);
  useEffect(() => {
    if (notes && text === undefined) setText(notes.text);
  }, [events.value]);
  const content = text ?? "";
  const request = { content, source_title: nameOf(session).slice(0, 200), project: session.project_id, allowed_vendors: session.allowed_vendors };
  const run = async (keep: boolean) => {
    setBusy(true);
    setFailed(undefined);
    try {
      const answer = await loci.reflection.reflect(keep ? { ...request, persist: true, persist_review: true } : request);
      if (!keep) return setFound({ of: content, answer });
      onClose();
      tell(t("sessions.reflect.done", { n: answer.persisted_count }));
      if (answer.persisted_count > 0) go(addressOf("inbox", answer.source_id ? { source: answer.source_id } : {}));
    } catch (error) {
      if (keep) complain(error);
      setFailed(error);
    } finally {
      setBusy(false);
    }
  };
  const shown = found?.of === content ? found.answer : undefined;
  return (
    <Dialog title={t("sessions.reflect.title")} onClose={onClose}>
      {session.allowed_vendors.length === 0 ? <p>{t("sessions.reflect.people")}</p> : (
        <Shown of={events}>
          {() => (
            <>
              <p class="hint">{t("sessions.reflect.text", { n: notes?.used ?? 0 })} {notes && notes.narrower > 0 && t("sessions.reflect.narrower", { n: notes.narrower })} {((notes?.cut ?? 0) > 0 || events.value?.has_more) && t("sessions.reflect.cut")}</p>
              <label>{t("sessions.notes")}<textarea rows={8} autofocus value={content} onInput={(event) => setText(event.currentTarget.value)} /></label>
              {failed !== undefined && <Failed error={failed} />}
              {shown && (
                <div role="status">
                  <p><strong>{t("sessions.reflect.found", { n: shown.total_candidates })}</strong></p>
                  <ul class="cards sessions-found">{shown.candidates.map((one, i) => <li key={i}><span class="tag">{t(`inbox.kind.${one.kind}`)}</span> {legible(one.title)}</li>)}</ul>
                </div>
              )}
              <div class="actions">
                {shown && shown.total_candidates > 0 ? <button type="button" class="button primary" disabled={busy} onClick={() => void run(true)}>{t("sessions.reflect.keep", { n: shown.total_candidates })}</button> : <button type="button" class="button primary" disabled={busy || content.trim() === ""} onClick={() => void run(false)}>{t("sessions.reflect.try")}</button>}
                <Cancel />
              </div>
            </>
          )}
        </Shown>
      )}
    </Dialog>
  );
}
