import { useLayoutEffect, useRef } from "preact/hooks";
import { store, type Store } from "./store.ts";

/** What a key does. */
export interface Binding {
  /** The key as KeyboardEvent.key names it: "j", "/", "Escape". */
  key: string;
  /** What it does, in the language of the page; "": the help does not show it. */
  help: string;
  run: () => void;
}

/** The layers of bindings, the last one first: a view lies over the shell, and a pane over its view. */
const layers: Store<readonly { current: readonly Binding[] }[]> = store<readonly { current: readonly Binding[] }[]>([]);

/** Binds keys while the component is shown. Keys do nothing while the person types, except Escape. */
export function useKeys(bindings: readonly Binding[]): void {
  const layer = useRef(bindings);
  layer.current = bindings;
  useLayoutEffect(() => {
    layers.set([layer, ...layers.get()]);
    return () => layers.set(layers.get().filter((other) => other !== layer));
  }, []);
}

/** The bindings that work now. The first one of a key counts. */
export function currentKeys(): Binding[] {
  const seen = new Set<string>();
  return layers
    .get()
    .flatMap((layer) => layer.current)
    .filter((binding) => !seen.has(binding.key) && seen.add(binding.key));
}

/** Tells whether a person types into an element. */
export function isTyping(element: Element | null): boolean {
  if (!element) return false;
  const type = element.getAttribute("type") ?? "text";
  if (element.tagName === "INPUT") return !["checkbox", "radio", "button", "submit", "range"].includes(type);
  return element.tagName === "TEXTAREA" || element.tagName === "SELECT" || (element as HTMLElement).isContentEditable;
}

/** The keys that repeat while a person holds them down: those that move. Any other key counts once, so that nobody accepts a list by leaning on a key. */
const moving = /^([hjkl+-]|Arrow\w+)$/i;

export function startKeys(): void {
  // The key of the last binding that ran, while it is down. It must not type into what its binding put the focus on.
  let down = "";
  document.addEventListener("keydown", (event) => {
    if (!event.repeat) down = "";
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || event.isComposing) return;
    // A dialog has its own keys.
    if (document.querySelector("dialog[open]") || (event.key !== "Escape" && isTyping(document.activeElement))) {
      if (event.key === down) event.preventDefault();
      return;
    }
    const binding = currentKeys().find(({ key }) => key === event.key);
    if (!binding) return;
    event.preventDefault();
    down = event.key;
    if (!event.repeat || moving.test(event.key)) binding.run();
  });
  document.addEventListener("keypress", (event) => event.key === down && event.preventDefault());
  document.addEventListener("keyup", () => void (down = ""));
}
