import type { Project } from "@loci-memory/sdk";
import { t } from "../../i18n/index.ts";

/** Who belongs to a project, which the reader does. */
export function peopleIn(one: Project): string {
  if (one.everyone) return t("projects.everyone");
  return one.members === 1 ? t("projects.alone") : t("projects.people", { n: one.members });
}
