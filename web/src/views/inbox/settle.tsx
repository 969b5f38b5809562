import type { Memory, Suggestion } from "@loci-memory/sdk";
import type { ComponentChildren } from "preact";
import { identity, loci } from "../../api.ts";
import { confirm } from "../../dialog.tsx";
import { t } from "../../i18n/index.ts";
import { withProof } from "../../pending.ts";
import { useStore } from "../../store.ts";
import { complain, tell } from "../../undo.tsx";
import { readMemory } from "../memories/acts.ts";

/** Whether a suggestion would replace a memory of the person, or change the graph of their project: then they decide. */
const mine = (one: Suggestion) => one.graph !== undefined || one.user_id === identity.get()?.user_id;

/**
 * Accepts a suggestion, and offers to take that back, or declines it after a question, because nothing takes that back.
 * It returns whether the suggestion is settled; reload reads again what the undo or a refusal has changed.
 */
export async function settle(one: Suggestion, accept: boolean, share: boolean, reload: () => void): Promise<boolean> {
  if (accept && !mine(one)) return false;
  if (one.kind === "secret") return await settleSecret(one, accept, reload);
  const no = t(mine(one) ? "inbox.decline" : "inbox.withdraw");
  if (!accept && !(await confirm({ title: no, text: t(one.graph ? "inbox.decline.graph" : "inbox.decline.text"), yes: no }))) return false;
  try {
    if (accept && one.graph) await acceptForGraph(one, reload);
    else if (accept) await acceptSuggestion(one, share, reload);
    else {
      await loci.suggestions.decline(one.id);
      tell(t("suggestion.declined"));
    }
    return true;
  } catch (error) {
    complain(error);
    reload();
    return false;
  }
}

/** Removes the secrets of a memory, after a question, because nothing takes that back, or keeps them. */
async function settleSecret(one: Suggestion, remove: boolean, reload: () => void): Promise<boolean> {
  if (remove && !(await confirm({ title: t("secret.remove"), text: t("secret.remove.text"), yes: t("secret.remove"), danger: true }))) return false;
  let settled = false;
  await withProof({ what: "inbox.secret", ids: [one.id] }, async () => {
    if (remove) await loci.suggestions.accept(one.id);
    else await loci.suggestions.decline(one.id);
    tell(t(remove ? "secret.removed" : "secret.kept"));
    settled = true;
  });
  if (!settled) reload();
  return settled;
}

/** Accepts a suggestion. After its undo, the memory as it was holds again. */
async function acceptSuggestion(one: Suggestion, share: boolean, reload: () => void): Promise<void> {
  const id = one.memory_id ?? "";
  const before = await readMemory(id);
  const { no_longer_shared: who } = await loci.suggestions.accept(one.id, { share: share || undefined });
  tell(t("suggestion.accepted") + (who ? ` ${t("suggestion.unshared", { who })}` : ""), async () => {
    await loci.history.revert(id, { version: before.version });
    reload();
  });
}

/** Accepts a suggestion about a graph. Its undo restores the rows from the graph's trash. */
async function acceptForGraph(one: Suggestion, reload: () => void): Promise<void> {
  await loci.suggestions.accept(one.id);
  tell(t("suggestion.graph.accepted"), async () => {
    const { project_id, entities, observations, relations } = one.graph!;
    await loci.graph.restoreEntities(project_id, { entities: entities ?? undefined, observations: observations ?? undefined, relations: relations ?? undefined });
    reload();
  });
}

interface Props {
  of: Suggestion;
  /** The new memory; undefined: not read yet. */
  by: Memory | undefined;
  /** The key that declines. */
  decline: string;
  share: boolean;
  onShare: (share: boolean) => void;
  onSettle: (accept: boolean) => void;
  /** Links beside the buttons. */
  children: ComponentChildren;
}

/** What a person can do with a suggestion, and who could then no longer read the fact. */
export function Choice({ of, by, decline, share, onShare, onSettle, children }: Props) {
  const who = useStore(identity);
  // Who owns the new memory may share it, or withdraw the suggestion.
  const asked = by !== undefined && by.user_id === who?.user_id;
  return (
    <>
      {mine(of) && of.no_longer_shared && (
        <div class="note">
          <p>{t("suggestion.shared", { who: of.no_longer_shared })}</p>
          {asked && <label class="check"><input type="checkbox" checked={share} onChange={(event) => onShare(event.currentTarget.checked)} /> {t("inbox.share")}</label>}
        </div>
      )}
      <div class="actions">
        {mine(of) && <button type="button" class="button primary" onClick={() => onSettle(true)}>{t(of.kind === "secret" ? "secret.remove" : "suggestion.accept")} <kbd>a</kbd></button>}
        {(mine(of) || asked) && <button type="button" class="button" onClick={() => onSettle(false)}>{t(of.kind === "secret" ? "secret.keep" : mine(of) ? "inbox.decline" : "inbox.withdraw")} <kbd>{decline}</kbd></button>}
        {children}
      </div>
      {!mine(of) && <p class="hint">{t("inbox.notMine")}</p>}
    </>
  );
}
