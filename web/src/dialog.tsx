import { createContext, type ComponentChildren } from "preact";
import { useContext, useEffect, useId, useRef } from "preact/hooks";
import { t } from "./i18n/index.ts";
import { mayLose, useTyped } from "./leave.ts";
import { store, useStore } from "./store.ts";

/** Closes the window around a component, after a question if something was typed into it. */
const closing = createContext<() => void>(() => undefined);

/** A window over the page. The browser keeps the focus inside, and Escape closes it. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren }) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  const { typed, note } = useTyped();
  const close = () => void (mayLose(typed()) && onClose());
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    ref.current?.showModal();
    return () => before?.focus?.();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (event.cancelable) close(); // else the browser closes the window, and onClose asks
      }}
      // A browser lets nobody keep a window open against a second Escape. One that must stay opens again.
      onClose={() => {
        close();
        requestAnimationFrame(() => ref.current?.isConnected && !ref.current.open && ref.current.showModal());
      }}
      onClick={(event) => event.target === ref.current && close()}
      onFocusIn={note}
      onPointerDown={note}
    >
      <div class="dialog">
        <h2 id={id}>{title}</h2>
        <closing.Provider value={close}>{children}</closing.Provider>
      </div>
    </dialog>
  );
}

/** The button that closes a window and does nothing. */
export function Cancel() {
  return <button type="button" class="button" onClick={useContext(closing)}>{t("cancel")}</button>;
}

/** A question before something is done. */
interface Question {
  title: string;
  text: string;
  yes: string;
  danger?: boolean;
  answer: (yes: boolean) => void;
}

const question = store<Question | undefined>(undefined);

/** Asks the person, and returns whether they agree. */
export function confirm(ask: Omit<Question, "answer">): Promise<boolean> {
  return new Promise((answer) => {
    question.get()?.answer(false);
    question.set({ ...ask, answer });
  });
}

/** Shows the question that confirm asks. The shell has it once. */
export function Confirmations() {
  const ask = useStore(question);
  if (!ask) return null;
  const done = (yes: boolean) => {
    question.set(undefined);
    ask.answer(yes);
  };
  return (
    <Dialog key={ask.title} title={ask.title} onClose={() => done(false)}>
      <p>{ask.text}</p>
      <div class="actions">
        <button type="button" class={ask.danger ? "button danger" : "button primary"} autofocus onClick={() => done(true)}>{ask.yes}</button>
        <button type="button" class="button" onClick={() => done(false)}>{t("cancel")}</button>
      </div>
    </Dialog>
  );
}
