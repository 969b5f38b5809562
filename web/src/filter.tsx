import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { t } from "./i18n/index.ts";
import type { Binding } from "./keys.ts";
import { Empty } from "./states.tsx";

/** What narrows the rows that a view has loaded to those with some words. */
export interface Filter {
  /** Tells whether texts of a row, as they are shown, have all the words. */
  fits: (...texts: readonly (string | undefined)[]) => boolean;
  /** The field. n is how many rows fit. */
  field: (n: number) => ComponentChildren;
  /** What stands in place of rows if none fits. */
  none: () => ComponentChildren;
  /** The key that leads to the field. */
  key: Binding;
}

/** A field for words. Enter leaves it; Escape empties it, and leaves it if it is empty. label says what it filters. */
export function useFilter(label: string): Filter {
  const [text, setText] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" && event.key !== "Enter") return;
    event.preventDefault();
    if (event.key === "Escape" && text !== "") setText("");
    else input.current?.blur();
  };
  return {
    fits: (...texts) => {
      const all = texts.join(" ").toLowerCase();
      return words.every((word) => all.includes(word));
    },
    field: (n) => (
      <div class="filter">
        <input ref={input} type="search" aria-label={label} placeholder={label} value={text} onInput={(event) => setText(event.currentTarget.value)} onKeyDown={onKeyDown} />
        <span class="hint" role="status">{words.length > 0 && t("filter.found", { n })}</span>
      </div>
    ),
    none: () => <Empty title={t("filter.none")}><button type="button" class="button" onClick={() => setText("")}>{t("filter.all")}</button></Empty>,
    key: { key: "/", help: label, run: () => input.current?.focus() },
  };
}
