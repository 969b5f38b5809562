// What the types must accept and reject. It is compiled, not run.
import type { Download, Loci, Memory, Replayed, Saved } from "@loci-memory/sdk";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(ok: Same<A, B>): boolean => ok;

export async function types(loci: Loci, key: string | undefined): Promise<void> {
  const saved = await loci.memories.create({ content: "x" });
  same<typeof saved, Saved>(true);
  const once = await loci.memories.create({ content: "x" }, { idempotencyKey: "k" });
  same<typeof once, Saved | Replayed>(true);
  const got = await loci.memories.get("id", {}, { ifNoneMatch: 1 });
  same<typeof got, Memory | null>(true);
  const trashed = await loci.memories.trash("id", { permanent: true });
  same<typeof trashed, void>(true);
  const text = await loci.recall.briefing({ format: "markdown" });
  same<typeof text, string>(true);
  const file = await loci.assets.content("id", { offset: 1 });
  same<typeof file, Download>(true);
  for await (const memory of loci.memories.all()) same<typeof memory, Memory>(true);
  await loci.memories.edit("id", { category: null, title: undefined });
  await loci.nodes.addItem("id", { kind: "text", text: "x" });

  // @ts-expect-error a key that may be missing could make the answer Replayed
  await loci.memories.create({ content: "x" }, { idempotencyKey: key });
  const named = { idempotencyKey: "k", timeout: 1 };
  const also = await loci.memories.create({ content: "x" }, named);
  same<typeof also, Saved | Replayed>(true);
  // @ts-expect-error there is no such field
  await loci.memories.create({ content: "x", titel: "y" });
  // @ts-expect-error there is no such value
  await loci.memories.create({ content: "x", memory_type: "fact" });
  // @ts-expect-error content cannot be cleared
  await loci.memories.edit("id", { content: null });
  // @ts-expect-error an item of kind text has no memory
  await loci.nodes.addItem("id", { kind: "text", memory_id: "m" });
  // @ts-expect-error there is no such parameter
  await loci.tasks.list({ status: "open" });
  // @ts-expect-error a route without versions takes no ifMatch
  await loci.projects.edit("id", { name: "x" }, { ifMatch: 1 });
  // @ts-expect-error there is no such option
  await loci.memories.create({ content: "x" }, { idempotencykey: "k" });
}
