import type { Memory } from "@loci-memory/sdk";
import { identity, loci } from "../../api.ts";
import { t } from "../../i18n/index.ts";
import { nameOf } from "../../person.ts";

/** Who owns a memory, if that is somebody else: their name as far as the person may know it. */
export async function ownerOf(memory: Memory, signal: AbortSignal): Promise<string | undefined> {
  const who = identity.get();
  if (!who || !memory.user_id || memory.user_id === who.user_id) return undefined;
  const lists = await Promise.all([
    memory.team_id ? loci.teams.get(memory.team_id, { signal }).then(({ members }) => members).catch(() => []) : [],
    memory.project_id ? loci.projects.listMembers(memory.project_id, { signal }).then(({ members }) => members.map(({ user_id, email }) => ({ id: user_id, email }))).catch(() => []) : [],
  ]);
  const owner = lists.flat().find(({ id }) => id === memory.user_id);
  return owner ? nameOf(owner) : t("facts.otherOwner");
}
