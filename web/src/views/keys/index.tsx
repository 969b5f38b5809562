import type { Key, MadeKey, Project, Workspace } from "@loci-memory/sdk";
import { useEffect, useState } from "preact/hooks";
import { identity, loci } from "../../api.ts";
import { Card, cardKeys, currentCard } from "../../cards.tsx";
import { useFilter } from "../../filter.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { legible } from "../../legible.ts";
import { useChanges, useFollow } from "../../live.ts";
import { useLoad } from "../../load.ts";
import { resumed } from "../../pending.ts";
import { Empty, Shown } from "../../states.tsx";
import { useStore } from "../../store.ts";
import { createKey, revokeKey, rotateKey } from "./acts.ts";
import { draftOf, emptyDraft, sorted, usable, type Draft } from "./keys.ts";
import { NewKeyForm } from "./new.tsx";
import { Rotate } from "./rotate.tsx";
import { Secret } from "./secret.tsx";
import { life, reach } from "./words.ts";

type Filter = "all" | "own" | "agents" | "ended";
const filters: readonly Filter[] = ["all", "own", "agents", "ended"];

/** The keys of a person and of their agents. */
export default function Keys() {
  const who = useStore(identity);
  const keys = useLoad((signal) => loci.keys.list({}, { signal }).then(({ keys }) => keys), []);
  useFollow("key", keys.reload);
  const around = useLoad((signal) => limitsOf(who?.workspace_id ? who.org_id : "", signal), [who?.workspace_id]);
  useChanges(["project", "workspace"], around.reload);
  const { projects = [], workspaces = [] } = around.value ?? {};
  const [filter, setFilter] = useState<Filter>("all");
  const [draft, setDraft] = useState<Draft>();
  const [error, setError] = useState<unknown>();
  const [rotating, setRotating] = useState("");
  const [made, setMade] = useState<{ made: MadeKey; rotated?: boolean }>();
  const now = Date.now();
  const words = useFilter(t("filter.keys"));
  const rows = sorted(keys.value ?? [], now).filter((key) => shows(filter, key, now) && words.fits(key.name, key.vendor ?? t("apiKeys.you"), key.prefix, reach(key, projects), workspaceOf(key, workspaces)?.name));
  const at = () => rows.find((key) => key.id === currentCard() && usable(key, now));
  const show = (rotated: boolean) => (made: MadeKey) => {
    setDraft(undefined);
    setMade({ made, rotated });
    keys.reload();
  };
  const begin = () => {
    setError(undefined);
    setDraft(emptyDraft);
  };
  const revoke = (key: Key | undefined) => void (key && revokeKey(key).then((did) => did && keys.reload()));
  useKeys([
    ...cardKeys(rows.map(({ id }) => id)),
    words.key,
    { key: "n", help: t("apiKeys.new"), run: begin },
    { key: "r", help: t("apiKeys.rotate"), run: () => setRotating(at()?.id ?? "") },
    { key: "x", help: t("apiKeys.revoke"), run: () => revoke(at()) },
  ]);
  useEffect(() => {
    const wanted = resumed("keys.");
    if (wanted?.what === "keys.create") setDraft(draftOf(wanted.ids[0]));
    else if (wanted) setRotating(wanted.ids[0] ?? "");
  }, []);
  const turning = keys.value?.find(({ id }) => id === rotating);
  return (
    <div class="page">
      <div class="page-head">
        <h1>{t("apiKeys.title")}</h1>
        <button type="button" class="button primary" onClick={begin}>{t("apiKeys.new")} <kbd>n</kbd></button>
      </div>
      <p class="hint">{t("apiKeys.text")}</p>
      <Shown of={keys}>
        {(all) => all.length === 0 ? <Empty title={t("apiKeys.none")}><p>{t("apiKeys.none.text")}</p></Empty> : (
          <>
            <div class="tabs" role="group" aria-label={t("apiKeys.filter")}>
              {filters.map((name) => (
                <button key={name} type="button" class="chip" aria-pressed={filter === name} onClick={() => setFilter(name)}>
                  {t(`apiKeys.filter.${name}`)} <span class="count">{all.filter((key) => shows(name, key, now)).length}</span>
                </button>
              ))}
            </div>
            {words.field(rows.length)}
            {rows.length === 0 ? all.some((key) => shows(filter, key, now)) ? words.none() : <Empty title={t("apiKeys.filter.none")} /> : (
              <ul class="cards" aria-label={t("apiKeys.title")}>
                {rows.map((key) => <KeyCard key={key.id} of={key} projects={projects} workspaces={workspaces} now={now} onRotate={() => setRotating(key.id)} onRevoke={() => revoke(key)} />)}
              </ul>
            )}
          </>
        )}
      </Shown>
      {draft && !made && (
        <NewKeyForm from={draft} projects={projects} workspaces={workspaces} vendors={(keys.value ?? []).flatMap(({ vendor }) => vendor ?? [])} limits={around}
          error={error} onClose={() => setDraft(undefined)} onCreate={(draft) => { setError(undefined); void createKey(draft, show(false), setError); }} />
      )}
      {turning && <Rotate of={turning} onClose={() => setRotating("")} onRotate={(hours) => { setRotating(""); void rotateKey(turning.id, hours, show(true)); }} />}
      {made && <Secret {...made} onClose={() => setMade(undefined)} />}
    </div>
  );
}

function shows(filter: Filter, key: Key, now: number): boolean {
  if (filter === "ended") return !usable(key, now);
  if (!usable(key, now)) return false;
  return filter === "all" || (filter === "agents") === Boolean(key.vendor);
}

/** What can limit a key: the projects, and the workspaces if the org has them. */
async function limitsOf(org: string, signal: AbortSignal): Promise<{ projects: Project[]; workspaces: Workspace[] }> {
  const [{ projects }, { workspaces }] = await Promise.all([
    loci.projects.list({ status: "all", limit: 100 }, { signal }),
    org ? loci.orgs.listWorkspaces(org, { signal }) : { workspaces: [] },
  ]);
  return { projects, workspaces };
}

interface CardProps {
  of: Key;
  projects: readonly Project[];
  workspaces: readonly Workspace[];
  now: number;
  onRotate: () => void;
  onRevoke: () => void;
}

const workspaceOf = (key: Key, workspaces: readonly Workspace[]) => workspaces.find(({ id }) => id === key.workspace_id);

function KeyCard({ of: key, projects, workspaces, now, onRotate, onRevoke }: CardProps) {
  const name = legible(key.name);
  const works = usable(key, now);
  const workspace = workspaceOf(key, workspaces);
  return (
    <Card id={key.id} off={!works}>
      <div class="card-text">
        <strong>{name}</strong> <span class="tag">{legible(key.vendor ?? t("apiKeys.you"))}</span> <code>{key.prefix}…</code>
        <p>{reach(key, projects)}{workspace && ` · ${t("account.workspace")} ${legible(workspace.name)}`}</p>
        <p>{life(key, now)}</p>
      </div>
      {works && (
        <div class="actions">
          <button type="button" class="button" aria-label={t("apiKeys.rotate.one", { name })} onClick={onRotate}>{t("apiKeys.rotate")}</button>
          <button type="button" class="button danger" aria-label={t("apiKeys.revoke.one", { name })} onClick={onRevoke}>{t("apiKeys.revoke")}</button>
        </div>
      )}
    </Card>
  );
}
