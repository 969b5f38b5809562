import type { Memory } from "@loci-memory/sdk";
import { useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { DiffView } from "../../diff.tsx";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";
import { useLoad } from "../../load.ts";
import { Shown } from "../../states.tsx";
import { when } from "../../time.ts";
import { complain, tell } from "../../undo.tsx";
import type { Rows } from "./pages.ts";

/** The versions of a memory, with what each of them changed, and a way back. */
export function Versions({ memory, rows, onChanged }: { memory: Memory; rows: Rows; onChanged: () => void }) {
  const [shown, setShown] = useState(false);
  if (memory.version === 1) return null;
  return (
    <details class="versions" onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary><h3>{t("versions.title", { n: memory.version })}</h3></summary>
      {shown && <VersionList memory={memory} rows={rows} onChanged={onChanged} />}
    </details>
  );
}

function VersionList({ memory, rows, onChanged }: { memory: Memory; rows: Rows; onChanged: () => void }) {
  const loaded = useLoad((signal) => loci.memories.listVersions(memory.id, { limit: 100 }, { signal }), [memory.id, memory.version]);
  const [open, setOpen] = useState<number>();
  const revert = async (version: number) => {
    try {
      const now = await loci.history.revert(memory.id, { version }, { ifMatch: memory.version });
      rows.put(now);
      onChanged();
      tell(t("versions.restored", { n: version }), async () => {
        rows.put(await loci.history.revert(memory.id, { version: memory.version }, { ifMatch: now.version }));
        onChanged();
      });
    } catch (error) {
      complain(error);
    }
  };
  return (
    <Shown of={loaded}>
      {({ versions, has_more }) => (
        <>
          <ul class="cards">
            {versions.map((version) => (
              <li key={version.version}>
                <p class="meta">
                  <strong>{t("versions.one", { n: version.version })}</strong> · {t(`change.${version.change}`)} · {legible(version.editor)} · <time dateTime={version.updated_at}>{when(version.updated_at)}</time>
                </p>
                <div class="actions">
                  <button type="button" class="button" aria-expanded={open === version.version} onClick={() => setOpen(open === version.version ? undefined : version.version)}>{t("versions.compare")}</button>
                  {memory.deleted_at === undefined && <button type="button" class="button" onClick={() => void revert(version.version)}>{t("versions.restore")}</button>}
                </div>
                {open === version.version && <Compare id={memory.id} from={version.version} to={memory.version} />}
              </li>
            ))}
          </ul>
          {has_more && <p class="hint">{t("versions.more")}</p>}
        </>
      )}
    </Shown>
  );
}

function Compare({ id, from, to }: { id: string; from: number; to: number }) {
  const loaded = useLoad((signal) => loci.history.diff(id, { from, to }, { signal }), [id, from, to]);
  return <Shown of={loaded}>{(diff) => <DiffView diff={diff} />}</Shown>;
}
