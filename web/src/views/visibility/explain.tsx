import type { Memory, VendorSees } from "@loci-memory/sdk";
import { useEffect, useRef } from "preact/hooks";
import { identity, loci } from "../../api.ts";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";
import { useChanges } from "../../live.ts";
import { useLoad } from "../../load.ts";
import { Markdown } from "../../markdown.tsx";
import { addressOf } from "../../router.ts";
import { Shown } from "../../states.tsx";
import { useStore } from "../../store.ts";
import { when } from "../../time.ts";
import { readMemory } from "../memories/acts.ts";
import { readers } from "../memories/words.ts";
import { label } from "./groups.ts";

interface Props {
  id: string;
  vendor: string;
  /** The time whose state is shown; "": now. */
  at: string;
  onClose: () => void;
  onTake: (memory: Memory) => void;
  onChanged: () => void;
}

/** One memory, and why a vendor's assistants get it or not. */
export function Explain({ id, vendor, at, onClose, onTake }: Props) {
  const memory = useLoad((signal) => (at ? loci.memories.get(id, { known_at: at, include_superseded: true }, { signal }) : readMemory(id, signal)), [id, at]);
  const of = useLoad((signal) => loci.memories.listReaders(id, { signal }), [id]);
  useChanges("memory", (changes) => {
    if (changes !== "reset" && !changes.some((change) => change.id === id)) return;
    memory.reload();
    of.reload();
  });
  const who = useStore(identity);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (matchMedia("(max-width: 56rem)").matches) heading.current?.focus();
  }, [id, memory.value === undefined]);
  return (
    <article class="reading" aria-label={t("reading")}>
      <button type="button" class="button back" onClick={onClose}>← {t("reading.back")}</button>
      <Shown of={memory}>
        {(one) => (
          <>
            <h2 ref={heading} tabIndex={-1}>{legible(one.title)}</h2>
            <Shown of={of}>{(answer) => <Verdict vendor={vendor} of={answer.vendors} />}</Shown>
            <div class="actions">
              {!at && (!who || one.user_id === undefined || one.user_id === who.user_id) && <button type="button" class="button" onClick={() => onTake(one)}>{t("see.take")}</button>}
              <a class="button" href={addressOf(`memories/${id}`)}>{t("see.open")}</a>
            </div>
            {at && <p class="note">{t("time.asKnown", { time: when(at) })}</p>}
            <Markdown text={one.content} />
            <section aria-label={t("see.readers")}>
              <h3>{t("see.readers")}</h3>
              <ReadersInWords memory={one} />
              <Shown of={of}>{(answer) => <Readers of={answer.vendors} />}</Shown>
            </section>
          </>
        )}
      </Shown>
    </article>
  );
}

function ReadersInWords({ memory }: { memory: Memory }) {
  const names = useLoad(async (signal) => ({
    agent: memory.scope === "agent" && memory.agent_id ? await loci.agents.get(memory.agent_id, { signal }).then(({ name }) => legible(name)).catch(() => undefined) : undefined,
    project: memory.scope === "project" && memory.project_id ? await loci.projects.get(memory.project_id, { signal }).then(({ name }) => legible(name)).catch(() => undefined) : undefined,
  }), [memory.scope, memory.agent_id, memory.project_id]);
  return <p>{readers(memory, names.value)}</p>;
}

function Verdict({ vendor, of }: { vendor: string; of: readonly VendorSees[] }) {
  // A vendor that neither Loci nor the memory knows is treated as one that is not named.
  const one = of.find((other) => other.vendor === vendor);
  const name = legible(one?.label ?? label(vendor));
  if (!one) return <p class="see-verdict">{t("see.verdict.unknown", { vendor: name })}</p>;
  return (
    <p class={one.sees ? "see-verdict good" : "see-verdict"}>
      <strong>{t(one.sees ? "see.verdict.yes" : "see.verdict.no", { vendor: name })}</strong> {reason(one)}
    </p>
  );
}

/** Why, in words. */
export function reason({ sees, hidden_by, label: name }: VendorSees): string {
  if (sees || !hidden_by) return t("see.why.sees");
  return t(`see.why.${hidden_by}`, { vendor: legible(name) });
}

function Readers({ of }: { of: readonly VendorSees[] }) {
  return (
    <ul class="see-readers">
      {of.map((one) => (
        <li key={one.vendor}>
          <strong>{legible(one.label)}</strong> <span class={one.sees ? "tag" : "tag warn"}>{t(one.sees ? "yes" : "no")}</span> {!one.sees && <span class="hint">{reason(one)}</span>}
        </li>
      ))}
    </ul>
  );
}
