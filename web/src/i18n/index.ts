import { keep, kept, store } from "../store.ts";
import { en, type Key, type Texts } from "./en.ts";

export type { Key } from "./en.ts";

/** The languages, each named in itself. */
export const languages = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof languages;

const loaders: Record<Language, () => Promise<Texts>> = {
  en: () => Promise.resolve(en),
  de: () => import("./de.ts").then(({ de }) => de),
};

let texts: Texts = en;

/** The language of the page. Set it with setLanguage. */
export const language = store<Language>("en");

/** The language to begin with: what the person chose, else the first of the browser's that there is. */
export function preferred(chosen: string | null, wanted: readonly string[]): Language {
  for (const tag of [chosen ?? "", ...wanted]) {
    const name = tag.toLowerCase().split("-")[0] ?? "";
    if (Object.hasOwn(languages, name)) return name as Language;
  }
  return "en";
}

export async function startLanguage(): Promise<void> {
  await load(preferred(kept("language"), navigator.languages));
}

export async function setLanguage(name: Language): Promise<void> {
  keep("language", name);
  await load(name);
}

async function load(name: Language): Promise<void> {
  texts = await loaders[name]();
  document.documentElement.lang = name;
  language.set(name);
}

/** Values for the {names} of a text. n also decides between its forms for one and for many. */
export type Values = Record<string, string | number>;

/** Returns a text of the page in its language. A text with forms for one and many has them as "one|many". */
export function t(key: Key, values: Values = {}): string {
  return filled(texts[key], values, language.get());
}

/** Fills in a text. */
export function filled(text: string, values: Values, lang: string): string {
  if ("n" in values && text.includes("|")) {
    const [one = "", many = ""] = text.split("|");
    text = new Intl.PluralRules(lang).select(Number(values.n)) === "one" ? one : many;
  }
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === "number" ? new Intl.NumberFormat(lang).format(value) : value;
  });
}
