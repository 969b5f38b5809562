import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { needsStepUp } from "./api.ts";
import { Cancel, Dialog } from "./dialog.tsx";
import { t } from "./i18n/index.ts";
import { resumed, withProof } from "./pending.ts";
import { Problem } from "./states.tsx";
import { complain } from "./undo.tsx";

interface FormProps {
  title: string;
  /** The text of its button; left out: Save. */
  yes?: string;
  danger?: boolean;
  /** Saves. If it throws, the form stays and tells why. */
  onSave: () => Promise<void>;
  onClose: () => void;
  children: ComponentChildren;
}

/** A form in a window. Ctrl+Enter saves it. It closes once it is saved. */
export function FormDialog({ title, yes, danger, onSave, onClose, children }: FormProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const shown = useRef(true);
  useEffect(() => () => void (shown.current = false), []);
  const save = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await onSave();
      if (shown.current) onClose();
    } catch (failed) {
      if (!shown.current) return complain(failed);
      setError(failed);
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="editor in-dialog"
        aria-label={title}
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) void save();
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
        }}
      >
        <Problem error={error} />
        {children}
        <div class="actions">
          <button class={danger ? "button danger" : "button primary"} disabled={busy}>{yes ?? t("save")}</button>
          <Cancel />
        </div>
      </form>
    </Dialog>
  );
}

/** Does something, and tells why if it fails. It returns whether it was done. */
export async function attempt(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

/** Does something with values that may need a proof; useProved goes on with them after the proof. */
export async function proving(what: string, values: readonly string[], run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!needsStepUp(error)) throw error;
    await withProof({ what, ids: [...values] }, () => Promise.reject(error as Error));
  }
}

/** Goes on, once, with what proving wanted before the person proved who they are. */
export function useProved(prefix: string, run: (what: string, values: readonly string[]) => Promise<unknown>): void {
  useEffect(() => {
    const wanted = resumed(prefix);
    if (wanted) void attempt(() => run(wanted.what, wanted.ids));
  }, []);
}
