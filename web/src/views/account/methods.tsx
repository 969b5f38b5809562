import type { Passkey, SignInMethods } from "@loci-memory/sdk";
import { useState } from "preact/hooks";
import { loci, Plain } from "../../api.ts";
import { Card } from "../../cards.tsx";
import { Copyable } from "../../copy.tsx";
import { confirm } from "../../dialog.tsx";
import { attempt, FormDialog, proving } from "../../form.tsx";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";
import { askProof } from "../../pending.ts";
import { when } from "../../time.ts";
import { complain, tell } from "../../undo.tsx";
import { createPasskey, knowsPasskeys } from "./passkey.ts";

/** The forms of this part. They open after a proof of who the person is, so that nobody types a password in vain. */
export type Form = "password" | "passkey";

/** Leads to a form: at once if the person proved a moment ago who they are, or by way of the proof. */
export async function begin(form: Form, open: (form: Form) => void): Promise<void> {
  try {
    if ((await loci.account.getSignInMethods()).fresh) open(form);
    else await askProof({ what: `account.${form}`, ids: [] });
  } catch (error) {
    complain(error);
  }
}

/** What a person wanted before they proved who they are. */
export async function goOn(what: string, [id = ""]: readonly string[], open: (form: Form) => void): Promise<void> {
  if (what === "account.password" || what === "account.passkey") open(what === "account.password" ? "password" : "passkey");
  if (what === "account.removePassword") await removePassword();
  if (what === "account.removePasskey") await removePasskey(id);
}

async function removePassword(): Promise<void> {
  await proving("account.removePassword", [], async () => {
    await loci.account.removePassword();
    tell(t("account.password.removed"));
  });
}

async function removePasskey(id: string): Promise<void> {
  await proving("account.removePasskey", [id], async () => {
    await loci.account.removePasskey(id);
    tell(t("account.passkey.removed"));
  });
}

/** Removes the password after a question. */
export async function askRemovePassword(): Promise<void> {
  if (await confirm({ title: t("account.password.remove.title"), text: t("account.remove.text"), yes: t("account.password.remove"), danger: true })) await attempt(removePassword);
}

/** Removes a passkey after a question. */
export async function askRemovePasskey({ id, name }: Passkey): Promise<void> {
  const title = t("account.passkey.remove.title", { name: legible(name) });
  if (await confirm({ title, text: t("account.remove.text"), yes: t("account.passkey.remove"), danger: true })) await attempt(() => removePasskey(id));
}

interface Props {
  of: SignInMethods;
  /** The id of the person. */
  user: string;
  onBegin: (form: Form) => void;
  onChange: () => void;
}

/** How the person signs in: the password and the passkeys. */
export function Methods({ of: have, user, onBegin, onChange }: Props) {
  return (
    <>
      {!have.password && have.passkeys.length === 0 && <p class="note">{t("account.methods.none")}</p>}
      <p>{t(have.password ? "account.password" : have.email ? "account.password.none" : "account.password.noMail")}</p>
      {have.email ? (
        <div class="actions">
          <button type="button" class="button" onClick={() => onBegin("password")}>{t(have.password ? "account.password.change" : "account.password.set")} <kbd>p</kbd></button>
          {have.password && <button type="button" class="button danger" onClick={() => void askRemovePassword().then(onChange)}>{t("account.password.remove")}</button>}
        </div>
      ) : (
        <>
          <p class="hint">{t("account.mail.set")}</p>
          <Copyable text={`loci user set ${user} --email you@example.org`} label={t("account.mail.command")} />
        </>
      )}
      {have.passkeys.length === 0 ? <p>{t("account.passkeys.none")}</p> : (
        <ul class="cards" aria-label={t("account.passkeys")}>
          {have.passkeys.map((one) => (
            <Card key={one.id} id={one.id}>
              <div class="card-text">
                <strong>{legible(one.name)}</strong> <span class="tag">{t("account.passkey")}</span>
                <p>{t("apiKeys.created", { time: when(one.created_at) })} · {one.last_used_at ? t("apiKeys.used", { time: when(one.last_used_at) }) : t("apiKeys.neverUsed")}</p>
              </div>
              <button type="button" class="button danger" aria-label={t("account.passkey.remove.one", { name: legible(one.name) })} onClick={() => void askRemovePasskey(one).then(onChange)}>{t("account.passkey.remove")}</button>
            </Card>
          ))}
        </ul>
      )}
      {canAdd(have)
        ? <p><button type="button" class="button" onClick={() => onBegin("passkey")}>{t("account.passkey.add")} <kbd>n</kbd></button></p>
        : <p class="hint">{have.no_passkeys ? t("account.passkey.not", { why: have.no_passkeys }) : t("account.passkey.oldBrowser")}</p>}
    </>
  );
}

/** Whether this browser can add a passkey at this address. */
export const canAdd = (have: SignInMethods | undefined): boolean => have !== undefined && !have.no_passkeys && knowsPasskeys();

interface FormProps {
  onClose: () => void;
  onDone: () => void;
}

/** Sets the password, typed twice. */
export function PasswordForm({ has, mail, onClose, onDone }: FormProps & { has: boolean; mail: string }) {
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const save = async () => {
    if (password !== again) throw new Plain(t("account.password.differ"));
    await loci.account.setPassword({ password });
    tell(t("account.password.done"));
    onDone();
  };
  return (
    <FormDialog title={t(has ? "account.password.change" : "account.password.set")} onSave={save} onClose={onClose}>
      <input hidden autocomplete="username" value={mail} readOnly />
      <label>{t("account.password.new")}<input type="password" required autofocus minLength={12} maxLength={256} autocomplete="new-password" aria-describedby="password-rule" value={password} onInput={(event) => setPassword(event.currentTarget.value)} /></label>
      <p class="hint" id="password-rule">{t("account.password.rule")}</p>
      <label>{t("account.password.again")}<input type="password" required minLength={12} maxLength={256} autocomplete="new-password" value={again} onInput={(event) => setAgain(event.currentTarget.value)} /></label>
      <p class="hint">{t("account.password.ends")}</p>
    </FormDialog>
  );
}

/** Adds a passkey: the browser asks the person for it. */
export function PasskeyForm({ onClose, onDone }: FormProps) {
  const [name, setName] = useState("");
  const save = async () => {
    await createPasskey(name.trim());
    tell(t("account.passkey.added"));
    onDone();
  };
  return (
    <FormDialog title={t("account.passkey.add")} yes={t("account.passkey.go")} onSave={save} onClose={onClose}>
      <label>{t("account.passkey.name")}<input required autofocus maxLength={100} autocomplete="off" placeholder={t("account.passkey.example")} value={name} onInput={(event) => setName(event.currentTarget.value)} /></label>
      <p class="hint">{t("account.passkey.text")}</p>
    </FormDialog>
  );
}
