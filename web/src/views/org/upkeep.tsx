import type { Backup, Verified } from "@loci-memory/sdk";
import { useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { Dialog } from "../../dialog.tsx";
import { attempt, proving, useProved } from "../../form.tsx";
import { en, type Key } from "../../i18n/en.ts";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { legible } from "../../legible.ts";
import { useLoad } from "../../load.ts";
import { number } from "../../numbers.ts";
import { usePoll } from "../../poll.ts";
import { Shown } from "../../states.tsx";
import { when } from "../../time.ts";
import { tell } from "../../undo.tsx";

/** How long a backup may take, in milliseconds. The server ends its answer after that, too. */
const patience = 240_000;

/** A job in words; one that this page does not know, by its name. */
function nameOf(job: string): string {
  const key = `job.${job}`;
  return Object.hasOwn(en, key) ? t(key as Key) : legible(job);
}

/** What the jobs of the server did last, and when their next turn is. */
export function Jobs() {
  const jobs = useLoad(async (signal) => (await loci.admin.listJobs({ signal })).jobs, []);
  usePoll(jobs.reload, 60_000);
  return (
    <section>
      <h3>{t("admin.jobs")}</h3>
      <Shown of={jobs}>
        {(all) => all.length === 0 ? <p class="hint">{t("admin.jobs.none")}</p> : (
          <div class="scroll" tabIndex={0} role="region" aria-label={t("admin.jobs")}>
            <table>
              <thead><tr><th scope="col">{t("admin.job")}</th><th scope="col">{t("admin.job.ended")}</th><th scope="col">{t("admin.job.rows")}</th><th scope="col">{t("audit.result")}</th><th scope="col">{t("admin.job.next")}</th></tr></thead>
              <tbody>
                {all.map((one) => (
                  <tr key={one.name}>
                    <th scope="row">{nameOf(one.name)}</th>
                    <td><time dateTime={one.ended_at}>{when(one.ended_at)}</time></td>
                    <td>{number(one.rows)}</td>
                    <td>{one.error ? <><span class="tag warn">{t("admin.job.failed")}</span> {legible(one.error)}</> : t("admin.job.ok")}</td>
                    <td>{one.next_at ? <time dateTime={one.next_at}>{when(one.next_at)}</time> : t("admin.job.asked")}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Shown>
    </section>
  );
}

/** The backups: make one, and read one to see whether it is sound. */
export function Backups() {
  const backups = useLoad(async (signal) => (await loci.admin.listBackups({ signal })).backups, []);
  usePoll(backups.reload, 60_000);
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<Verified>();
  const waiting = async (run: () => Promise<unknown>) => {
    if (busy) return;
    setBusy(true);
    await attempt(run);
    setBusy(false);
  };
  const create = async () => {
    const made = await loci.admin.createBackup({ timeout: patience });
    backups.reload();
    tell(t("admin.backup.created", { name: made.name }));
  };
  const make = () => void waiting(() => proving("admin.backup", [], create));
  const verify = (one: Backup) => void waiting(async () => setResult(await loci.admin.verifyBackup(one.name, { timeout: patience })));
  useProved("admin.backup", () => waiting(create));
  useKeys([{ key: "b", help: t("admin.backup.new"), run: make }]);
  return (
    <section aria-label={t("admin.backups")}>
      <h3>{t("admin.backups")}</h3>
      <p class="hint">{t("admin.backups.text")}</p>
      <div class="actions"><button type="button" class="button primary" disabled={busy} onClick={make}>{t("admin.backup.new")} <kbd>b</kbd></button></div>
      {busy && <p role="status"><span class="spinner" aria-hidden="true" /> {t("admin.backup.busy")}</p>}
      <Shown of={backups}>
        {(all) => all.length === 0 ? <p class="hint">{t("admin.backups.none")}</p> : (
          <ul class="cards">
            {all.map((one) => (
              <li key={one.name} class="plain-member">
                <span><code>{legible(one.name)}</code><span class="hint"> · {when(one.created_at)} · {t("admin.backup.files", { n: one.files })} · {t("org.mib", { n: Math.round((one.bytes / 1024 / 1024) * 10) / 10 })} · {legible(one.program)}</span></span>
                <button type="button" class="button" disabled={busy} aria-label={t("admin.backup.verify.of", { name: legible(one.name) })} onClick={() => verify(one)}>{t("admin.backup.verify")}</button>
              </li>
            ))}
          </ul>
        )}
      </Shown>
      {result && (
        <Dialog title={t(result.ok ? "admin.backup.sound" : "admin.backup.damaged")} onClose={() => setResult(undefined)}>
          <p>{t(result.ok ? "admin.backup.sound.text" : "admin.backup.damaged.text", { name: legible(result.name) })}</p>
          {!result.ok && <ul class="org-inner">{result.problems.map((text) => <li key={text}>{legible(text)}</li>)}</ul>}
          <button type="button" class="button" autofocus onClick={() => setResult(undefined)}>{t("close")}</button>
        </Dialog>
      )}
    </section>
  );
}
