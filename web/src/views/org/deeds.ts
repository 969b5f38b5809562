import { en, type Key } from "../../i18n/en.ts";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";

const prefix = "audit.do.";

/** The actions that the audit trail can have, as far as this page knows them. */
export const actions: readonly string[] = Object.keys(en).filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));

/** An action in words; one that this page does not know, by its name. */
export function deed(action: string): string {
  return Object.hasOwn(en, prefix + action) ? t((prefix + action) as Key) : legible(action);
}

/** How somebody proved who they are, in words. */
export function methodOf(method: string): string {
  const key = `audit.by.${method}`;
  return Object.hasOwn(en, key) ? t(key as Key) : legible(method);
}
