import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { t } from "./i18n/index.ts";
import type { Binding } from "./keys.ts";
import "./cards.css";

/** Which card the keys act on, and the keys that move between cards. */
export interface Cards {
  /** The id of the card that has the focus, or had it last; "": none. */
  at: string;
  bindings: Binding[];
  focused: (id: string) => void;
}

/** Moves the focus between cards with j and k. */
export function useCards(ids: readonly string[]): Cards {
  const [at, setAt] = useState("");
  const move = (by: number) => {
    const i = ids.indexOf(at);
    const next = ids[Math.max(0, Math.min(ids.length - 1, i < 0 ? 0 : i + by))];
    if (next !== undefined) document.querySelector<HTMLElement>(`[data-card="${CSS.escape(next)}"]`)?.focus();
  };
  return {
    at: ids.includes(at) ? at : "",
    focused: setAt,
    bindings: [
      { key: "j", help: t("cards.down"), run: () => move(1) },
      { key: "k", help: t("cards.up"), run: () => move(-1) },
    ],
  };
}

/** One card of a list. */
export function Card({ id, of, off, children }: { id: string; of: Cards; off?: boolean; children: ComponentChildren }) {
  return <li class={off ? "card off" : "card"} data-card={id} tabIndex={-1} onFocusIn={() => of.focused(id)}>{children}</li>;
}
