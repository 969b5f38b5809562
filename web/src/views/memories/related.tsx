import { LociError, type Memory, type Suggestion } from "@loci-memory/sdk";
import { useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { DiffView } from "../../diff.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { legible } from "../../legible.ts";
import { useLoad } from "../../load.ts";
import { addressOf } from "../../router.ts";
import { Shown, Unread } from "../../states.tsx";
import { Choice, settle } from "../inbox/settle.tsx";
import { textsOf } from "../inbox/words-diff.ts";
import { readMemory, trash } from "./acts.ts";

/** How many memories of a chain are read. */
const longest = 10;

/** What a memory has to do with others: what replaced it, what it replaced, what contradicts it, what is suggested. */
export function Related({ memory, onChanged }: { memory: Memory; onChanged: () => void }) {
  const chain = useLoad((signal) => newer(memory, signal), [memory.id, memory.superseded_by]);
  const older = useLoad((signal) => replaced(memory, signal), [memory.id, memory.version]);
  const suggestion = useLoad((signal) => pending(memory, signal), [memory.id, memory.pending_supersede]);
  const disputes = memory.disputed_by ?? [];
  return (
    <>
      {(chain.value?.length || older.value?.length) ? (
        <section aria-label={t("related.chain")}>
          <h3>{t("related.chain")}</h3>
          <ul class="cards">
            {chain.value?.map((one) => <li key={one.id}>{t("related.newer")} <Link memory={one} /></li>)}
            {older.value?.map((one) => <li key={one.id}>{t("related.older")} <Link memory={one} /></li>)}
          </ul>
        </section>
      ) : null}
      {disputes.length > 0 && (
        <section aria-label={t("related.disputes")}>
          <h3>{t("related.disputes")}</h3>
          <ul class="cards">{disputes.map(({ id, origin }) => <li key={id}><Dispute memory={memory} id={id} origin={origin} onChanged={onChanged} /></li>)}</ul>
        </section>
      )}
      <Unread of={[chain, older, suggestion]} />
      {suggestion.value && <Suggested suggestion={suggestion.value} onChanged={() => { suggestion.reload(); onChanged(); }} />}
    </>
  );
}

function Link({ memory }: { memory: Memory }) {
  return <><a href={addressOf(`memories/${memory.id}`)}>{legible(memory.title)}</a> <span class="tag">{memory.origin}</span></>;
}

/** How another memory under the same key differs, and the way to end the disagreement. */
function Dispute({ memory, id, origin, onChanged }: { memory: Memory; id: string; origin: string; onChanged: () => void }) {
  const read = useLoad((signal) => readMemory(id, signal), [id]);
  return (
    <>
      <p>{t("related.dispute", { origin })}</p>
      <Shown of={read}>
        {(other) => (
          <>
            <p><a href={addressOf(`memories/${id}`)}>{legible(other.title)}</a> <span class="hint">{t("related.differs")}</span></p>
            <DiffView diff={{ texts: textsOf(memory, other), fields: [] }} />
            <button type="button" class="button" onClick={() => void trash([other], { put: onChanged, drop: onChanged, reload: onChanged })}>{t("related.keep")}</button>
          </>
        )}
      </Shown>
    </>
  );
}

/** The memories that replaced it, one after the other. */
async function newer(memory: Memory, signal: AbortSignal): Promise<Memory[]> {
  const out: Memory[] = [];
  for (let id = memory.superseded_by; id && out.length < longest && !out.some((one) => one.id === id); ) {
    const next = await readMemory(id, signal).catch(hidden);
    if (!next) break;
    out.push(next);
    id = next.superseded_by;
  }
  return out;
}

/** There is no row that the person may see; any other error is one. */
function hidden(error: unknown): undefined {
  if (!(error instanceof LociError && error.code === "not_found")) throw error;
}

/** The memories that it replaced. */
async function replaced(memory: Memory, signal: AbortSignal): Promise<Memory[]> {
  return (await loci.memories.listReplaced(memory.id, { signal })).memories;
}

async function pending(memory: Memory, signal: AbortSignal): Promise<Suggestion | undefined> {
  if (!memory.pending_supersede) return undefined;
  const { suggestions } = await loci.suggestions.list({ state: "pending", limit: 100 }, { signal });
  return suggestions.find((one) => one.memory_id === memory.id && one.kind !== "secret");
}

function Suggested({ suggestion, onChanged }: { suggestion: Suggestion; onChanged: () => void }) {
  const { by_id = "" } = suggestion;
  const by = useLoad((signal) => readMemory(by_id, signal), [by_id]);
  const [share, setShare] = useState(false);
  const decide = async (accept: boolean) => {
    if (await settle(suggestion, accept, share, onChanged)) onChanged();
  };
  useKeys([
    { key: "a", help: t("keys.accept"), run: () => void decide(true) },
    { key: "d", help: t("keys.decline"), run: () => void decide(false) },
  ]);
  return (
    <section class="suggestion" aria-label={t("suggestion.title")}>
      <h3>{t("suggestion.title")}</h3>
      <p>{t(`suggestion.${suggestion.kind}`, { origin: suggestion.origin })}</p>
      <Unread of={[by]} />
      {suggestion.by && <blockquote class="quote"><strong>{legible(suggestion.by.title)}</strong><br />{legible(suggestion.by.text)}</blockquote>}
      <Choice of={suggestion} by={by.value} decline="d" share={share} onShare={setShare} onSettle={(accept) => void decide(accept)}>
        <a class="button" href={addressOf(`memories/${by_id}`)}>{t("suggestion.read")}</a>
      </Choice>
    </section>
  );
}
