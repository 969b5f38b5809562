import type { MadeKey } from "@loci-memory/sdk";
import { useState } from "preact/hooks";
import { Copyable } from "../../copy.tsx";
import { Dialog } from "../../dialog.tsx";
import { t } from "../../i18n/index.ts";
import { Problem } from "../../states.tsx";
import { createKey } from "../keys/acts.ts";
import { emptyDraft } from "../keys/keys.ts";
import { configOf, isLocal, linkOf, type Client } from "./clients.ts";

/** How to connect a client: by signing in from it, or with a key that is made here. */
export function Connect({ client, onMade, onClose }: { client: Client; onMade: () => void; onClose: () => void }) {
  const name = client.name || t("connections.other");
  const [withKey, setWithKey] = useState(!client.signsIn);
  const [vendor, setVendor] = useState(client.vendor);
  const [error, setError] = useState<unknown>();
  const [made, setMade] = useState<MadeKey>();
  const address = `${location.origin}/mcp`;
  const make = () => {
    const draft = { ...emptyDraft, name, vendor, life: "" };
    void createKey(draft, (key) => { setMade(key); onMade(); }, setError, `connections.key.${client.id}`);
  };
  return (
    <Dialog title={t("connections.connect.title", { name })} onClose={made ? () => undefined : onClose}>
      {client.hosted && isLocal(address) && <p class="note">{t("connections.local", { name })}</p>}
      {client.signsIn && client.takesKey && !made && (
        <div class="tabs" role="group" aria-label={t("connections.how")}>
          <button type="button" class="chip" aria-pressed={!withKey} onClick={() => setWithKey(false)}>{t("connections.signIn")}</button>
          <button type="button" class="chip" aria-pressed={withKey} onClick={() => setWithKey(true)}>{t("connections.key")}</button>
        </div>
      )}
      {withKey && !made ? (
        <>
          <p>{t("connections.key.text", { name })}</p>
          {!client.vendor && <label>{t("apiKeys.vendor")}<input required maxLength={50} autocapitalize="none" spellcheck={false} value={vendor} onInput={(event) => setVendor(event.currentTarget.value)} /></label>}
          <Problem error={error} />
          <div class="actions"><button type="button" class="button primary" disabled={!vendor.trim()} onClick={make}>{t("connections.key.make")}</button></div>
        </>
      ) : (
        <Steps client={client} address={address} secret={made?.secret ?? ""} />
      )}
      <div class="actions"><button type="button" class="button" onClick={onClose}>{t(made ? "apiKeys.copied" : "close")}</button></div>
    </Dialog>
  );
}

function Steps({ client, address, secret }: { client: Client; address: string; secret: string }) {
  const link = linkOf(client, address, secret);
  const config = configOf(client, address, secret);
  return (
    <>
      {secret && <p>{t("apiKeys.once")}</p>}
      {link && <p><a class="button primary" data-install href={link}>{t("connections.open", { name: client.name })}</a></p>}
      <p>{link ? t("connections.orFile", { file: client.file ?? "" }) : client.settings ? t("connections.paste.settings") : client.file ? t("connections.paste.file", { file: client.file }) : client.form.kind === "claude" ? t("connections.paste.command") : t("connections.paste.address")}</p>
      <Copyable text={config} label={t("connections.config")} />
      {client.settings && <p><a class="button" href={client.settings} target="_blank" rel="noreferrer">{t("connections.settings", { name: client.name })}</a></p>}
      {client.id === "chatgpt" && <p class="hint">{t("connections.chatgpt", { address: `${address}?toolsets=search` })}</p>}
      {!secret && <p class="hint">{t("connections.then")}</p>}
      {client.command && <p class="hint">{t("connections.command")} <code>loci connect {client.command}</code></p>}
    </>
  );
}
