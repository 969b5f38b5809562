import { useEffect, useState } from "preact/hooks";

/** A value that components follow. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  subscribe(listener: () => void): () => void;
}

export function store<T>(value: T): Store<T> {
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Returns the value, and draws the component again when it changes. */
export function useStore<T>(s: Store<T>): T {
  const [, draw] = useState({});
  const shown = s.get();
  useEffect(() => {
    if (!Object.is(s.get(), shown)) draw({}); // it changed before this component listened
    return s.subscribe(() => draw({}));
  }, [s]);
  return shown;
}

/** Reads a choice that the person made before. A browser may keep nothing. */
export function kept(name: string): string | null {
  try {
    return localStorage.getItem(`loci.${name}`);
  } catch {
    return null;
  }
}

/** Forgets a choice. */
export function forget(name: string): void {
  try {
    localStorage.removeItem(`loci.${name}`);
  } catch {
    // Nothing is kept there.
  }
}

/** Keeps a choice for the next visit. */
export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`loci.${name}`, value);
  } catch {
    // The choice lasts as long as the page.
  }
}
