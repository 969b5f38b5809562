import type { Project } from "@loci-memory/sdk";
import { useEffect, useRef, useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { legible } from "../../legible.ts";
import { useLoad } from "../../load.ts";
import { addressOf, go, usePlace } from "../../router.ts";
import { Empty, Failed, Shown } from "../../states.tsx";
import { everything, queryOf, type Look } from "../memories/look.ts";
import { cellName, useOwn, useRest, useVendors, type OfVendor } from "./counts.ts";
import { countOf, groups, label, labels, lookOfCell, ordered, valuesOf, type Group } from "./groups.ts";
import type { Counted } from "./matter.ts";
import { NarrowDialog } from "./narrow.tsx";

/** How many lines the matrix has at first. */
const few = 25;

/** The address of what a vendor gets, or does not get, of some memories. */
export function addressOfCell(vendor: string, look: Look, list: "visible" | "hidden", id = ""): string {
  const query = queryOf({ ...look, reader: "", hidden: "" });
  if (list === "hidden") query.set("list", "hidden");
  return addressOf(`visibility/${vendor}${id && `/${id}`}`, query);
}

/** The name of a value of a group, for a person. */
export function valueName(group: Group, value: string, projects: readonly Project[]): string {
  if (group === "scope") return t(`see.scope.${value as "global" | "project" | "agent"}`);
  if (group === "project") return legible(projects.find(({ id }) => id === value)?.name ?? value.slice(0, 8));
  return legible(group === "tag" ? `#${value}` : value);
}

/** Vendors by groups of memories: how many each vendor gets, and how many are hidden from it. */
export function Matrix() {
  const place = usePlace();
  const group = groups.find((name) => name === place.query.get("by")) ?? "origin";
  const own = useOwn();
  const projects = useLoad((signal) => loci.projects.list({ status: "all", limit: 200 }, { signal }).then(({ projects }) => projects).catch(() => []), []);
  const show = (by: Group) => go(addressOf("visibility", by === "origin" ? {} : { by }));
  useKeys(groups.map((name, i) => ({ key: String(i + 1), help: t(`see.by.${name}`), run: () => show(name) })));
  return (
    <div class="see">
      <div class="see-bar">
        <h1>{t("see.title")}</h1>
        <div class="tabs" role="group" aria-label={t("see.by")}>
          {groups.map((name) => <button key={name} type="button" aria-pressed={name === group} onClick={() => show(name)}>{t(`see.by.${name}`)}</button>)}
        </div>
      </div>
      <Shown of={own}>
        {(counted) => counted.own.total === 0 ? (
          <Empty title={t("see.empty")}><p>{t("see.empty.text")}</p><a class="button" href={addressOf("memories")}>{t("notFound.home")}</a></Empty>
        ) : (
          <Table counted={counted} group={group} projects={projects.value ?? []} />
        )}
      </Shown>
    </div>
  );
}

function Table({ counted, group, projects }: { counted: Counted; group: Group; projects: readonly Project[] }) {
  const [every, setEvery] = useState(counted.vendors.length === 0);
  const [n, setN] = useState(few);
  const [narrowing, setNarrowing] = useState<{ vendor: string; look: Look }>();
  const vendors = every ? ordered([...counted.vendors, ...Object.keys(labels)]) : counted.vendors;
  const { of, again } = useVendors(vendors, counted.own);
  const all = valuesOf(counted.own, group);
  const shown = all.slice(0, n);
  const rest = useRest(group, shown.map(({ value }) => value), vendors, of);
  const table = useRef<HTMLTableElement>(null);
  useEffect(() => setN(few), [group]);
  const others = Object.keys(labels).filter((vendor) => !counted.vendors.includes(vendor)).length;
  const move = (down: number, right: number) => moveIn(table.current, down, right);
  const narrowHere = () => {
    const cell = (document.activeElement as HTMLElement | null)?.closest<HTMLElement>("td[data-vendor]");
    if (!cell || !table.current?.contains(cell)) return;
    const { vendor = "", value } = cell.dataset;
    setNarrowing({ vendor, look: value === undefined ? everything : lookOfCell(group, value) });
  };
  useKeys([
    { key: "j", help: t("see.keys.down"), run: () => move(1, 0) },
    { key: "k", help: t("see.keys.up"), run: () => move(-1, 0) },
    { key: "h", help: t("see.keys.left"), run: () => move(0, -1) },
    { key: "l", help: t("see.keys.right"), run: () => move(0, 1) },
    { key: "ArrowDown", help: "", run: () => move(1, 0) },
    { key: "ArrowUp", help: "", run: () => move(-1, 0) },
    { key: "ArrowLeft", help: "", run: () => move(0, -1) },
    { key: "ArrowRight", help: "", run: () => move(0, 1) },
    { key: "x", help: t("see.keys.narrow"), run: narrowHere },
    { key: "v", help: t("see.keys.vendors"), run: () => setEvery((on) => !on) },
  ]);
  const cell = (vendor: string, look: Look, total: number, value?: string) => {
    const known = of(vendor);
    const seen = value === undefined ? (known && "counted" in known ? known.counted.total : undefined) : seenOf(known, group, vendor, value, rest);
    return <Cell key={vendor} vendor={vendor} value={value} look={look} total={total} seen={seen} failed={known !== undefined && "error" in known} />;
  };
  const failed = vendors.map(of).find((known) => known && "error" in known);
  return (
    <div class="see-body">
      <p class="hint">{t("see.help")}</p>
      {failed && "error" in failed && <Failed error={failed.error} retry={again} />}
      <div class="see-scroll" tabIndex={0} role="region" aria-label={t("see.title")}>
        <table class="see-table" ref={table}>
          <caption class="hidden">{t("see.caption", { by: t(`see.by.${group}`) })}</caption>
          <thead>
            <tr>
              <th scope="col">{t(`see.by.${group}`)}</th>
              {vendors.map((vendor) => (
                <th key={vendor} scope="col"><a href={addressOfCell(vendor, everything, "visible")} title={t("see.viewAs", { vendor: legible(label(vendor)) })}>{legible(label(vendor))}</a></th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr class="see-total">
              <th scope="row">{t("see.all")} <span class="count">{t("see.number", { count: counted.own.total })}</span></th>
              {vendors.map((vendor) => cell(vendor, everything, counted.own.total))}
            </tr>
            {shown.map(({ value, count }) => (
              <tr key={value}>
                <th scope="row">{valueName(group, value, projects)} <span class="count">{t("see.number", { count })}</span></th>
                {vendors.map((vendor) => cell(vendor, lookOfCell(group, value), count, value))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {all.length === 0 && <p class="hint">{t("see.none")}</p>}
      <div class="actions">
        {all.length > n && <button type="button" class="button" onClick={() => setN(n + 3 * few)}>{t("see.more", { n: all.length - n })}</button>}
        {(others > 0 || every) && <button type="button" class="button" aria-pressed={every} onClick={() => setEvery(!every)}>{t(every ? "see.fewer" : "see.others", { n: others })}</button>}
      </div>
      {all.length === 100 && <p class="hint">{t("see.cut")}</p>}
      {narrowing && <NarrowDialog vendor={narrowing.vendor} of={{ look: { ...narrowing.look, reader: narrowing.vendor } }} vendors={vendors} onClose={() => setNarrowing(undefined)} onDone={() => undefined} />}
    </div>
  );
}

function seenOf(known: OfVendor, group: Group, vendor: string, value: string, rest: ReadonlyMap<string, number>): number | undefined {
  if (!known || !("counted" in known)) return undefined;
  return countOf(known.counted, group, value) ?? rest.get(cellName(vendor, value));
}

/** Both numbers of a cell: what the vendor gets, and what is hidden from it. */
function Cell({ vendor, value, look, total, seen, failed }: { vendor: string; value: string | undefined; look: Look; total: number; seen: number | undefined; failed: boolean }) {
  if (seen === undefined) return <td data-vendor={vendor} data-value={value}><span class="hint">{failed ? "?" : "…"}</span></td>;
  const hidden = Math.max(0, total - seen);
  const name = { vendor: legible(label(vendor)), seen, hidden, total };
  return (
    <td data-vendor={vendor} data-value={value} class={seen === 0 ? "none" : hidden === 0 ? "every" : "some"}>
      <a href={addressOfCell(vendor, look, "visible")} aria-label={t("see.cell", name)}>{t("see.number", { count: seen })}</a>
      {hidden > 0 && <a class="see-hidden" href={addressOfCell(vendor, look, "hidden")} aria-label={t("see.cell.hidden", name)}>{t("see.hidden", { count: hidden })}</a>}
    </td>
  );
}

/** Moves the focus between the cells. */
function moveIn(table: HTMLTableElement | null, down: number, right: number): void {
  const rows = [...(table?.tBodies[0]?.rows ?? [])].map((row) => [...row.cells].slice(1).map((cell) => cell.querySelector("a")));
  if (rows.length === 0) return;
  const active = document.activeElement;
  const y = rows.findIndex((row) => row.some((link) => link !== null && link.closest("td")?.contains(active)));
  const x = y < 0 ? -1 : rows[y]!.findIndex((link) => link?.closest("td")?.contains(active));
  const within = (at: number, n: number) => Math.max(0, Math.min(n - 1, at));
  const next = y < 0 ? rows[0]![0] : rows[within(y + down, rows.length)]![within(x + right, rows[0]!.length)];
  next?.focus();
  next?.scrollIntoView({ block: "nearest", inline: "nearest" });
}
