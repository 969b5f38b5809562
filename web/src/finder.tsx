import { useEffect, useState } from "preact/hooks";
import { loci } from "./api.ts";
import { t } from "./i18n/index.ts";
import { beginning } from "./legible.ts";
import { useLoad } from "./load.ts";
import { Shown } from "./states.tsx";

/** Something that was found, to choose. */
export interface Found {
  id: string;
  name: string;
}

/** Finds memories; without words, the newest ones. */
export async function findMemories(q: string, signal: AbortSignal): Promise<Found[]> {
  const found = q ? (await loci.recall.recall({ query: q, kinds: ["memory"], limit: 10 }, { signal })).memories : (await loci.memories.list({ limit: 10 }, { signal })).memories;
  return found.map(({ id, title }) => ({ id, name: title }));
}

/** Finds entities of a project; without words, the first ones. */
export async function findEntities(project: string, q: string, signal: AbortSignal): Promise<Found[]> {
  const found = q ? (await loci.graph.search(project, { q, limit: 10 }, { signal })).entities : (await loci.graph.read(project, { limit: 10 }, { signal })).entities;
  return found.map(({ id, name, entity_type }) => ({ id, name: `${name} (${entity_type})` }));
}

/** Finds something by words, and lets the person choose. */
export function Finder({ chosen, onChoose, find }: { chosen: Found | undefined; onChoose: (one: Found | undefined) => void; find: (q: string, signal: AbortSignal) => Promise<Found[]> }) {
  const [text, setText] = useState("");
  const [q, setQ] = useState("");
  const found = useLoad((signal) => find(q, signal), [q]);
  useEffect(() => {
    const soon = setTimeout(() => setQ(text.trim()), 300);
    return () => clearTimeout(soon);
  }, [text]);
  return (
    <>
      <label>{t("search")}<input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} /></label>
      <p class="hint" role="status">{chosen ? t("nodes.chosen", { name: beginning(chosen.name, 80) }) : found.value?.length === 0 ? t("nodes.found.none") : t("nodes.choose")}</p>
      <Shown of={found}>
        {(all) => (
          <ul class="graph-choices">
            {all.map((one) => <li key={one.id}><button type="button" aria-pressed={one.id === chosen?.id} onClick={() => onChoose(one)}>{beginning(one.name, 120)}</button></li>)}
          </ul>
        )}
      </Shown>
    </>
  );
}
