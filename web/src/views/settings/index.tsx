import type { Setting } from "@loci-memory/sdk";
import { useState } from "preact/hooks";
import { identity, loci } from "../../api.ts";
import { Card, cardKeys, currentCard } from "../../cards.tsx";
import { attempt, FormDialog, proving, useProved } from "../../form.tsx";
import { useFilter } from "../../filter.tsx";
import { t, type Key } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { legible } from "../../legible.ts";
import { useLoad } from "../../load.ts";
import { usePoll } from "../../poll.ts";
import { addressOf, go } from "../../router.ts";
import { Shown } from "../../states.tsx";
import { useStore } from "../../store.ts";
import { when } from "../../time.ts";
import { tell } from "../../undo.tsx";
import "../plain.css";

/** The groups of settings by the beginning of their keys, and the command that belongs to each. */
const groups: readonly { title: Key; text: Key; keys: readonly string[]; command: string }[] = [
  { title: "settings.embed", text: "settings.embed.text", keys: ["embed."], command: "loci models pull" },
  { title: "settings.egress.title", text: "settings.egress.text", keys: ["egress"], command: "loci doctor" },
  { title: "settings.dream", text: "settings.dream.text", keys: ["dream.", "reflect."], command: "loci dream" },
  { title: "settings.capture", text: "settings.capture.text", keys: ["dedup.", "sessions."], command: "loci connect claude-code --capture" },
];

/** The names of settings in words. One that has none shows its key. */
const names: Readonly<Record<string, Key>> = {
  "embed.model": "settings.embed.model", "embed.base_url": "settings.embed.url", egress: "settings.egress.field",
  "dream.at": "settings.dream.at", "reflect.base_url": "settings.reflect.url", "reflect.model": "settings.reflect.model",
  "reflect.tokens_per_day": "settings.reflect.tokens", "dedup.enabled": "settings.dedup",
  "dedup.window_hours": "settings.dedup.hours", "sessions.idle_hours": "settings.idle",
  "dream.decision": "inbox.kind.decision", "dream.claim": "inbox.kind.claim", "dream.artifact": "inbox.kind.artifact",
  "dream.plan": "inbox.kind.plan", "dream.procedure": "inbox.kind.procedure", "dream.idea": "inbox.kind.idea",
};

const nameOf = ({ key }: Setting) => (names[key] ? t(names[key]) : legible(key));

const variableOf = ({ key }: Setting) => `LOCI_${key.replaceAll(".", "_").toUpperCase()}`;
const belongs = ({ key }: Setting, keys: readonly string[]) => keys.some((one) => key.startsWith(one));

/** How the server works: the settings with their present values. Admins of the deployment change some of them here. */
export default function Settings() {
  const who = useStore(identity);
  const health = useLoad((signal) => loci.server.health({ signal }), []);
  const settings = useLoad(async (signal) => (await loci.settings.list({ signal })).settings, []);
  const [editing, setEditing] = useState<Setting>();
  const admin = who?.role === "admin";
  usePoll(() => { health.reload(); settings.reload(); }, 60_000);

  const put = async (key: string, value: string | undefined) => {
    await (value === undefined ? loci.settings.reset(key) : loci.settings.set(key, { value }));
    settings.reload();
  };
  const change = async (one: Setting, value: string | undefined) => {
    const before = one.source === "admin" ? one.value : undefined;
    await put(one.key, value);
    tell(t("settings.changed", { name: nameOf(one) }), () => put(one.key, before));
  };
  const ask = (one: Setting, value: string | undefined) =>
    proving("settings.change", value === undefined ? [one.key] : [one.key, value], () => change(one, value));
  useProved("settings.change", async (_, [key, value]) => {
    const one = (await loci.settings.list()).settings.find((each) => each.key === key);
    if (one) await change(one, value);
  });

  const filter = useFilter(t("filter.settings"));
  const all = (settings.value ?? []).filter((one) => filter.fits(nameOf(one), one.key, variableOf(one), one.value || t("settings.none")));
  const changeable = admin ? all.filter(({ fixed }) => !fixed) : [];
  const current = () => changeable.find(({ key }) => key === currentCard());
  useKeys([
    { key: "o", help: t("settings.org"), run: () => go(addressOf("org")) },
    ...cardKeys(all.map(({ key }) => key)),
    filter.key,
    ...(admin ? [
      { key: "e", help: t("settings.change"), run: () => setEditing(current()) },
      { key: "r", help: t("settings.reset"), run: () => { const one = current(); if (one?.source === "admin") void attempt(() => ask(one, undefined)); } },
    ] : []),
  ]);
  return (
    <div class="page" tabIndex={0} role="region" aria-label={t("settings.title")}>
      <div class="page-head">
        <h1>{t("settings.title")}</h1>
        <a class="button" href={addressOf("org")}>{t("settings.org")} <kbd>o</kbd></a>
      </div>
      <Shown of={health}>
        {({ version, model_egress, uptime_seconds }) => (
          <dl class="facts">
            <div><dt>{t("settings.version")}</dt><dd>{version}</dd></div>
            <div><dt>{t("settings.egress")}</dt><dd>{t(model_egress === "enabled" ? "settings.egress.on" : "settings.egress.off")}</dd></div>
            <div><dt>{t("settings.uptime")}</dt><dd>{t("settings.minutes", { n: Math.floor(uptime_seconds / 60) })}</dd></div>
          </dl>
        )}
      </Shown>
      <p class="hint">{t(admin ? "settings.admin" : "settings.others")}</p>
      {filter.field(all.length)}
      <Shown of={settings}>
        {(list) => all.length === 0 && list.length > 0 ? filter.none() : groups.filter(({ keys }) => all.some((one) => belongs(one, keys))).map(({ title, text, keys, command }) => (
          <section key={title}>
            <h2>{t(title)}</h2>
            <p>{t(text)}</p>
            <ul class="cards" aria-label={t(title)}>
              {all.filter((one) => belongs(one, keys)).map((one) => (
                <SettingCard key={one.key} of={one} admin={admin} onEdit={() => setEditing(one)} onReset={() => void attempt(() => ask(one, undefined))} />
              ))}
            </ul>
            <p class="hint">{t("settings.command")} <code>{command}</code></p>
          </section>
        ))}
      </Shown>
      {editing && <Edit of={editing} onClose={() => setEditing(undefined)} onSave={(value) => ask(editing, value)} />}
    </div>
  );
}

interface CardProps {
  of: Setting;
  admin: boolean;
  onEdit: () => void;
  onReset: () => void;
}

function SettingCard({ of: one, admin, onEdit, onReset }: CardProps) {
  const name = nameOf(one);
  return (
    <Card id={one.key} off={one.fixed}>
      <div class="card-text">
        <strong>{name}</strong> <span class="tag">{one.value === "" ? t("settings.none") : legible(one.value)}</span>
        <p>{t(`settings.by.${one.source}`)}{one.changed_at && ` · ${when(one.changed_at)}`}{one.value !== one.default && ` · ${t("settings.usual", { value: one.default || t("settings.none") })}`}</p>
        <p><code>{one.key}</code> · <code>{variableOf(one)}</code></p>
      </div>
      {admin && !one.fixed && (
        <div class="actions">
          <button type="button" class="button" aria-label={t("settings.change.one", { name })} onClick={onEdit}>{t("settings.change")}</button>
          {one.source === "admin" && <button type="button" class="button" aria-label={t("settings.reset.one", { name })} onClick={onReset}>{t("settings.reset")}</button>}
        </div>
      )}
    </Card>
  );
}

function Edit({ of: one, onSave, onClose }: { of: Setting; onSave: (value: string) => Promise<void>; onClose: () => void }) {
  const [value, setValue] = useState(one.value);
  return (
    <FormDialog title={t("settings.change.one", { name: nameOf(one) })} onClose={onClose} onSave={() => onSave(value)}>
      <label><code>{one.key}</code>
        {one.choices ? (
          <select autofocus value={value} onChange={(event) => setValue(event.currentTarget.value)}>
            {one.choices.map((choice) => <option key={choice} value={choice}>{legible(choice)}</option>)}
          </select>
        ) : <input required autofocus value={value} onInput={(event) => setValue(event.currentTarget.value)} />}
      </label>
      <p class="hint">{t("settings.usual", { value: one.default || t("settings.none") })}</p>
      {one.key === "embed.model" && <p class="hint">{t("settings.embed.model.hint")} <code>loci models pull</code></p>}
    </FormDialog>
  );
}
