import { useEffect, useRef } from "preact/hooks";
import { t } from "./i18n/index.ts";
import { guard } from "./router.ts";

/** Leaves a field with Escape, which then closes nothing else. */
export function leave(event: KeyboardEvent): void {
  if (event.key !== "Escape") return;
  event.preventDefault();
  (event.currentTarget as HTMLElement).blur();
}

/** Asks before what a person typed is lost, and returns whether it may be. */
export function mayLose(typed: boolean): boolean {
  return !typed || window.confirm(t("edit.leave"));
}

/** Keeps what is typed into a form of a view: it asks before the person cancels, goes elsewhere or closes the page. */
export function useUnsaved(typed: boolean, onCancel: () => void): { cancel: () => void; saved: () => void } {
  const free = useRef(false);
  useEffect(() => {
    if (!typed) return;
    const leaving = (event: BeforeUnloadEvent) => {
      if (!free.current) event.preventDefault();
    };
    const stop = guard(() => mayLose(!free.current));
    addEventListener("beforeunload", leaving);
    return () => {
      stop();
      removeEventListener("beforeunload", leaving);
    };
  }, [typed]);
  const saved = () => void (free.current = true);
  const cancel = () => {
    if (!mayLose(typed)) return;
    saved();
    onCancel();
  };
  return { cancel, saved };
}

/** What has a value in a window. Buttons that stay pressed count in a group of fields; elsewhere they are tabs. */
const fields = "input, select, textarea, fieldset [aria-pressed]";

/** Tells whether a person changed something in a window. note gets its events, before a field changes. */
export function useTyped(): { typed: () => boolean; note: (event: Event) => void } {
  const before = useRef(new Map<Element, string>());
  const valueOf = (field: Element) => {
    const { value, checked } = field as HTMLInputElement;
    return `${checked} ${field.getAttribute("aria-pressed")} ${value}`;
  };
  return {
    typed: () => [...before.current].some(([field, value]) => field.isConnected && valueOf(field) !== value),
    note({ target }) {
      const field = (target as Element).closest("label")?.control ?? (target as Element).closest(fields);
      if (field && !before.current.has(field)) before.current.set(field, valueOf(field));
    },
  };
}
