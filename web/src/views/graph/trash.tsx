import type { GraphTrash } from "@loci-memory/sdk";
import { loci } from "../../api.ts";
import { t } from "../../i18n/index.ts";
import { beginning, legible } from "../../legible.ts";
import { concerns, useChanges } from "../../live.ts";
import { useLoad } from "../../load.ts";
import { Empty, Shown } from "../../states.tsx";
import { when } from "../../time.ts";
import { tell } from "../../undo.tsx";
import type { Place } from "./acts.ts";
import { restoreFromTrash } from "./entity.tsx";

interface Row {
  id: string;
  kind: "entity" | "observation" | "relation";
  text: string;
  origin: string;
  at: string;
}

function rowsOf({ entities, observations, relations }: GraphTrash): Row[] {
  const rows: Row[] = [
    ...entities.map(({ id, name, origin, deleted_at = "" }) => ({ id, kind: "entity" as const, text: name, origin, at: deleted_at })),
    ...observations.map(({ id, content, origin, deleted_at = "" }) => ({ id, kind: "observation" as const, text: content, origin, at: deleted_at })),
    ...relations.map(({ id, from, relation_type, to, origin, deleted_at = "" }) => ({ id, kind: "relation" as const, text: `${from} → ${relation_type} → ${to}`, origin, at: deleted_at })),
  ];
  return rows.sort((a, b) => (a.at < b.at ? 1 : -1));
}

const group = { entity: "entities", observation: "observations", relation: "relations" } as const;

/** What was deleted from the graph, and can be restored. */
export function Trash({ at, onBack }: { at: Place; onBack: () => void }) {
  const trash = useLoad((signal) => loci.graph.listTrash(at.id, { limit: 500 }, { signal }), [at.id]);
  useChanges("graph", (changes) => concerns(changes, at.id) && trash.reload());
  const restore = async ({ id, kind, text }: Row) => {
    if (!(await restoreFromTrash(at, { [group[kind]]: [id] }, beginning(text, 100)))) return;
    trash.reload();
    at.reload();
    tell(t("graph.restored", { name: beginning(text, 60) }));
  };
  return (
    <article class="reading" aria-label={t("trash")}>
      <div class="actions"><button type="button" class="button" onClick={onBack}>← {t("graph.back")}</button></div>
      <h2>{t("trash")}</h2>
      <Shown of={trash}>
        {(all) => {
          const rows = rowsOf(all);
          if (rows.length === 0) return <Empty title={t("trash.empty")} />;
          return (
            <>
              <ul class="cards graph-trash">
                {rows.map((row) => (
                  <li key={row.id}>
                    <p class="graph-text">{legible(row.text)}</p>
                    <p class="hint">{t(`graph.kind.${row.kind}`)} · {legible(row.origin)} · {row.at && <time dateTime={row.at}>{when(row.at)}</time>}</p>
                    <button type="button" class="button" onClick={() => void restore(row)}>{t("restore")}</button>
                  </li>
                ))}
              </ul>
              {all.has_more && <p class="hint">{t("graph.trash.more")}</p>}
            </>
          );
        }}
      </Shown>
    </article>
  );
}
