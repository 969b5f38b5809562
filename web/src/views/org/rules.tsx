import type { EventRetention, Org, OrgEdit } from "@loci-memory/sdk";
import { useState } from "preact/hooks";
import { FormDialog } from "../../form.tsx";
import { t } from "../../i18n/index.ts";

const mib = 1024 * 1024;

/** The settings of an org as they are, to bring them back. */
export function settingsOf(org: Org): OrgEdit {
  const { max_bytes = 0, total_bytes = 0, media_types = [] } = org.assets ?? {};
  const { days, types } = org.events_retention ?? {};
  return {
    deletion: org.deletion ?? "step_up", workspaces: org.workspaces, legal_hold: org.legal_hold ?? false,
    assets: { max_bytes, total_bytes, media_types }, events_retention: { ...(days && { days }), ...(types?.length && { types }) },
  };
}

/** The rules of the org. Only what the person changes is sent. */
export function SettingsForm({ org, onSave, onClose }: { org: Org; onSave: (edit: OrgEdit) => Promise<void>; onClose: () => void }) {
  const [before] = useState(() => settingsOf(org));
  const [now, setNow] = useState(before);
  const set = (change: OrgEdit) => setNow((old) => ({ ...old, ...change }));
  const save = async () => {
    const edit: OrgEdit = {};
    for (const field of ["deletion", "workspaces", "legal_hold", "assets", "events_retention"] as const) {
      if (JSON.stringify(now[field]) !== JSON.stringify(before[field])) Object.assign(edit, { [field]: now[field] });
    }
    if (Object.keys(edit).length > 0) await onSave(edit);
  };
  const size = (value: number | undefined) => (value ? String(value / mib) : "");
  const bytes = (text: string) => Math.round(Number(text || 0) * mib);
  return (
    <FormDialog title={t("org.rules")} onClose={onClose} onSave={save}>
      <label>{t("org.deletion")}
        <select autofocus value={now.deletion ?? "step_up"} onChange={(event) => set({ deletion: event.currentTarget.value as "step_up" | "api_key" })}>
          {(["step_up", "api_key"] as const).map((one) => <option key={one} value={one}>{t(`org.deletion.${one}`)}</option>)}
        </select>
      </label>
      <label class="check"><input type="checkbox" checked={now.workspaces ?? false} onChange={(event) => set({ workspaces: event.currentTarget.checked })} /> {t("org.workspaces.on")}</label>
      <label>{t("org.assets.one.mib")}<input type="number" min="0" step="any" placeholder="25" value={size(now.assets?.max_bytes)} onInput={(event) => set({ assets: { ...now.assets, max_bytes: bytes(event.currentTarget.value) } })} /></label>
      <label>{t("org.assets.all.mib")}<input type="number" min="0" step="any" value={size(now.assets?.total_bytes)} onInput={(event) => set({ assets: { ...now.assets, total_bytes: bytes(event.currentTarget.value) } })} /></label>
      <label>{t("org.assets.types.field")}<input placeholder="image/*, application/pdf" value={now.assets?.media_types?.join(", ") ?? ""} onChange={(event) => set({ assets: { ...now.assets, media_types: event.currentTarget.value.split(",").map((one) => one.trim()).filter(Boolean) } })} /></label>
      <label>{t("org.retention.days")}<input type="number" min="0" step="1" value={now.events_retention?.days ?? ""} onInput={(event) => set({ events_retention: { ...now.events_retention, days: Number(event.currentTarget.value) } })} /></label>
      <TypeRules of={now.events_retention?.types ?? []} onChange={(types) => set({ events_retention: { ...now.events_retention, types } })} />
      <label class="check"><input type="checkbox" checked={now.legal_hold ?? false} onChange={(event) => set({ legal_hold: event.currentTarget.checked })} /> {t("org.hold.field")}</label>
    </FormDialog>
  );
}

type TypeRule = NonNullable<EventRetention["types"]>[number];

/** How long events of single types are kept. */
function TypeRules({ of: rules, onChange }: { of: readonly TypeRule[]; onChange: (rules: TypeRule[]) => void }) {
  const put = (at: number, change: Partial<TypeRule>) => onChange(rules.map((rule, i) => (i === at ? { ...rule, ...change } : rule)));
  return (
    <fieldset class="org-types">
      <legend>{t("org.types")}</legend>
      {rules.map(({ event_type: name, days }, i) => (
        <div key={i} class="org-type">
          <input required maxLength={64} placeholder="tool_call" aria-label={t("org.types.name", { n: i + 1 })} value={name} onInput={(event) => put(i, { event_type: event.currentTarget.value })} />
          <input required type="number" min="0" max="36500" step="1" aria-label={t("org.types.days", { n: i + 1 })} value={days} onInput={(event) => put(i, { days: Number(event.currentTarget.value) })} />
          <button type="button" class="button" aria-label={t("org.types.remove", { n: i + 1 })} onClick={() => onChange(rules.filter((_, at) => at !== i))}>×</button>
        </div>
      ))}
      <button type="button" class="button" onClick={() => onChange([...rules, { event_type: "", days: 30 }])}>{t("org.types.add")}</button>
    </fieldset>
  );
}
