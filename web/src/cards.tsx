import type { ComponentChildren } from "preact";
import { t } from "./i18n/index.ts";
import type { Binding } from "./keys.ts";
import "./cards.css";

/** The id of the card that has the focus; "": none. */
export function currentCard(): string {
  return document.activeElement?.closest<HTMLElement>("[data-card]")?.dataset.card ?? "";
}

/** The keys that move the focus between cards. */
export function cardKeys(ids: readonly string[]): Binding[] {
  const move = (by: number) => {
    const i = ids.indexOf(currentCard());
    const next = ids[Math.max(0, Math.min(ids.length - 1, i < 0 ? 0 : i + by))];
    if (next !== undefined) document.querySelector<HTMLElement>(`[data-card="${CSS.escape(next)}"]`)?.focus();
  };
  return [
    { key: "j", help: t("cards.down"), run: () => move(1) },
    { key: "k", help: t("cards.up"), run: () => move(-1) },
  ];
}

/** What makes an element a card that the keys reach. */
export function cardAt(id: string): { "data-card": string; tabIndex: number } {
  return { "data-card": id, tabIndex: -1 };
}

/** One card of a list. onOpen is what Enter does while the card itself has the focus. */
export function Card({ id, off, onOpen, children }: { id: string; off?: boolean; onOpen?: () => void; children: ComponentChildren }) {
  const open = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.target !== event.currentTarget || !onOpen) return;
    event.preventDefault();
    onOpen();
  };
  return <li class={off ? "card off" : "card"} {...cardAt(id)} onKeyDown={open}>{children}</li>;
}
