import { explain } from "./api.ts";
import { t } from "./i18n/index.ts";
import { store, useStore } from "./store.ts";

/** A message at the edge of the page. */
interface Toast {
  id: number;
  text: string;
  bad?: boolean;
  link?: { href: string; text: string };
  undo?: () => Promise<void> | void;
}

const toasts = store<readonly Toast[]>([]);
let next = 1;

function show(toast: Omit<Toast, "id">, milliseconds: number): void {
  const id = next++;
  toasts.set([...toasts.get().slice(-2), { ...toast, id }]);
  setTimeout(() => drop(id), milliseconds);
}

function drop(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}

/** Tells what was done. undo takes it back; the key u does so, too. */
export function tell(text: string, undo?: () => Promise<void> | void): void {
  show({ text, ...(undo && { undo }) }, undo ? 15_000 : 6000);
}

/** Tells why something was not done. */
export function complain(error: unknown): void {
  const { title, text, link } = explain(error);
  show({ text: `${title}: ${text}`, bad: true, ...(link && { link }) }, 15_000);
}

/** Takes back what was done last, if a message still offers that. It returns whether one did. */
export async function undoLast(): Promise<boolean> {
  const last = toasts.get().findLast(({ undo }) => undo);
  if (last) await undo(last);
  return last !== undefined;
}

async function undo(toast: Toast): Promise<void> {
  drop(toast.id);
  try {
    await toast.undo?.();
    tell(t("undo.done"));
  } catch (error) {
    complain(error);
  }
}

/** Shows the messages. The shell has it once. */
export function Toasts() {
  const all = useStore(toasts);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {all.map((toast) => (
        <div key={toast.id} class={toast.bad ? "toast bad" : "toast"}>
          <span>{toast.text}</span>
          {toast.link && <a href={toast.link.href}>{toast.link.text}</a>}
          {toast.undo && <button type="button" onClick={() => void undo(toast)}>{t("undo")} <kbd>u</kbd></button>}
          <button type="button" aria-label={t("close")} onClick={() => drop(toast.id)}>×</button>
        </div>
      ))}
    </div>
  );
}
