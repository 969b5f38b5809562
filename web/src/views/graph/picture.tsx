import Sigma from "sigma";
import { EdgeLineProgram, NodePointProgram, type NodeHoverDrawingFunction } from "sigma/rendering";
import { useEffect, useImperativeHandle, useRef, useState } from "preact/hooks";
import type { Ref } from "preact";
import { t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";
import { useStore } from "../../store.ts";
import { theme } from "../../theme.ts";
import { paintOf, type Paint } from "./colors.ts";
import type { Graph, Thing, Tie } from "./model.ts";
import { refine, refined } from "./place.ts";

/** What the drawing points out. */
export interface Shown {
  /** The open entity. */
  open: string;
  /** What stays bright; undefined: everything. */
  bright: ReadonlySet<string> | undefined;
  /** The relations of the path. */
  path: ReadonlySet<string>;
  /** The types that are shown; empty: all. */
  kinds: ReadonlySet<string>;
  slot: ReadonlyMap<string, number>;
}

/** What the keys do with the drawing. */
export interface Lens {
  zoom: (by: number) => void;
  pan: (x: number, y: number) => void;
  whole: () => void;
  to: (id: string) => void;
  /** Shows all of some entities. */
  fit: (ids: Iterable<string>) => void;
}

interface Props {
  graph: Graph;
  shown: Shown;
  lens: Ref<Lens>;
  onOpen: (id: string) => void;
}

/** The graphs whose places are as good as they get. */
const settled = new WeakSet<Graph>();

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const length = () => ({ duration: still() ? 0 : 250 });

/** The drawing of a graph. The list beside it has the same for the keyboard and for screen readers. */
export function Picture({ graph, shown, lens, onOpen }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const sigma = useRef<Sigma<Thing, Tie> | undefined>(undefined);
  const latest = useRef({ shown, onOpen });
  latest.current = { shown, onOpen };
  const [lost, setLost] = useState(() => !hasWebGL());
  const [settling, setSettling] = useState(false);
  const colors = useStore(theme);
  useEffect(() => {
    if (lost || !box.current) return;
    let paint = paintOf(box.current);
    let drawing: Sigma<Thing, Tie>;
    try {
      drawing = sigma.current = new Sigma<Thing, Tie>(graph, box.current, settings(graph, () => paint, () => latest.current.shown));
    } catch {
      setLost(true);
      return;
    }
    drawing.on("clickNode", ({ node }) => latest.current.onOpen(node));
    drawing.on("enterNode", () => box.current?.classList.add("over"));
    drawing.on("leaveNode", () => box.current?.classList.remove("over"));
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const repaint = () => {
      if (box.current) paint = paintOf(box.current);
      drawing.setSetting("labelColor", { color: paint.ink });
    };
    scheme.addEventListener("change", repaint);
    const gone = (event: Event) => event.target instanceof HTMLCanvasElement && setLost(true);
    box.current.addEventListener("webglcontextlost", gone, true);
    const sizes = new ResizeObserver(() => drawing.resize(true).refresh());
    sizes.observe(box.current);
    let stop = () => {};
    if (graph.order > 2 && graph.order <= refined && !settled.has(graph)) {
      setSettling(true);
      stop = refine(graph, !still(), () => {
        settled.add(graph);
        goTo(drawing, graph, latest.current.shown.open);
        setSettling(false);
      });
    }
    box.current.dataset.drawn = String(Math.round(performance.now()));
    const element = box.current;
    return () => {
      stop();
      setSettling(false);
      sizes.disconnect();
      scheme.removeEventListener("change", repaint);
      element.removeEventListener("webglcontextlost", gone, true);
      drawing.kill();
      sigma.current = undefined;
    };
  }, [graph, lost, colors]);
  useEffect(() => void sigma.current?.refresh({ schedule: true, skipIndexation: true }), [shown]);
  useImperativeHandle(lens, (): Lens => ({
    zoom: (by) => void sigma.current?.getCamera().animate({ ratio: sigma.current.getCamera().ratio / by }, length()),
    pan: (x, y) => {
      const camera = sigma.current?.getCamera();
      if (camera) void camera.animate({ x: camera.x + x * camera.ratio, y: camera.y + y * camera.ratio }, length());
    },
    whole: () => void sigma.current?.getCamera().animatedReset(length()),
    to: (id) => goTo(sigma.current, graph, id),
    fit: (ids) => fitTo(sigma.current, graph, ids),
  }), [graph, lost]);
  if (lost) return <p class="note graph-lost" role="status">{t("graph.noWebGL")}</p>;
  return (
    <>
      <div class="graph-picture" ref={box} role="img" aria-label={t("graph.picture", { n: graph.order, relations: graph.size })} />
      {settling && <p class="graph-settling hint" role="status">{t("graph.settling")}</p>}
    </>
  );
}

/** Moves an entity into the middle. Its place is taken from the graph, because the drawing may not have been drawn again yet. */
function goTo(drawing: Sigma<Thing, Tie> | undefined, graph: Graph, id: string): void {
  if (!drawing || !graph.hasNode(id)) return;
  const camera = drawing.getCamera();
  const { x, y } = drawing.viewportToFramedGraph(drawing.graphToViewport(graph.getNodeAttributes(id)));
  if (Number.isFinite(x) && Number.isFinite(y)) void camera.animate({ x, y, ratio: Math.min(camera.ratio, closeTo(graph)) }, length());
}

function fitTo(drawing: Sigma<Thing, Tie> | undefined, graph: Graph, ids: Iterable<string>): void {
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const id of ids) {
    if (!drawing || !graph.hasNode(id)) continue;
    const { x, y } = drawing.viewportToFramedGraph(drawing.graphToViewport(graph.getNodeAttributes(id)));
    [left, right, low, high] = [Math.min(left, x), Math.max(right, x), Math.min(low, y), Math.max(high, y)];
  }
  if (!Number.isFinite(left) || !Number.isFinite(low)) return;
  const ratio = Math.min(1.2, Math.max(0.02, 1.5 * Math.max(right - left, high - low)));
  void drawing?.getCamera().animate({ x: (left + right) / 2, y: (low + high) / 2, ratio }, length());
}

/** How near the drawing goes to an entity: so that some hundreds are in sight. */
function closeTo(graph: Graph): number {
  return Math.min(1, Math.sqrt(150 / Math.max(150, graph.order)) * 1.5);
}

function hasWebGL(): boolean {
  try {
    return document.createElement("canvas").getContext("webgl2") !== null;
  } catch {
    return false;
  }
}

function settings(graph: Graph, paint: () => Paint, shown: () => Shown) {
  const large = graph.order > 8000;
  const fast = graph.order > 1500 || graph.size > 3000;
  return {
    allowInvalidContainer: true,
    defaultEdgeType: fast ? "line" : "arrow",
    // Without a GPU, points and lines without width are drawn ten times as fast as circles and bars.
    ...(fast && { nodeProgramClasses: { circle: NodePointProgram<Thing, Tie> }, edgeProgramClasses: { line: EdgeLineProgram<Thing, Tie> } }),
    hideEdgesOnMove: large,
    hideLabelsOnMove: large,
    labelRenderedSizeThreshold: graph.order < 60 ? 0 : 6,
    labelDensity: 0.6,
    labelFont: "system-ui, sans-serif",
    labelSize: 12,
    labelColor: { color: paint().ink },
    minCameraRatio: 0.002,
    maxCameraRatio: 4,
    minEdgeThickness: large ? 0.5 : 1.5,
    stagePadding: graph.order < 5 ? 150 : 60, // few things stay in the middle, not in the corners
    zIndex: true,
    defaultDrawNodeHover: hover(paint),
    nodeReducer: (id: string, { kind, label, ...data }: Thing) => {
      const { open, bright, kinds, slot } = shown();
      const { kinds: colors, other, faint } = paint();
      const dim = bright !== undefined && !bright.has(id);
      const color = colors[slot.get(kind) ?? colors.length] ?? other;
      return {
        ...data, label: dim ? null : short(label), color: dim ? faint : color, hidden: kinds.size > 0 && !kinds.has(kind),
        size: data.size * (large ? 0.6 : graph.order < 500 ? 2 : 1), highlighted: id === open, forceLabel: id === open || (bright?.size ?? 99) < 30, zIndex: dim ? 0 : 1,
      };
    },
    edgeReducer: (id: string) => {
      const { bright, path } = shown();
      const { edge, faint, accent } = paint();
      if (path.has(id)) return { color: accent, size: 4, zIndex: 2 };
      const [source, target] = bright ? graph.extremities(id) : [];
      const dim = bright !== undefined && !(bright.has(source!) && bright.has(target!));
      return { color: dim ? faint : edge, size: large ? 0.5 : 2, zIndex: dim ? 0 : 1 };
    },
  };
}

function short(text: string): string {
  return legible(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/** Draws the name of an entity on a ground of the colour of the page. */
function hover(paint: () => Paint): NodeHoverDrawingFunction<Thing, Tie> {
  return (context, data, { labelSize, labelFont }) => {
    const { card, ink, accent } = paint();
    context.beginPath();
    context.arc(data.x, data.y, data.size + 3, 0, 2 * Math.PI);
    context.lineWidth = 3;
    context.strokeStyle = accent;
    context.stroke();
    if (!data.label) return;
    context.font = `600 ${labelSize}px ${labelFont}`;
    const wide = context.measureText(data.label).width;
    context.fillStyle = card;
    context.fillRect(data.x + data.size + 5, data.y - labelSize * 0.8, wide + 8, labelSize * 1.6);
    context.fillStyle = ink;
    context.fillText(data.label, data.x + data.size + 9, data.y + labelSize / 3);
  };
}
