import { t } from "./i18n/index.ts";
import { legible } from "./legible.ts";

/** What a person is called: by their name and e-mail address, as far as they have them and the reader may know them. */
export function nameOf({ id, name, email }: { id: string; name?: string | undefined; email?: string | undefined }): string {
  if (name && email) return legible(`${name} (${email})`);
  return legible(name || email || t("person.unnamed", { id: id.slice(0, 8) }));
}
