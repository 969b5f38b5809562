import { useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { FormDialog } from "../../form.tsx";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";
import { useLoad } from "../../load.ts";
import { Unread } from "../../states.tsx";
import { complain, tell } from "../../undo.tsx";

/** Changes the name of the person. Undo gives the earlier one back. */
export function Rename({ name, onClose, onDone }: { name: string; onClose: () => void; onDone: () => void }) {
  const [wanted, setWanted] = useState(name);
  const save = async () => {
    await loci.account.rename({ name: wanted.trim() });
    tell(t("account.renamed"), async () => {
      await loci.account.rename({ name });
      onDone();
    });
    onDone();
  };
  return (
    <FormDialog title={t("account.rename")} onSave={save} onClose={onClose}>
      <label>{t("account.name")}<input autofocus maxLength={100} autocomplete="name" value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} /></label>
    </FormDialog>
  );
}

/** Chooses the workspace to which this sign-in is limited. */
export function Workspaces({ org, active, onChange }: { org: string; active: string; onChange: () => void }) {
  const spaces = useLoad((signal) => loci.orgs.listWorkspaces(org, { signal }).then(({ workspaces }) => workspaces), [org]);
  const { value = [] } = spaces;
  const enter = async (id: string) => {
    try {
      await loci.account.enterWorkspace({ workspace_id: id });
      location.assign("/app/account?done=workspace"); // what the page knows is of the workspace before
    } catch (error) {
      complain(error);
      onChange();
    }
  };
  return (
    <div>
      <dt><label for="workspace">{t("account.workspace")}</label></dt>
      <dd>
        <select id="workspace" value={active} onChange={(event) => void enter(event.currentTarget.value)}>
          {value.map(({ id, name }) => <option key={id} value={id}>{legible(name)}</option>)}
        </select>
        <Unread of={[spaces]} />
      </dd>
    </div>
  );
}
