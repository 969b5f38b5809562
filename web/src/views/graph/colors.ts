/** The colours of the types, the most frequent first. Types beyond them share the last one. */
const light = ["#2457c5", "#b3471d", "#1b7f4b", "#8a3ab9", "#8f6b00", "#0b7285", "#b02a63", "#5b6b1f"];
const dark = ["#8fb1ff", "#ffa17a", "#7fdca4", "#d7a3ff", "#f2cc7c", "#6fd3e6", "#ff9cc4", "#c3d47a"];

/** How the drawing looks in a theme. */
export interface Paint {
  kinds: readonly string[];
  other: string;
  ink: string;
  card: string;
  edge: string;
  faint: string;
  accent: string;
}

/** Reads the colours of the page. */
export function paintOf(element: Element): Paint {
  const style = getComputedStyle(element);
  const of = (name: string) => style.getPropertyValue(name).trim();
  const isDark = style.colorScheme === "dark";
  return {
    kinds: isDark ? dark : light, other: of("--soft"), ink: of("--ink"), card: of("--card"), edge: isDark ? "#4a5566" : "#b9c1cc",
    faint: isDark ? "#2a323d" : "#e4e8ed", accent: of("--accent"),
  };
}

/** How many types have a colour of their own. */
export const own = light.length;

/** Which colour a type has, by its place among the types; own: the shared one. */
export function slots(kinds: readonly [string, number][]): Map<string, number> {
  return new Map(kinds.map(([kind], i) => [kind, Math.min(i, own)]));
}
