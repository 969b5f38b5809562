import { t } from "./i18n/index.ts";
import type { Binding } from "./keys.ts";
import { focusRow } from "./list.tsx";

/** The keys that open the next and the previous row of a list. */
export function moves(rows: readonly { id: string }[], open: string, show: (id: string) => void): Binding[] {
  const move = (by: number) => {
    const at = rows.findIndex(({ id }) => id === open);
    const next = rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + by))];
    if (!next) return;
    show(next.id);
    focusRow(next.id);
  };
  return [
    { key: "j", help: t("inbox.keys.down"), run: () => move(1) },
    { key: "k", help: t("inbox.keys.up"), run: () => move(-1) },
    { key: "ArrowDown", help: "", run: () => move(1) },
    { key: "ArrowUp", help: "", run: () => move(-1) },
  ];
}
