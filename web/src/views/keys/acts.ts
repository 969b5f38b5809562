import type { Key, MadeKey } from "@loci-memory/sdk";
import { loci, needsStepUp } from "../../api.ts";
import { confirm } from "../../dialog.tsx";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";
import { withProof } from "../../pending.ts";
import { complain, tell } from "../../undo.tsx";
import { requestOf, type Draft } from "./keys.ts";

/** Creates a key. If the server asks for a proof, the draft waits under the name of who asked. */
export function createKey(draft: Draft, onMade: (made: MadeKey) => void, onError: (error: unknown) => void, what = "keys.create"): Promise<void> {
  return withProof({ what, ids: [JSON.stringify(draft)] }, async () => {
    try {
      onMade(await loci.keys.create(requestOf(draft, Date.now())));
    } catch (error) {
      if (needsStepUp(error)) throw error;
      onError(error);
    }
  });
}

/** Replaces a key by a new one. The old one works for some hours more. */
export function rotateKey(id: string, hours: number, onMade: (made: MadeKey) => void): Promise<void> {
  return withProof({ what: "keys.rotate", ids: [id] }, async () => onMade(await loci.keys.rotate(id, { overlap_hours: hours })));
}

/** Revokes a key after a question. It returns whether it did. */
export async function revokeKey(key: Key): Promise<boolean> {
  const name = legible(key.name);
  if (!(await confirm({ title: t("apiKeys.revoke.title", { name }), text: t("apiKeys.revoke.text"), yes: t("apiKeys.revoke.yes"), danger: true }))) return false;
  try {
    await loci.keys.revoke(key.id);
    tell(t("apiKeys.revoked", { name }));
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}
