import type { RefObject } from "preact";
import { loci } from "../../api.ts";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";
import { useLoad } from "../../load.ts";
import { Unread } from "../../states.tsx";
import { kinds, type Look } from "./look.ts";

/** Shows only the candidates of a kind, a project, or some notes. */
export function CandidateFilters({ look, input, onLook }: { look: Look; input: RefObject<HTMLSelectElement | null>; onLook: (look: Look) => void }) {
  const projects = useLoad((signal) => loci.projects.list({ limit: 200 }, { signal }), []);
  const leave = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault(); // it closes nothing else
    (event.currentTarget as HTMLElement).blur();
  };
  return (
    <>
      <div class="bar inbox-bar">
        <select ref={input} aria-label={t("inbox.kind")} value={look.kind} onKeyDown={leave} onChange={(event) => onLook({ ...look, kind: event.currentTarget.value })}>
          <option value="">{t("inbox.kind.all")}</option>
          {kinds.map((kind) => <option key={kind} value={kind}>{t(`inbox.kind.${kind}`)}</option>)}
        </select>
        {(look.project || (projects.value && projects.value.projects.length > 0)) && (
          <select aria-label={t("filters.project")} value={look.project} onKeyDown={leave} onChange={(event) => onLook({ ...look, project: event.currentTarget.value })}>
            <option value="">{t("inbox.project.all")}</option>
            {projects.value?.projects.map(({ id, name }) => <option key={id} value={id}>{legible(name)}</option>)}
          </select>
        )}
        {look.source && <button type="button" class="chip" aria-pressed={true} onClick={() => onLook({ ...look, source: "" })}>{t("inbox.source.only")} ×</button>}
      </div>
      <Unread of={[projects]} />
    </>
  );
}
