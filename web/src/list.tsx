import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "./i18n/index.ts";
import { windowOf } from "./window.ts";

/** A list of any length. Only the rows in sight are in the page; more are read when the end comes near. */
export interface ListProps<T extends { id: string }> {
  label: string;
  items: readonly T[];
  /** How many there are; undefined: not known. */
  total?: number | undefined;
  /** The height of each row in pixels. The style sheet uses the same. */
  height: number;
  /** The row that keys act on. */
  current: string | undefined;
  /** There are more than items. */
  more: boolean;
  /** Reads more. It does nothing while it already does, or after an error. When it can read again, it is another function. */
  onMore: () => void;
  row: (item: T, index: number) => ComponentChildren;
}

export function List<T extends { id: string }>({ label, items, total, height, current, more, onMore, row }: ListProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const measure = () => {
    const { scrollTop = 0, clientHeight = 800 } = box.current ?? {};
    setView((old) => (old.top === scrollTop && old.height === clientHeight ? old : { top: scrollTop, height: clientHeight }));
  };
  useLayoutEffect(() => {
    measure();
    const sizes = new ResizeObserver(measure);
    if (box.current) sizes.observe(box.current);
    return () => sizes.disconnect();
  }, []);

  const at = items.findIndex(({ id }) => id === current);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || at < 0) return;
    const top = at * height;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + height > element.scrollTop + element.clientHeight) element.scrollTop = top + height - element.clientHeight;
  }, [current, at < 0]);

  const { first, last } = windowOf(items.length, height, view.top, view.height);
  const near = last >= items.length - 10;
  useEffect(() => {
    if (near && more) onMore();
  }, [near, more, items.length, onMore]);

  return (
    <div class="list" ref={box} onScroll={measure} tabIndex={-1}>
      <ul aria-label={label} style={{ height: `${items.length * height}px` }}>
        {items.slice(first, last).map((item, i) => (
          <li
            key={item.id}
            aria-posinset={first + i + 1}
            aria-setsize={total ?? (more ? -1 : items.length)}
            class={item.id === current ? "row current" : "row"}
            style={{ height: `${height}px`, transform: `translateY(${(first + i) * height}px)` }}
          >
            {row(item, first + i)}
          </li>
        ))}
      </ul>
      {more && <p class="list-more" role="status">{t("list.more")}</p>}
    </div>
  );
}

/** Puts the focus on the link of a row: at once if the page has it, so that the next key finds it there, else when the list has moved to it. */
export function focusRow(id: string, within = ".list"): void {
  const focus = () => {
    const link = document.querySelector<HTMLElement>(`${within} a[data-id="${CSS.escape(id)}"]`);
    link?.focus({ preventScroll: true });
    return link;
  };
  if (!focus()) requestAnimationFrame(focus);
}
