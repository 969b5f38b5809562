import { useEffect, useRef } from "preact/hooks";
import { explain, mayPass, needsStepUp, stepUpAddress } from "./api.ts";
import { t } from "./i18n/index.ts";
import { store, useStore } from "./store.ts";

/** Something that was done and can be taken back. */
interface Deed {
  text: string;
  undo: () => Promise<void> | void;
}

/** How many of them a visit keeps. A person decides about 100 candidates in two minutes. */
const most = 200;

/** What can be taken back, the last one at the end. It stays when its message is gone. */
const deeds: Deed[] = [];

/** A message at the edge of the page. */
interface Toast {
  id: number;
  text: string;
  bad?: boolean;
  link?: { href: string; text: string };
  deed?: Deed;
  /** The message waits for a proof of who the person is: it stays, and its link opens a tab, so that this page lives on. */
  waits?: boolean;
}

const toasts = store<readonly Toast[]>([]);
let next = 1;

function show(toast: Omit<Toast, "id">, milliseconds?: number): void {
  const id = next++;
  const waiting = toasts.get().filter(({ waits }) => waits);
  toasts.set([...waiting, ...toasts.get().filter(({ waits }) => !waits).slice(-2), { ...toast, id }]);
  if (milliseconds) setTimeout(() => drop(id), milliseconds);
}

function drop(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}

/** Tells what was done. undo takes it back; the key u does so, too. */
export function tell(text: string, undo?: Deed["undo"]): void {
  if (!undo) return show({ text }, 6000);
  const deed = { text, undo };
  if (deeds.push(deed) > most) deeds.shift();
  show({ text, deed }, 15_000);
}

/** Tells why something was not done. */
export function complain(error: unknown): void {
  const { title, text, link } = explain(error);
  show({ text: `${title}: ${text}`, bad: true, ...(link && { link }) }, 15_000);
}

/** Takes back what was done last in this visit; the next call takes back what was done before that. */
export async function undoLast(): Promise<void> {
  const last = deeds.at(-1);
  if (last) await takeBack(last);
  else tell(t("undo.nothing"));
}

/** Takes back what tell was told with this undo, unless that has happened. */
export async function undoNow(undo: Deed["undo"]): Promise<void> {
  const deed = deeds.find((one) => one.undo === undo);
  if (deed) await takeBack(deed);
}

async function takeBack(deed: Deed): Promise<void> {
  const at = deeds.indexOf(deed);
  if (at < 0) return;
  deeds.splice(at, 1);
  toasts.set(toasts.get().filter((toast) => toast.deed !== deed));
  try {
    await deed.undo();
    tell(t("undo.done"));
  } catch (error) {
    if (mayPass(error)) deeds.splice(at, 0, deed);
    if (!needsStepUp(error)) return complain(error);
    const link = { href: stepUpAddress(), text: t("stepUp.go") };
    show({ text: t("undo.proof", { what: deed.text }), bad: true, deed, link, waits: true });
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
          {toast.link && (toast.waits ? <Proof {...toast.link} /> : <a href={toast.link.href}>{toast.link.text}</a>)}
          {toast.deed && <button type="button" onClick={() => void takeBack(toast.deed!)}>{t("undo")} <kbd>u</kbd></button>}
          <button type="button" aria-label={t("close")} onClick={() => drop(toast.id)}>×</button>
        </div>
      ))}
    </div>
  );
}

/** Leads to the proof in a tab of its own. It has the focus, so that Enter leads there. */
function Proof({ href, text }: { href: string; text: string }) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => link.current?.focus(), []);
  return <a ref={link} href={href} target="_blank" rel="noopener">{text}</a>;
}
