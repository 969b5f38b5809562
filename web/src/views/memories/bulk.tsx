import type { BulkOperation, Memory } from "@loci-memory/sdk";
import { useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { Cancel, Dialog } from "../../dialog.tsx";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";
import { useLoad } from "../../load.ts";
import { Shown } from "../../states.tsx";
import { change, erase, restore, trash } from "./acts.ts";
import type { Rows } from "./pages.ts";
import { retagged, tagsOf } from "./tags.ts";
import { VendorsField } from "./vendors.tsx";

interface Props {
  picked: readonly Memory[];
  inTrash: boolean;
  rows: Rows;
  onAll: () => void;
  onDone: () => void;
}

/** What a person can do with several memories at once. */
export function Bulk({ picked, inTrash, rows, onAll, onDone }: Props) {
  const [ask, setAsk] = useState<"tags" | "vendors" | "scope">();
  const ids = picked.map(({ id }) => id);
  const run = (act: Promise<void>) => void act.then(onDone);
  return (
    <div class="bulk" role="toolbar" aria-label={t("bulk.title")}>
      <strong>{t("bulk.picked", { n: picked.length })}</strong>
      {inTrash ? (
        <>
          <button type="button" onClick={() => run(restore(ids, rows))}>{t("restore")}</button>
          <button type="button" class="danger" onClick={() => run(erase(ids, rows))}>{t("erase.yes")}</button>
        </>
      ) : (
        <>
          <button type="button" onClick={() => setAsk("tags")}>{t("bulk.tags")}</button>
          <button type="button" onClick={() => setAsk("vendors")}>{t("bulk.vendors")}</button>
          <button type="button" onClick={() => setAsk("scope")}>{t("bulk.scope")}</button>
          <button type="button" class="danger" onClick={() => run(trash(picked, rows))}>{t("trash.yes")}</button>
        </>
      )}
      <button type="button" onClick={onAll}>{t("inbox.selectAll")}</button>
      <button type="button" onClick={onDone}>{t("bulk.none")}</button>
      {ask === "tags" && <Tags picked={picked} onClose={() => setAsk(undefined)} onTags={(add, remove) => run(change(picked, ({ tags }) => ({ tags: retagged(tags, add, remove) }), rows))} />}
      {ask === "vendors" && <Vendors n={picked.length} onClose={() => setAsk(undefined)} onVendors={(allowed_vendors) => run(change(picked, () => ({ allowed_vendors }), rows))} />}
      {ask === "scope" && <Scope n={picked.length} onClose={() => setAsk(undefined)} onScope={(changes) => run(change(picked, () => changes, rows))} />}
    </div>
  );
}

/** Who has the memories besides their owner: nobody, or the members of a project. */
function Scope({ n, onClose, onScope }: { n: number; onClose: () => void; onScope: (changes: BulkOperation["changes"]) => void }) {
  const projects = useLoad((signal) => loci.projects.list({ status: "active", limit: 500 }, { signal }), []);
  const [project, setProject] = useState("");
  return (
    <Dialog title={t("bulk.scope")} onClose={onClose}>
      <Shown of={projects}>
        {({ projects: all }) => (
          <form
            class="form"
            onSubmit={(event) => {
              event.preventDefault();
              onClose();
              onScope(project ? { scope: "project", project_id: project } : { scope: "global", project_id: null });
            }}
          >
            <label>
              {t("field.scope")}
              <select value={project} onChange={(event) => setProject(event.currentTarget.value)}>
                <option value="">{t("scope.global")}</option>
                {all.map(({ id, name }) => <option key={id} value={id}>{t("bulk.scope.project", { name: legible(name) })}</option>)}
              </select>
            </label>
            <p class="hint">{t("bulk.scope.text")}</p>
            <div class="actions">
              <button class="button primary">{t("bulk.change", { n })}</button>
              <Cancel />
            </div>
          </form>
        )}
      </Shown>
    </Dialog>
  );
}

function Tags({ picked, onClose, onTags }: { picked: readonly Memory[]; onClose: () => void; onTags: (add: string[], remove: string[]) => void }) {
  const [add, setAdd] = useState("");
  const [remove, setRemove] = useState("");
  const used = [...new Set(picked.flatMap(({ tags }) => tags))].sort();
  return (
    <Dialog title={t("bulk.tags")} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onClose();
          onTags(tagsOf(add), tagsOf(remove));
        }}
      >
        <label>{t("bulk.tags.add")}<input value={add} placeholder={t("edit.tags.hint")} onInput={(event) => setAdd(event.currentTarget.value)} /></label>
        <label>{t("bulk.tags.remove")}<input value={remove} placeholder={used.slice(0, 6).join(", ")} onInput={(event) => setRemove(event.currentTarget.value)} /></label>
        <div class="actions">
          <button class="button primary">{t("bulk.change", { n: picked.length })}</button>
          <Cancel />
        </div>
      </form>
    </Dialog>
  );
}

function Vendors({ n, onClose, onVendors }: { n: number; onClose: () => void; onVendors: (vendors: string[]) => void }) {
  const [vendors, setVendors] = useState<string[]>(["*"]);
  return (
    <Dialog title={t("bulk.vendors")} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          onClose();
          onVendors(vendors);
        }}
      >
        <VendorsField value={vendors} onChange={setVendors} />
        <div class="actions">
          <button class="button primary">{t("bulk.change", { n })}</button>
          <Cancel />
        </div>
      </form>
    </Dialog>
  );
}
