import type { Identity, User } from "@loci-memory/sdk";
import { loci } from "../../api.ts";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";
import { useLoad } from "../../load.ts";
import { nameOf } from "../../person.ts";
import { usePoll } from "../../poll.ts";
import { Shown } from "../../states.tsx";
import { when } from "../../time.ts";
import { Clients } from "./clients.tsx";
import { Figures, Orgs } from "./orgs.tsx";
import { Backups, Jobs } from "./upkeep.tsx";

/** What instance admins see and do: orgs, people, clients, jobs and backups of the deployment, and nothing of memories. */
export function Admin({ who }: { who: Identity }) {
  const metrics = useLoad((signal) => loci.admin.metrics({ signal }), []);
  const users = useLoad(async (signal) => {
    const all: User[] = [];
    for await (const one of loci.admin.usersAll({ limit: 500 }, { signal })) if (all.push(one) >= 2000) break;
    return all;
  }, []);
  usePoll(() => { metrics.reload(); users.reload(); }, 60_000);
  const changed = () => { metrics.reload(); users.reload(); };
  return (
    <>
      <h2>{t("org.tab.admin")}</h2>
      <p class="hint">{t("admin.text")}</p>
      <Shown of={metrics}>{(counts) => <Figures counts={counts} />}</Shown>
      <Orgs own={who.org_id} onChanged={changed} />
      <section>
        <h3>{t("admin.users")}</h3>
        <Shown of={users}>
          {(all) => (
            <div class="scroll" tabIndex={0} role="region" aria-label={t("admin.users")}>
              <table>
                <thead><tr><th scope="col">{t("members.person")}</th><th scope="col">{t("org.title")}</th><th scope="col">{t("members.role.field")}</th><th scope="col">{t("facts.created")}</th></tr></thead>
                <tbody>{all.map((one) => <tr key={one.id}><td>{nameOf(one)} {one.disabled && <span class="tag warn">{t("org.disabled")}</span>}</td><td>{legible(one.org_id)}</td><td>{t(`role.${one.org_role}`)}</td><td>{when(one.created_at)}</td></tr>)}</tbody>
              </table>
            </div>
          )}
        </Shown>
        {users.value?.length === 2000 && <p class="hint">{t("admin.first", { n: 2000 })}</p>}
      </section>
      <Clients onChanged={changed} />
      <Jobs />
      <Backups />
      <h3>{t("admin.cli")}</h3>
      <p>{t("admin.cli.text")}</p>
      <p><code>loci backup restore</code> · <code>loci org export</code> · <code>loci org delete</code> · <code>loci user link</code> · <code>loci user set</code> · <code>loci audit</code> · <code>loci doctor</code></p>
    </>
  );
}
