import { loci, Plain } from "../../api.ts";
import { t } from "../../i18n/index.ts";

/** Whether this browser can create passkeys from what the server sends. */
export function knowsPasskeys(): boolean {
  return typeof PublicKeyCredential !== "undefined" && "parseCreationOptionsFromJSON" in PublicKeyCredential;
}

/** Asks the browser for a passkey and stores it under a name. */
export async function createPasskey(name: string): Promise<void> {
  const { options, state } = await loci.account.beginPasskey();
  const { publicKey } = options as { publicKey: PublicKeyCredentialCreationOptionsJSON };
  const made = await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) }).catch(explained);
  const response = (made as PublicKeyCredential).toJSON() as unknown as Record<string, unknown>;
  await loci.account.addPasskey({ name, state, response });
}

/** Explains why the browser gave no passkey. */
function explained(error: unknown): never {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "NotAllowedError") throw new Plain(t("account.passkey.notGiven"));
  if (name === "InvalidStateError") throw new Plain(t("account.passkey.there"));
  throw error;
}
