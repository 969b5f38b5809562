import { identity, loci } from "../../api.ts";
import { t, type Key } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { useLoad } from "../../load.ts";
import { usePoll } from "../../poll.ts";
import { addressOf, go } from "../../router.ts";
import { Shown } from "../../states.tsx";
import { useStore } from "../../store.ts";
import "../plain.css";

interface Setting {
  name: Key;
  /** Its names in the configuration file and in the environment. */
  file: string;
  variable: string;
  usual: string;
}

/** What the operator decides, in the configuration file. The API has no route that shows or changes it. */
const groups: readonly { title: Key; text: Key; command: string; settings: readonly Setting[] }[] = [
  { title: "settings.embed", text: "settings.embed.text", command: "loci models list · loci models use NAME · loci index stats", settings: [
    { name: "settings.embed.model", file: "embed.model", variable: "LOCI_EMBED_MODEL", usual: "loci models use" },
    { name: "settings.embed.url", file: "embed.base_url", variable: "LOCI_EMBED_BASE_URL", usual: "–" },
  ] },
  { title: "settings.dream", text: "settings.dream.text", command: "loci dream", settings: [
    { name: "settings.dream.at", file: "dream.at", variable: "LOCI_DREAM_AT", usual: "03:30" },
    ...(["decision", "claim", "artifact", "plan", "procedure", "idea"] as const).map((kind) => ({
      name: `inbox.kind.${kind}` as const, file: `dream.${kind}`, variable: `LOCI_DREAM_${kind.toUpperCase()}`, usual: kind === "idea" ? "0.85" : kind === "plan" || kind === "procedure" ? "0.75" : "0.8",
    })),
    { name: "settings.reflect.model", file: "reflect.model", variable: "LOCI_REFLECT_MODEL", usual: "–" },
    { name: "settings.reflect.tokens", file: "reflect.tokens_per_day", variable: "LOCI_REFLECT_TOKENS_PER_DAY", usual: "200000" },
  ] },
  { title: "settings.capture", text: "settings.capture.text", command: "loci connect claude-code --capture", settings: [
    { name: "settings.dedup", file: "dedup.enabled", variable: "LOCI_DEDUP_ENABLED", usual: "on" },
    { name: "settings.dedup.hours", file: "dedup.window_hours", variable: "LOCI_DEDUP_WINDOW_HOURS", usual: "24" },
    { name: "settings.idle", file: "sessions.idle_hours", variable: "LOCI_SESSIONS_IDLE_HOURS", usual: "24" },
  ] },
];

/** How this server works, as far as the API tells, and where the operator changes the rest. */
export default function Settings() {
  const who = useStore(identity);
  const health = useLoad((signal) => loci.server.health({ signal }), []);
  usePoll(health.reload, 60_000);
  useKeys([{ key: "o", help: t("settings.org"), run: () => go(addressOf("org")) }]);
  return (
    <div class="plain-page" tabIndex={0} role="region" aria-label={t("settings.title")}>
      <div class="reading">
        <h1>{t("settings.title")}</h1>
        <Shown of={health}>
          {({ version, model_egress, uptime_seconds }) => (
            <dl>
              <div><dt>{t("settings.version")}</dt><dd>{version}</dd></div>
              <div><dt>{t("settings.egress")}</dt><dd>{t(model_egress === "enabled" ? "settings.egress.on" : "settings.egress.off")}</dd></div>
              <div><dt>{t("settings.uptime")}</dt><dd>{t("settings.minutes", { n: Math.floor(uptime_seconds / 60) })}</dd></div>
            </dl>
          )}
        </Shown>
        <p class="hint">{t("settings.egress.text")} <code>LOCI_EGRESS</code></p>
        <div class="actions"><a class="button" href={addressOf("org")}>{t("settings.org")} <kbd>o</kbd></a></div>
        <p class="note">{t("settings.file")}</p>
        {groups.map(({ title, text, command, settings }) => (
          <section key={title}>
            <h2>{t(title)}</h2>
            <p>{t(text)}</p>
            <div class="scroll" tabIndex={0} role="region" aria-label={t(title)}>
              <table>
                <thead><tr><th scope="col">{t("settings.what")}</th><th scope="col">{t("settings.in.file")}</th><th scope="col">{t("settings.in.env")}</th><th scope="col">{t("settings.usual")}</th></tr></thead>
                <tbody>{settings.map(({ name, file, variable, usual }) => <tr key={file}><th scope="row">{t(name)}</th><td><code>{file}</code></td><td><code>{variable}</code></td><td>{usual}</td></tr>)}</tbody>
              </table>
            </div>
            <p class="hint">{t("settings.command")} <code>{command}</code></p>
          </section>
        ))}
        {who?.role === "admin" && <p class="hint"><code>loci doctor</code></p>}
      </div>
    </div>
  );
}
