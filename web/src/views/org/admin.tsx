import type { User } from "@loci-memory/sdk";
import { loci } from "../../api.ts";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";
import { useLoad } from "../../load.ts";
import { number } from "../../numbers.ts";
import { usePoll } from "../../poll.ts";
import { Shown } from "../../states.tsx";
import { when } from "../../time.ts";
import { nameOf } from "./people.tsx";

const fields = ["orgs", "users", "teams", "keys", "sign_ins", "grants"] as const;

/** What instance admins see: counts and people of the deployment, and nothing of memories. */
export function Admin() {
  const metrics = useLoad((signal) => loci.admin.metrics({ signal }), []);
  const users = useLoad(async (signal) => {
    const all: User[] = [];
    for await (const one of loci.admin.usersAll({ limit: 500 }, { signal })) if (all.push(one) >= 2000) break;
    return all;
  }, []);
  usePoll(metrics.reload, 60_000);
  return (
    <>
      <h2>{t("org.tab.admin")}</h2>
      <p class="hint">{t("admin.text")}</p>
      <Shown of={metrics}>
        {(counts) => <dl>{fields.map((field) => <div key={field}><dt>{t(`admin.${field}`)}</dt><dd>{number(counts[field])}</dd></div>)}</dl>}
      </Shown>
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
      <h3>{t("admin.cli")}</h3>
      <p>{t("admin.cli.text")}</p>
      <p><code>loci org list</code> · <code>loci user list</code> · <code>loci audit</code> · <code>loci backup create</code> · <code>loci doctor</code></p>
    </>
  );
}
