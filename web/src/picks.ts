import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "./i18n/index.ts";
import type { Binding } from "./keys.ts";

/** The rows that a person selected in a list. */
export interface Picks<T> {
  picked: ReadonlySet<string>;
  /** Those of them that the list has. */
  chosen: T[];
  /** Selects a row or not. With range, it does so with everything between the last one and this one. */
  pick: (id: string, on: boolean, range?: boolean) => void;
  /** Selects all rows that are read. */
  all: () => void;
  clear: () => void;
  /** s selects the current row or not, and S all of them. */
  keys: Binding[];
}

/** Keeps which rows are selected in the list of a name. Another list begins with none. */
export function usePicks<T extends { id: string }>(rows: readonly T[], name: string, current: string | undefined): Picks<T> {
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const last = useRef("");
  const clear = () => setPicked(new Set());
  useEffect(clear, [name]);
  const pick = (id: string, on: boolean, range = false) => {
    const [from, to] = [rows.findIndex((row) => row.id === last.current), rows.findIndex((row) => row.id === id)].sort((a, b) => a - b) as [number, number];
    const ids = range && from >= 0 ? rows.slice(from, to + 1).map((row) => row.id) : [id];
    last.current = id;
    setPicked((old) => (on ? new Set([...old, ...ids]) : new Set([...old].filter((one) => !ids.includes(one)))));
  };
  const all = () => setPicked(new Set(rows.map(({ id }) => id)));
  const keys = [
    { key: "s", help: t("keys.select"), run: () => current && pick(current, !picked.has(current)) },
    { key: "S", help: t("inbox.selectAll"), run: all },
  ];
  return { picked, chosen: rows.filter(({ id }) => picked.has(id)), pick, all, clear, keys };
}
