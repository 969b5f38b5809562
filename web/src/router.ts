import { store, useStore } from "./store.ts";

/** The address of what is shown: the path below /app/, without a slash at its ends, and the query. */
export interface Place {
  path: string;
  query: URLSearchParams;
}

export const base = "/app/";

/** Reads an address of the dashboard. */
export function placeOf(pathname: string, search: string): Place {
  // The server also shows the dashboard at an address that has no page. No view has this path.
  if (!pathname.startsWith(base)) return { path: "..", query: new URLSearchParams(search) };
  const path = pathname.slice(base.length).split("/").filter(Boolean).map(decoded).join("/");
  return { path, query: new URLSearchParams(search) };
}

/** Writes the address of a place, with a query in the order of its names. */
export function addressOf(path: string, query?: URLSearchParams | Record<string, string>): string {
  const search = new URLSearchParams(query).toString();
  return base + path.split("/").map(encodeURIComponent).join("/") + (search && `?${search}`);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const here = () => placeOf(location.pathname, location.search);
const place = store<Place>(typeof location === "undefined" ? { path: "", query: new URLSearchParams() } : here());

/** The place that is shown now. */
export function currentPlace(): Place {
  return place.get();
}

/** Follows the place that is shown. */
export function usePlace(): Place {
  return useStore(place);
}

/** Reasons to stay, such as an edit that is not saved. Each returns false to stay. */
const guards = new Set<() => boolean>();

/** Asks before the person leaves. It returns a function that removes the question. */
export function guard(mayLeave: () => boolean): () => void {
  guards.add(mayLeave);
  return () => void guards.delete(mayLeave);
}

/** Shows another place. replace leaves no step in the history of the browser. */
export function go(address: string, { replace = false } = {}): void {
  for (const mayLeave of guards) if (!mayLeave()) return;
  if (address === location.pathname + location.search) return;
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  place.set(here());
}

/** Follows links and the buttons of the browser. isView tells which paths the dashboard shows; others are pages of the server. */
export function startRouter(isView: (path: string) => boolean): void {
  let shown = location.pathname + location.search;
  place.subscribe(() => (shown = location.pathname + location.search));
  addEventListener("popstate", () => {
    for (const mayLeave of guards) {
      if (mayLeave()) continue;
      history.pushState(null, "", shown);
      return;
    }
    place.set(here());
  });
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest?.("a");
    if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
    if (!link.pathname.startsWith(base) || !isView(placeOf(link.pathname, "").path)) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}
