import type { Identity, SignIn } from "@loci-memory/sdk";
import { useState } from "preact/hooks";
import { loci, signInAddress, startIdentity } from "../../api.ts";
import { Card, cardKeys, currentCard } from "../../cards.tsx";
import { confirm } from "../../dialog.tsx";
import { useProved } from "../../form.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { legible } from "../../legible.ts";
import { useFollow } from "../../live.ts";
import { useLoad } from "../../load.ts";
import { Shown } from "../../states.tsx";
import { when } from "../../time.ts";
import { complain, tell } from "../../undo.tsx";
import { askRemovePasskey, begin, canAdd, goOn, Methods, PasskeyForm, PasswordForm, type Form } from "./methods.tsx";
import { Rename, Workspaces } from "./profile.tsx";

/** Who the person is, where they are signed in, and how they sign in. */
export default function Account() {
  const who = useLoad((signal) => loci.server.whoAmI({ signal }), []);
  const signIns = useLoad((signal) => loci.account.listSignIns({ signal }).then(({ sign_ins }) => sign_ins), []);
  const methods = useLoad((signal) => loci.account.getSignInMethods({ signal }), []);
  useFollow(["sign_in", "member", "team", "workspace", "org"], () => [who, signIns, methods].forEach(({ reload }) => reload()));
  const [naming, setNaming] = useState(false);
  const [form, setForm] = useState<Form>();
  const start = (wanted: Form) => void begin(wanted, setForm);
  const changed = () => [methods, signIns].forEach(({ reload }) => reload());
  useProved("account.", (what, values) => goOn(what, values, setForm).then(changed));
  const passkeys = methods.value?.passkeys ?? [];
  const rows = (signIns.value ?? []).filter(({ expires_at }) => !expires_at || Date.parse(expires_at) > Date.now());
  const end = (one: SignIn | undefined) => void (one && endSignIn(one).then((did) => did && signIns.reload()));
  const removeAt = (card: string) => {
    const passkey = passkeys.find(({ id }) => id === card);
    if (passkey) void askRemovePasskey(passkey).then(changed);
    else end(rows.find(({ id }) => id === card));
  };
  useKeys([
    ...cardKeys([...rows, ...passkeys].map(({ id }) => id)),
    { key: "e", help: t("account.rename"), run: () => setNaming(true) },
    { key: "p", help: t("account.password.set"), run: () => methods.value?.email && start("password") },
    { key: "n", help: t("account.passkey.add"), run: () => canAdd(methods.value) && start("passkey") },
    { key: "x", help: t("account.remove"), run: () => removeAt(currentCard()) },
  ]);
  return (
    <div class="page">
      <h1>{t("account.title")}</h1>
      <Shown of={who}>{(me) => <Profile of={me} onRename={() => setNaming(true)} onChange={who.reload} />}</Shown>
      <h2 id="sign-ins">{t("account.signIns")}</h2>
      <p class="hint">{t("account.signIns.text")}</p>
      <Shown of={signIns}>{() => <SignIns of={rows} onEnd={end} onOthers={() => void endOthers().then((did) => did && signIns.reload())} />}</Shown>
      <h2>{t("account.methods")}</h2>
      <Shown of={methods}>{(have) => <Methods of={have} user={who.value?.user_id ?? ""} onBegin={start} onChange={changed} />}</Shown>
      {naming && who.value && <Rename name={who.value.name ?? ""} onClose={() => setNaming(false)} onDone={() => { setNaming(false); who.reload(); void startIdentity(); }} />}
      {form === "password" && <PasswordForm has={methods.value?.password ?? false} mail={who.value?.email ?? ""} onClose={() => setForm(undefined)} onDone={changed} />}
      {form === "passkey" && <PasskeyForm onClose={() => setForm(undefined)} onDone={changed} />}
    </div>
  );
}

function Profile({ of: me, onRename, onChange }: { of: Identity; onRename: () => void; onChange: () => void }) {
  return (
    <dl class="facts">
      <div><dt>{t("account.name")}</dt><dd>{legible(me.name ?? "") || "–"} <button type="button" class="plain" onClick={onRename}>{t("account.rename")}</button></dd></div>
      <div><dt>{t("account.mail")}</dt><dd>{legible(me.email ?? "") || t("account.mail.none")}</dd></div>
      <div><dt>{t("account.org")}</dt><dd>{legible(me.org_name)} <span class="tag">{t(`role.${me.org_role}`)}</span></dd></div>
      <div><dt>{t("account.team")}</dt><dd>{me.team_name ? <>{legible(me.team_name)} {me.team_role && <span class="tag">{t(`role.${me.team_role}`)}</span>}</> : t("account.team.none")}</dd></div>
      {me.workspace_id && <Workspaces org={me.org_id} active={me.workspace_id} onChange={onChange} />}
    </dl>
  );
}

/** Ends a sign-in. That of this browser is a sign-out, so it asks first. */
async function endSignIn(one: SignIn): Promise<boolean> {
  const name = legible(one.browser);
  const text = t(one.current ? "account.end.this" : "account.end.text");
  if (!(await confirm({ title: t("account.end.title", { name }), text, yes: t("account.end"), danger: true }))) return false;
  try {
    await loci.account.endSignIn(one.id);
    if (one.current) location.assign(signInAddress());
    else tell(t("account.ended"));
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

async function endOthers(): Promise<boolean> {
  if (!(await confirm({ title: t("account.endOthers.title"), text: t("account.end.text"), yes: t("account.endOthers"), danger: true }))) return false;
  try {
    const { ended } = await loci.account.endOtherSignIns();
    tell(t("account.endedOthers", { n: ended }));
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

function SignIns({ of: rows, onEnd, onOthers }: { of: readonly SignIn[]; onEnd: (one: SignIn) => void; onOthers: () => void }) {
  return (
    <>
      <ul class="cards" aria-label={t("account.signIns")}>
        {rows.map((one) => (
          <Card key={one.id} id={one.id}>
            <div class="card-text">
              <strong>{legible(one.browser)}</strong> {one.current && <span class="tag">{t("account.this")}</span>}
              <p>{t("account.since", { time: when(one.created_at) })} · {one.last_used_at ? t("apiKeys.used", { time: when(one.last_used_at) }) : t("account.atSignIn")}</p>
            </div>
            <button type="button" class="button danger" aria-label={t("account.end.one", { name: legible(one.browser) })} onClick={() => onEnd(one)}>{t("account.end")}</button>
          </Card>
        ))}
      </ul>
      {rows.some(({ current }) => !current) && <p><button type="button" class="button danger" onClick={onOthers}>{t("account.endOthers")}</button></p>}
    </>
  );
}
