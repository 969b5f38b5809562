import { keep, kept, store } from "./store.ts";

/** The colours of the page. auto follows the system. */
export const themes = ["auto", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

export const theme = store<Theme>("auto");

export function setTheme(name: Theme): void {
  keep("theme", name);
  apply(name);
}

export function startTheme(): void {
  const chosen = kept("theme");
  apply(themes.find((name) => name === chosen) ?? "auto");
}

function apply(name: Theme): void {
  // Without the attribute, the style sheet follows the system.
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  theme.set(name);
}
