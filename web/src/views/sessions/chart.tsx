import type { EventStats } from "@loci-memory/sdk";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { language, t } from "../../i18n/index.ts";
import { useStore } from "../../store.ts";
import { theme } from "../../theme.ts";
import { clock, shortWhen, when } from "../../time.ts";
import { barsOf } from "./density.ts";
import { zoomed } from "./zoom.ts";

const height = 130;
const day = 86_400;

/**
 * How dense events are over time. Dragging over a part of it enlarges that part; a double click shows all again. With the keyboard, + and - do so around the
 * middle, the arrows move, and 0 shows all.
 */
export function Chart({ of: { density, total, first, last, partial } }: { of: EventStats }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const colors = useStore(theme);
  const words = useStore(language);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const color = (name: string) => getComputedStyle(element).getPropertyValue(name).trim();
    const axis = { stroke: color("--soft"), grid: { stroke: color("--line"), width: 1 }, ticks: { stroke: color("--line"), width: 1 } };
    const at = (seconds: number) => new Date(seconds * 1000).toISOString();
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: false },
        cursor: { y: false, points: { show: false } },
        scales: { y: { range: (_, __, most) => [0, Math.max(1, most)] } },
        axes: [
          { ...axis, space: 90, values: (_, splits) => splits.map((split) => (splits.at(-1)! - splits[0]! < day ? clock(at(split)) : shortWhen(at(split)))) },
          { ...axis, size: 42, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] },
        ],
        series: [{}, { stroke: color("--accent"), fill: color("--accent"), width: 0, points: { show: false }, paths: uPlot.paths.bars!({ size: [0.9, 40], align: 1 }) }],
      },
      barsOf(density),
      element,
    );
    plot.current = chart;
    const sizes = new ResizeObserver(() => element.clientWidth > 0 && chart.setSize({ width: element.clientWidth, height }));
    sizes.observe(element);
    return () => {
      sizes.disconnect();
      chart.destroy();
    };
  }, [colors, words]);
  const look = (key: string) => {
    const chart = plot.current;
    const all = chart?.data[0];
    const { min, max } = chart?.scales["x"] ?? {};
    if (!chart || !all?.length || min == null || max == null) return false;
    const next = zoomed(key, { min, max }, { min: all[0]!, max: all.at(-1)! });
    if (next) chart.setScale("x", next);
    return next !== undefined;
  };
  useEffect(() => {
    const chart = plot.current;
    const all = chart?.data[0];
    const { min, max } = chart?.scales["x"] ?? {};
    const part = all?.length && min != null && max != null && (min > all[0]! || max < all.at(-1)!);
    chart?.setData(barsOf(density), !part);
    if (part) chart?.setScale("x", { min, max }); // what the person looks at stays, whatever arrives
  }, [density]);
  const text = first && last ? t("sessions.density", { n: total, from: when(first), to: when(last) }) : t("sessions.noEvents");
  return (
    <figure class="sessions-chart">
      <div ref={box} role="img" tabIndex={0} aria-label={text} aria-keyshortcuts="+ - 0 ArrowLeft ArrowRight" onKeyDown={(event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || !look(event.key)) return;
        event.preventDefault();
        event.stopPropagation();
      }} />
      <figcaption class="hint">{text} {t("sessions.density.keys")}{partial && ` ${t("sessions.density.partial")}`}</figcaption>
    </figure>
  );
}
