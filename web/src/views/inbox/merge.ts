/** Rows of a list, and the cursor of the page after them. */
export interface Part<T> {
  rows: readonly T[];
  next: string;
}

/** Adds a page to a list. The first page replaces the rows that it covers, so that those decided elsewhere go. */
export function merged<T extends { id: string }>(old: Part<T>, found: Part<T>, cursor: string): Part<T> {
  const known = new Set(found.rows.map(({ id }) => id));
  if (cursor !== "") {
    const before = new Set(old.rows.map(({ id }) => id));
    return { rows: [...old.rows, ...found.rows.filter(({ id }) => !before.has(id))], next: found.next };
  }
  const last = found.rows.at(-1);
  const at = last ? old.rows.findIndex(({ id }) => id === last.id) : -1;
  if (found.next === "" || at < 0) return found;
  const below = old.rows.slice(at + 1).filter(({ id }) => !known.has(id));
  return { rows: [...found.rows, ...below], next: below.length > 0 || old.next === "" ? old.next : found.next };
}
