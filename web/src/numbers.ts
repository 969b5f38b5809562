import { language } from "./i18n/index.ts";

/** A number as the language writes it. */
export function number(n: number): string {
  return new Intl.NumberFormat(language.get()).format(n);
}

/** A share as a percentage, with at most so many decimals. */
export function percent(share: number, decimals = 0): string {
  return new Intl.NumberFormat(language.get(), { style: "percent", maximumFractionDigits: decimals }).format(share);
}
