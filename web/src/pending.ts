import { needsStepUp, stepUpAddress } from "./api.ts";
import { confirm } from "./dialog.tsx";
import { t } from "./i18n/index.ts";
import { complain } from "./undo.tsx";

/** What a person wanted to do when the server asked for a proof of who they are. */
export interface Wanted {
  /** Who knows how to do it, such as "memories.trash". */
  what: string;
  ids: string[];
}

const name = "loci.wanted";

/** Does something. If the server asks for a proof first, it leads there; resumed then asks to go on. */
export async function withProof(wanted: Wanted, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!needsStepUp(error)) return complain(error);
    await askProof(wanted);
  }
}

/** Asks whether to give a proof, and leads there. */
export async function askProof(wanted: Wanted): Promise<void> {
  if (!(await confirm({ title: t("stepUp.title"), text: t("stepUp.text"), yes: t("stepUp.go") }))) return;
  sessionStorage.setItem(name, JSON.stringify(wanted));
  location.assign(stepUpAddress());
}

/** Returns, once, what the person wanted before they proved who they are. */
export function resumed(what: string): Wanted | undefined {
  const text = sessionStorage.getItem(name);
  if (!text) return undefined;
  const wanted = JSON.parse(text) as Wanted;
  if (!wanted.what.startsWith(what)) return undefined;
  sessionStorage.removeItem(name);
  return wanted;
}
