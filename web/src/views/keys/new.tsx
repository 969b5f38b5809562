import type { Project, Workspace } from "@loci-memory/sdk";
import { useRef, useState } from "preact/hooks";
import { Cancel, Dialog } from "../../dialog.tsx";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";
import type { Loaded } from "../../load.ts";
import { Problem, Unread } from "../../states.tsx";
import { offered, vendorInput } from "../memories/vendors.tsx";
import { agentRights, lives, rights, type Draft } from "./keys.ts";
import { right } from "./words.ts";

interface Props {
  from: Draft;
  projects: readonly Project[];
  workspaces: readonly Workspace[];
  vendors: readonly string[];
  /** The read of the projects and workspaces. */
  limits: Loaded<unknown>;
  onClose: () => void;
  error: unknown;
  onCreate: (draft: Draft) => void;
}

/** The form for a new key, with everything that can limit it. */
export function NewKeyForm({ from, projects, workspaces, vendors, limits, error, onClose, onCreate }: Props) {
  const [draft, setDraft] = useState(from);
  // A person may press Enter before what they typed is drawn.
  const latest = useRef(from);
  const set = (change: Partial<Draft>) => setDraft((latest.current = { ...latest.current, ...change }));
  const ofAgent = draft.vendor.trim() !== "";
  return (
    <Dialog title={t("apiKeys.new")} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          onCreate(latest.current);
        }}
      >
        <label>{t("apiKeys.name")}<input autofocus required maxLength={100} autocomplete="off" value={draft.name} onInput={(event) => set({ name: event.currentTarget.value })} /></label>
        <label>
          {t("apiKeys.vendor")}
          <input list="key-vendors" {...vendorInput()} value={draft.vendor}
            aria-describedby="key-vendor-hint" onInput={(event) => set({ vendor: event.currentTarget.value })} />
        </label>
        <datalist id="key-vendors">{[...new Set([...vendors, ...offered])].map((name) => <option key={name} value={name} />)}</datalist>
        <p class="hint" id="key-vendor-hint">{t(ofAgent ? "apiKeys.vendor.agent" : "apiKeys.vendor.own")}</p>
        <Checks legend={t("apiKeys.rights")} hint={t("apiKeys.rights.none")} of={(ofAgent ? agentRights : rights).map((name) => [name, right(name)])} value={draft.scopes} onChange={(scopes) => set({ scopes })} />
        <Unread of={[limits]} />
        {projects.length > 0 && (
          <Checks legend={t("apiKeys.projects")} hint={t("apiKeys.projects.none")} of={projects.map(({ id, name }) => [id, legible(name)])} value={draft.projects} onChange={(projects) => set({ projects })} />
        )}
        {workspaces.length > 1 && (
          <label>
            {t("account.workspace")}
            <select value={draft.workspace} onChange={(event) => set({ workspace: event.currentTarget.value })}>
              <option value="">{t("apiKeys.workspace.first")}</option>
              {workspaces.map(({ id, name }) => <option key={id} value={id}>{legible(name)}</option>)}
            </select>
          </label>
        )}
        <label>
          {t("apiKeys.life")}
          <select value={draft.life} onChange={(event) => set({ life: event.currentTarget.value })}>
            {lives.map((days) => <option key={days} value={days}>{days ? t("apiKeys.days", { n: Number(days) }) : t("apiKeys.never")}</option>)}
          </select>
        </label>
        <Problem error={error} />
        <div class="actions">
          <button class="button primary">{t("apiKeys.create")}</button>
          <Cancel />
        </div>
      </form>
    </Dialog>
  );
}

function Checks({ legend, hint, of, value, onChange }: { legend: string; hint: string; of: (readonly [string, string])[]; value: readonly string[]; onChange: (value: string[]) => void }) {
  return (
    <fieldset>
      <legend>{legend} <span class="hint">{hint}</span></legend>
      <div class="many">
        {of.map(([id, text]) => (
          <label key={id} class="check">
            <input type="checkbox" checked={value.includes(id)} onChange={(event) => onChange(event.currentTarget.checked ? [...value, id] : value.filter((other) => other !== id))} /> {text}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
