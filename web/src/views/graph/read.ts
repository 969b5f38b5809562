import type { Project } from "@loci-memory/sdk";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { cutOff, loci } from "../../api.ts";
import { concerns, useChanges } from "../../live.ts";
import { Builder, type Chunk, type Graph } from "./model.ts";
import { place } from "./place.ts";

/** A graph that is read, or on its way. */
export interface Whole {
  project?: Project | undefined;
  graph?: Graph | undefined;
  /** How many entities are read so far. */
  read: number;
  loading: boolean;
  error?: unknown;
  /** Another has changed the graph since it was read. */
  stale: boolean;
  reload: () => void;
  /** This page has changed the graph, and its drawing. */
  changed: () => void;
}

/** For how many milliseconds after a change of this page a change that leaves the number of entities as it is counts as its own. */
const own = 3000;

/** Above, the graph is read again only if the person asks. */
const small = 5000;

/** Reads the whole graph of a project, in its compact form, and follows its changes. */
export function useGraph(id: string): Whole {
  const [state, setState] = useState<Omit<Whole, "reload" | "changed">>({ read: 0, loading: true, stale: false });
  const [turn, setTurn] = useState(0);
  const latest = useRef(state);
  latest.current = state;
  const reload = useCallback(() => setTurn((n) => n + 1), []);
  useEffect(() => {
    const ends = new AbortController();
    setState((old) => (old.project?.id === id ? { ...old, loading: true, error: undefined } : { read: 0, loading: true, stale: false }));
    readAll(id, ends.signal, (read) => setState((old) => ({ ...old, read }))).then(
      ({ project, graph }) => !ends.signal.aborted && setState({ project, graph, read: graph.order, loading: false, stale: false }),
      (error: unknown) => !ends.signal.aborted && setState((old) => ({ ...old, loading: false, error })),
    );
    return () => ends.abort();
  }, [id, turn]);
  const last = useRef(-own);
  const changed = useCallback(() => void (last.current = performance.now()), []);
  const owed = useRef(false);
  const look = async () => {
    const { graph, loading, error } = latest.current;
    owed.current = loading; // what is being read may be older
    if (!graph || loading || error !== undefined) return;
    if (performance.now() < last.current + own) {
      const page = await loci.graph.read(id, { limit: 1 }).catch(() => undefined);
      if (!page || page.entities.length + page.entities_left === graph.order) return;
    }
    if (graph.order <= small) reload();
    else setState((old) => ({ ...old, stale: true }));
  };
  useEffect(() => void (!state.loading && owed.current && look()), [state.loading]);
  useChanges("graph", (changes) => void (concerns(changes, id) && look()));
  return { ...state, reload, changed };
}

async function readAll(id: string, signal: AbortSignal, told: (read: number) => void): Promise<{ project: Project; graph: Graph }> {
  const project = await loci.projects.get(id, { signal });
  const graph = await draw(id, signal, told).catch((error: unknown) => { throw cutOff(error); });
  place(graph);
  return { project, graph };
}

async function draw(id: string, signal: AbortSignal, told: (read: number) => void): Promise<Graph> {
  const built = new Builder();
  for await (const line of (await loci.graph.draw(id, { signal })).lines()) {
    built.add(line as Chunk);
    told(built.graph.order);
  }
  return built.done();
}
