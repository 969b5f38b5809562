import type { Assistant, Grant, Key, Project } from "@loci-memory/sdk";
import { useEffect, useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { Card, cardKeys, currentCard } from "../../cards.tsx";
import { confirm } from "../../dialog.tsx";
import { useFilter } from "../../filter.tsx";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { legible } from "../../legible.ts";
import { when } from "../../time.ts";
import { useFollow } from "../../live.ts";
import { useLoad } from "../../load.ts";
import { resumed } from "../../pending.ts";
import { addressOf } from "../../router.ts";
import { Empty, Shown } from "../../states.tsx";
import { complain, tell } from "../../undo.tsx";
import { revokeKey } from "../keys/acts.ts";
import { sorted, usable } from "../keys/keys.ts";
import { life, reach, right } from "../keys/words.ts";
import { clients, type Client } from "./clients.ts";
import { Connect } from "./connect.tsx";
import { useSights, type Sights } from "./sights.ts";

/**
 * An assistant that has access: by signing in, with a key, or with what only a person at the server's machine can take
 * away: a key of its configuration, or stdio.
 */
type Connection =
  | { kind: "grant"; id: string; of: Grant }
  | { kind: "key"; id: string; of: Key }
  | { kind: "machine"; id: string; of: Assistant };

interface Connected {
  connections: readonly Connection[];
  projects: readonly Project[];
}

/** The assistants that have access, what each can see, and how to connect another. */
export default function Connections() {
  const list = useLoad(readAll, []);
  useFollow(["key", "grant", "project"], list.reload);
  const now = Date.now();
  const { connections = [], projects = [] } = list.value ?? {};
  const filter = useFilter(t("filter.connections"));
  const fitting = connections.filter((one) => filter.fits(nameOf(one), one.of.vendor, reached(one, projects)));
  const working = fitting.filter((one) => works(one, now));
  const ended = fitting.filter((one) => !works(one, now));
  const offers = clients.filter((one) => filter.fits(one.name || t("connections.other"), one.vendor));
  const sights = useSights([...new Set(connections.filter((one) => works(one, now)).map(({ of }) => of.vendor ?? ""))].sort());
  const [open, setOpen] = useState<Client>();
  const end = (one: Connection | undefined) => void (one && disconnect(one).then((did) => did && list.reload()));
  useKeys([
    ...cardKeys([...working.map(({ id }) => id), ...offers.map(({ id }) => id)]),
    filter.key,
    { key: "c", help: t("connections.connect"), run: () => setOpen(clients.find(({ id }) => id === currentCard())) },
    { key: "x", help: t("connections.disconnect"), run: () => end(working.find(({ id, kind }) => id === currentCard() && kind !== "machine")) },
  ]);
  useEffect(() => {
    const wanted = resumed("connections.key.");
    if (wanted) setOpen(clients.find(({ id }) => wanted.what === `connections.key.${id}`));
  }, []);
  const row = (one: Connection) => <ConnectionCard key={one.id} of={one} projects={projects} sights={sights} now={now} onEnd={() => end(one)} />;
  return (
    <div class="page">
      <h1>{t("connections.title")}</h1>
      {filter.field(fitting.length + offers.length)}
      <Shown of={list}>
        {() => (
          <>
            {working.length > 0 ? <ul class="cards" aria-label={t("connections.title")}>{working.map(row)}</ul> : connections.every((one) => !works(one, now)) && <Empty title={t("connections.none")}><p>{t("connections.none.text")}</p></Empty>}
            {ended.length > 0 && (
              <details>
                <summary>{t("connections.ended", { n: ended.length })}</summary>
                <ul class="cards" aria-label={t("connections.endedList")}>{ended.map(row)}</ul>
              </details>
            )}
          </>
        )}
      </Shown>
      <h2>{t("connections.more")}</h2>
      <ul class="cards wide" aria-label={t("connections.more")}>
        {offers.map((client) => <ClientCard key={client.id} of={client} n={connections.filter((one) => works(one, now) && client.vendor && one.of.vendor === client.vendor).length} onOpen={() => setOpen(client)} />)}
      </ul>
      {fitting.length + offers.length === 0 && filter.none()}
      <p class="hint">{t("connections.stdio")} <code>loci status</code></p>
      {open && <Connect client={open} onMade={list.reload} onClose={() => setOpen(undefined)} />}
    </div>
  );
}

async function readAll(signal: AbortSignal): Promise<Connected> {
  const [{ assistants }, { grants }, { keys }, { projects }] = await Promise.all([
    loci.account.listAssistants({ signal }),
    loci.account.listGrants({ signal }),
    loci.keys.list({ kind: "agent" }, { signal }),
    loci.projects.list({ status: "all", limit: 100 }, { signal }),
  ]);
  return {
    projects,
    connections: [
      ...grants.map((of) => ({ kind: "grant" as const, id: of.id, of })),
      ...sorted(keys, Date.now()).map((of) => ({ kind: "key" as const, id: of.id, of })),
      ...assistants.map((of) => ({ kind: "machine" as const, id: of.name, of })),
    ],
  };
}

function works(one: Connection, now: number): boolean {
  return one.kind === "machine" || usable(one.of, now);
}

function nameOf(one: Connection): string {
  return legible((one.kind === "grant" ? one.of.client_name : one.of.name) || t("connections.unnamed"));
}

/** What it may do, in words. */
function reached(one: Connection, projects: readonly Project[]): string {
  if (one.kind === "machine") return t("apiKeys.everything");
  return one.kind === "key" ? reach(one.of, projects) : (one.of.scopes ?? []).map(right).join(" · ");
}

/** Takes the access away after a question. It returns whether it did. */
async function disconnect(one: Connection): Promise<boolean> {
  if (one.kind === "machine") return false;
  if (one.kind === "key") return revokeKey(one.of);
  const name = nameOf(one);
  if (!(await confirm({ title: t("connections.disconnect.title", { name }), text: t("connections.disconnect.text"), yes: t("connections.disconnect"), danger: true }))) return false;
  try {
    await loci.account.revokeGrant(one.id);
    tell(t("connections.disconnected", { name }));
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

interface CardProps {
  of: Connection;
  projects: readonly Project[];
  sights: Sights;
  now: number;
  onEnd: () => void;
}

function ConnectionCard({ of: one, projects, sights, now, onEnd }: CardProps) {
  const name = nameOf(one);
  const working = works(one, now);
  const { vendor = "" } = one.of;
  return (
    <Card id={one.id} off={!working}>
      <div class="card-text">
        <strong>{name}</strong> {t("connections.is")} <span class="tag">{legible(vendor)}</span>{" "}
        {one.kind === "key" ? <code>{one.of.prefix}…</code> : one.kind === "grant" && <span class="tag">{t("connections.signedIn")}</span>}
        {working && <p><Sight of={one} sights={sights} /></p>}
        <p>{reached(one, projects)}</p>
        <p>{one.kind === "machine" ? one.of.last_used_at ? t("apiKeys.used", { time: when(one.of.last_used_at) }) : t("apiKeys.neverUsed") : life(one.of, now, one.kind === "grant")}</p>
        {one.kind === "machine" && <p>{t("connections.machine")}</p>}
      </div>
      {working && one.kind !== "machine" && (
        <div class="actions">
          {one.kind === "key" && <a class="button" href={addressOf("keys")}>{t("connections.keys")}</a>}
          <button type="button" class="button danger" aria-label={t("connections.disconnect.one", { name })} onClick={onEnd}>{t("connections.disconnect")}</button>
        </div>
      )}
    </Card>
  );
}

/** What an assistant can see: the same rule as for its own requests counts. */
function Sight({ of: one, sights }: { of: Connection; sights: Sights }) {
  const scopes = one.kind === "machine" ? [] : one.of.scopes ?? [];
  if (scopes.length > 0 && !scopes.includes("memories:read")) return <>{t("connections.sees.none")}</>;
  const sees = sights.of.get(one.of.vendor ?? "");
  if (sees === undefined || sights.all === undefined) return <>{t("connections.sees.unknown")}</>;
  const limited = one.kind !== "machine" && ((one.kind === "key" && (one.of.project_ids ?? []).length > 0) || one.of.workspace_id !== undefined);
  const hidden = Math.max(0, sights.all - sees);
  return <>{t(limited ? "connections.sees.most" : "connections.sees", { n: sees })} · {t(limited ? "connections.hidden.least" : "connections.hidden", { n: hidden })}</>;
}

function ClientCard({ of: client, n, onOpen }: { of: Client; n: number; onOpen: () => void }) {
  const name = client.name || t("connections.other");
  return (
    <Card id={client.id} onOpen={onOpen}>
      <div class="card-text">
        <strong>{name}</strong>
        <p>{n > 0 ? t("connections.has", { n, vendor: client.vendor }) : t(client.signsIn ? client.takesKey ? "connections.by.both" : "connections.by.signIn" : "connections.by.key")}</p>
      </div>
      <button type="button" class="button" aria-label={t("connections.connect.one", { name })} onClick={onOpen}>{t("connections.connect")}</button>
    </Card>
  );
}
