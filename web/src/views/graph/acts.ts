import type { Entity, Observation, Relation } from "@loci-memory/sdk";
import { loci, Plain } from "../../api.ts";
import { attempt } from "../../form.tsx";
import { confirm } from "../../dialog.tsx";
import { t } from "../../i18n/index.ts";
import { beginning, legible } from "../../legible.ts";
import { tell } from "../../undo.tsx";
import { sizeOf, tieOf, type Graph } from "./model.ts";

/** A project's graph that is shown, and how to show it again after a change. */
export interface Place {
  id: string;
  graph: Graph;
  /** The drawing and the open entity changed. */
  changed: () => void;
  /** Much changed: read everything again. */
  reload: () => void;
}

/** Moves an entity to the trash, after a question, and offers to take it back. */
export async function trashEntity({ id, graph, changed, reload }: Place, entity: Pick<Entity, "id" | "name" | "entity_type">): Promise<boolean> {
  const { name, entity_type } = entity;
  const text = t("graph.trash.ask", { name: legible(name) });
  if (!(await confirm({ title: t("trash.title"), text, yes: t("trash.yes"), danger: true }))) return false;
  return attempt(async () => {
    await loci.graph.deleteEntities(id, { entities: [{ name, entity_type }] });
    if (graph.hasNode(entity.id)) graph.dropNode(entity.id);
    changed();
    tell(t("graph.trash.done", { name: legible(name) }), async () => {
      await loci.graph.restoreEntities(id, { entities: [entity.id] });
      reload();
    });
  });
}

/** Creates an entity, or adds observations to the one that exists. It returns its id. */
export async function createEntity({ id, graph, changed }: Place, name: string, kind: string, observations: string[]): Promise<string> {
  const { entities } = await loci.graph.createEntities(id, { entities: [{ name, entity_type: kind, observations }] });
  const made = entities[0]!;
  graph.mergeNode(made.id, { label: made.name, kind: made.entity_type, ...(graph.hasNode(made.id) ? {} : { ...middle(graph), size: 2.5 }) });
  changed();
  tell(t(made.created ? "graph.created" : "graph.exists", { name: legible(name) }));
  return made.id;
}

/** A place for a new entity: near the middle, so that it is in sight. */
function middle(graph: Graph): { x: number; y: number } {
  const n = graph.order;
  return { x: 8 * Math.cos(n), y: 8 * Math.sin(n) };
}

/** Adds an observation, and offers to take it back. */
export async function observe({ id, changed }: Place, { name, entity_type }: Entity, content: string): Promise<void> {
  const { duplicates } = await loci.graph.addObservations(id, { observations: [{ entity_name: name, entity_type, contents: [content] }] });
  changed();
  if (duplicates.length > 0) return tell(t("graph.observation.exists"));
  tell(t("graph.observation.done"), async () => {
    await loci.graph.deleteObservations(id, { deletions: [{ entity_name: name, entity_type, observations: [content] }] });
    changed();
  });
}

/** Replaces an observation by another text: the old one goes to the trash. */
export async function rewrite({ id, changed }: Place, { name, entity_type }: Entity, old: Observation, content: string): Promise<void> {
  if (content === old.content) return;
  await loci.graph.addObservations(id, { allowed_vendors: old.allowed_vendors, observations: [{ entity_name: name, entity_type, contents: [content] }] });
  await loci.graph.deleteObservations(id, { deletions: [{ entity_name: name, entity_type, observations: [old.content] }] });
  changed();
  tell(t("graph.observation.changed"), async () => {
    await loci.graph.restoreEntities(id, { observations: [old.id] });
    await loci.graph.deleteObservations(id, { deletions: [{ entity_name: name, entity_type, observations: [content] }] });
    changed();
  });
}

/** Moves an observation to the trash, and offers to take it back. */
export async function forget({ id, changed }: Place, { name, entity_type }: Entity, old: Observation): Promise<void> {
  const text = t("graph.observation.ask", { text: beginning(old.content, 120) });
  if (!(await confirm({ title: t("trash.title"), text, yes: t("trash.yes"), danger: true }))) return;
  await attempt(async () => {
    await loci.graph.deleteObservations(id, { deletions: [{ entity_name: name, entity_type, observations: [old.content] }] });
    changed();
    tell(t("graph.observation.trashed"), async () => {
      await loci.graph.restoreEntities(id, { observations: [old.id] });
      changed();
    });
  });
}

/** Relates two entities, and offers to take it back. */
export async function relate({ id, graph, changed }: Place, from: string, kind: string, to: string): Promise<void> {
  const [a, b] = [graph.getNodeAttributes(from), graph.getNodeAttributes(to)];
  const relation = { from: a.label, from_type: a.kind, relation_type: kind, to: b.label, to_type: b.kind };
  const made = (await loci.graph.createRelations(id, { relations: [relation] })).relations[0]!;
  draw(graph, made);
  changed();
  if (!made.created) return tell(t("graph.relation.exists"));
  tell(t("graph.relation.done"), async () => {
    await loci.graph.deleteRelations(id, { relations: [relation] });
    erase(graph, made);
    changed();
  });
}

/** Moves a relation to the trash, after a question, and offers to take it back. */
export async function unrelate({ id, graph, changed }: Place, old: Relation): Promise<void> {
  const text = t("graph.relation.ask", { from: legible(old.from), kind: legible(old.relation_type), to: legible(old.to) });
  if (!(await confirm({ title: t("trash.title"), text, yes: t("trash.yes"), danger: true }))) return;
  await attempt(async () => {
    const kindOf = (entity: string) => (graph.hasNode(entity) ? { type: graph.getNodeAttribute(entity, "kind") } : {});
    const [from, to] = [kindOf(old.from_entity), kindOf(old.to_entity)];
    await loci.graph.deleteRelations(id, { relations: [{ from: old.from, from_type: from.type, relation_type: old.relation_type, to: old.to, to_type: to.type }] });
    erase(graph, old);
    changed();
    tell(t("graph.relation.trashed"), async () => {
      await loci.graph.restoreEntities(id, { relations: [old.id] });
      draw(graph, old);
      changed();
    });
  });
}

/** Makes one entity of two. To take it back, the old one is restored; what was copied stays. */
export async function merge({ id, reload }: Place, from: Pick<Entity, "id" | "name">, into: string): Promise<void> {
  const now = await loci.graph.mergeEntities(id, { from: from.id, into });
  reload();
  tell(t("graph.merge.done", { from: legible(from.name), into: legible(now.name) }), async () => {
    await loci.graph.restoreEntities(id, { entities: [from.id] });
    reload();
  });
}

/** Gives an entity another name or type: a new one takes over everything, and the old one goes to the trash. */
export async function rename({ id, reload }: Place, old: Entity, name: string, kind: string): Promise<string> {
  if (name === old.name && kind === old.entity_type) return old.id;
  const { entities } = await loci.graph.createEntities(id, { allowed_vendors: old.allowed_vendors, entities: [{ name, entity_type: kind }] });
  const made = entities[0]!;
  if (!made.created) throw new Plain(t("graph.rename.taken", { name: legible(name) }));
  await loci.graph.mergeEntities(id, { from: old.id, into: made.id });
  reload();
  tell(t("graph.rename.done", { name: legible(name) }), async () => {
    await loci.graph.restoreEntities(id, { entities: [old.id] });
    await loci.graph.deleteEntities(id, { entities: [{ name, entity_type: kind }] });
    reload();
  });
  return made.id;
}

/** Says which assistants may read an entity with its observations and relations. */
export async function setReaders({ id, changed }: Place, { id: entity, allowed_vendors: before, observations, relations }: Entity, vendors: string[]): Promise<void> {
  const rows = { entities: [entity], observations: observations.map((one) => one.id), relations: relations.map((one) => one.id) };
  await loci.graph.setVendors(id, { ...rows, allowed_vendors: vendors });
  changed();
  const uniform = [...observations, ...relations].every((row) => row.allowed_vendors.join() === before.join());
  tell(t("graph.readers.done"), uniform ? async () => {
    await loci.graph.setVendors(id, { ...rows, allowed_vendors: before });
    changed();
  } : undefined);
}

/** Draws a relation. */
export function draw(graph: Graph, { id, from_entity: from, to_entity: to, relation_type: kind }: Relation): void {
  if (tieOf(graph, { id, from_entity: from, to_entity: to, relation_type: kind }) !== undefined || !graph.hasNode(from) || !graph.hasNode(to)) return;
  graph.addEdgeWithKey(id, from, to, { kind });
  for (const end of [from, to]) graph.setNodeAttribute(end, "size", sizeOf(graph.degree(end)));
}

function erase(graph: Graph, relation: Relation): void {
  const key = tieOf(graph, relation);
  if (key !== undefined) graph.dropEdge(key);
}
