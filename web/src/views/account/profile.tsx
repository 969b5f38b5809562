import { useRef, useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { Dialog } from "../../dialog.tsx";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";
import { useLoad } from "../../load.ts";
import { Problem } from "../../states.tsx";
import { complain, tell } from "../../undo.tsx";

/** Changes the name of the person. Undo gives the earlier one back. */
export function Rename({ name, onClose, onDone }: { name: string; onClose: () => void; onDone: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<unknown>();
  const save = async () => {
    try {
      await loci.account.rename({ name: field.current?.value.trim() ?? "" });
      tell(t("account.renamed"), async () => {
        await loci.account.rename({ name });
        onDone();
      });
      onDone();
    } catch (error) {
      setError(error);
    }
  };
  return (
    <Dialog title={t("account.rename")} onClose={onClose}>
      <form class="form" onSubmit={(event) => { event.preventDefault(); void save(); }}>
        <label>{t("account.name")}<input ref={field} autofocus maxLength={100} autocomplete="name" defaultValue={name} /></label>
        <Problem error={error} />
        <div class="actions">
          <button class="button primary">{t("save")}</button>
          <button type="button" class="button" onClick={onClose}>{t("cancel")}</button>
        </div>
      </form>
    </Dialog>
  );
}

/** Chooses the workspace to which this sign-in is limited. */
export function Workspaces({ org, active, onChange }: { org: string; active: string; onChange: () => void }) {
  const { value = [] } = useLoad((signal) => loci.orgs.listWorkspaces(org, { signal }).then(({ workspaces }) => workspaces), [org]);
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
      </dd>
    </div>
  );
}
