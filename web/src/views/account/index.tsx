import type { Identity, SignIn, SignInMethods } from "@loci-memory/sdk";
import { useState } from "preact/hooks";
import { loci, signInAddress, startIdentity } from "../../api.ts";
import { Card, cardKeys, currentCard } from "../../cards.tsx";
import { confirm } from "../../dialog.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { legible } from "../../legible.ts";
import { useFollow } from "../../live.ts";
import { useLoad } from "../../load.ts";
import { Failed, Shown } from "../../states.tsx";
import { when } from "../../time.ts";
import { complain, tell } from "../../undo.tsx";
import { Rename, Workspaces } from "./profile.tsx";

/** Who the person is, where they are signed in, and how they sign in. */
export default function Account() {
  const who = useLoad((signal) => loci.server.whoAmI({ signal }), []);
  const signIns = useLoad((signal) => loci.account.listSignIns({ signal }).then(({ sign_ins }) => sign_ins), []);
  const methods = useLoad((signal) => loci.account.getSignInMethods({ signal }), []);
  useFollow(["sign_in", "member", "team", "workspace", "org"], () => [who, signIns, methods].forEach(({ reload }) => reload()));
  const [naming, setNaming] = useState(false);
  const rows = (signIns.value ?? []).filter(({ expires_at }) => !expires_at || Date.parse(expires_at) > Date.now());
  const end = (one: SignIn | undefined) => void (one && endSignIn(one).then((did) => did && signIns.reload()));
  useKeys([
    ...cardKeys(rows.map(({ id }) => id)),
    { key: "e", help: t("account.rename"), run: () => setNaming(true) },
    { key: "x", help: t("account.end"), run: () => end(rows.find(({ id }) => id === currentCard())) },
  ]);
  const error = [who, signIns, methods].find((one) => one.value !== undefined && one.error !== undefined)?.error;
  return (
    <div class="page">
      <h1>{t("account.title")}</h1>
      {error !== undefined && <Failed error={error} retry={() => [who, signIns, methods].forEach(({ reload }) => reload())} />}
      <Shown of={who}>{(me) => <Profile of={me} onRename={() => setNaming(true)} onChange={who.reload} />}</Shown>
      <h2 id="sign-ins">{t("account.signIns")}</h2>
      <p class="hint">{t("account.signIns.text")}</p>
      <Shown of={signIns}>{() => <SignIns of={rows} onEnd={end} onOthers={() => void endOthers().then((did) => did && signIns.reload())} />}</Shown>
      <h2>{t("account.methods")}</h2>
      <Shown of={methods}>{(have) => <Methods of={have} />}</Shown>
      {naming && who.value && <Rename name={who.value.name ?? ""} onClose={() => setNaming(false)} onDone={() => { setNaming(false); who.reload(); void startIdentity(); }} />}
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

/** How the person signs in. A page of the server changes it: it asks the browser for passkeys, and takes passwords. */
function Methods({ of: have }: { of: SignInMethods }) {
  return (
    <>
      <p>{t(have.password ? "account.password" : have.email ? "account.password.none" : "account.password.noMail")}</p>
      {have.passkeys.length === 0 ? <p>{t("account.passkeys.none")}</p> : (
        <ul class="cards" aria-label={t("account.passkeys")}>
          {have.passkeys.map(({ id, name, created_at, last_used_at }) => (
            <li key={id} class="card">
              <div class="card-text">
                <strong>{legible(name)}</strong> <span class="tag">{t("account.passkey")}</span>
                <p>{t("apiKeys.created", { time: when(created_at) })} · {last_used_at ? t("apiKeys.used", { time: when(last_used_at) }) : t("apiKeys.neverUsed")}</p>
              </div>
            </li>
          ))}
        </ul>
      )}
      <p><a class="button" href="/app/sign-in-methods">{t("account.methods.change")}</a></p>
    </>
  );
}
