import { confirm } from "./dialog.tsx";
import { t } from "./i18n/index.ts";

/** The roles, the least first. */
export const roles = ["member", "admin", "owner"] as const;

/** What somebody may do in an org, a team or a project. */
export type Role = (typeof roles)[number];

/** Chooses a role. What it shows is value, until that changes. */
export function RoleField({ label, value, onChange }: { label: string; value: Role; onChange: (role: Role) => void }) {
  const choose = (select: HTMLSelectElement) => {
    const role = select.value as Role;
    select.value = value;
    onChange(role);
  };
  return (
    <select aria-label={label} value={value} onChange={(event) => choose(event.currentTarget)}>
      {roles.map((role) => <option key={role} value={role}>{t(`role.${role}`)}</option>)}
    </select>
  );
}

/** Asks before somebody changes their own role or makes somebody an owner. It returns whether to go on. */
export async function mayGive(role: Role, { self, name }: { self: boolean; name: string }): Promise<boolean> {
  if (!self && role !== "owner") return true;
  const text = self ? t("roles.ask.self", { role: t(`role.${role}`) }) : t("roles.ask.owner", { name });
  return confirm({ title: t("roles.ask"), text, yes: t("roles.yes"), danger: true });
}
