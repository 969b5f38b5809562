import { useEffect, useState } from "preact/hooks";
import { t } from "../../i18n/index.ts";
import { fromField, toField, when } from "../../time.ts";

/** How far back the slider reaches, in hours. */
const spans = { day: 24, week: 7 * 24, month: 30 * 24, year: 365 * 24 } as const;
type Span = keyof typeof spans;

/** How many steps the slider has. */
const steps = 200;
const hour = 3_600_000;

/** Chooses the time as of whose knowledge a list is shown. onAt gets "" for now. */
export function KnownAt({ at, onAt }: { at: string; onAt: (at: string) => void }) {
  const [span, setSpan] = useState<Span>(() => spanOf(at));
  const [step, setStep] = useState(() => stepOf(at, span));
  useEffect(() => setStep(stepOf(at, span)), [at, span]);
  const choose = (next: number) => onAt(next >= steps ? "" : new Date(Date.now() - ((steps - next) / steps) * spans[span] * hour).toISOString());
  const shown = at ? when(at) : t("time.now");
  return (
    <div class="known" role="group" aria-label={t("time.slider")}>
      <label>
        {t("time.known")}
        <input type="range" min={0} max={steps} value={step} aria-valuetext={shown} onInput={(event) => setStep(Number(event.currentTarget.value))} onChange={(event) => choose(Number(event.currentTarget.value))} />
      </label>
      <select aria-label={t("time.span")} value={span} onChange={(event) => setSpan(event.currentTarget.value as Span)}>
        {(Object.keys(spans) as Span[]).map((name) => <option key={name} value={name}>{t(`time.span.${name}`)}</option>)}
      </select>
      <input type="datetime-local" aria-label={t("time.exact")} max={toField(new Date().toISOString())} value={toField(at)} onChange={(event) => onAt(past(fromField(event.currentTarget.value)))} />
      <button type="button" class="button" disabled={!at} onClick={() => onAt("")}>{t("time.now")}</button>
      <p class="hint" role="status">{at ? t("time.asKnown", { time: shown }) : t("time.isNow")}</p>
    </div>
  );
}

/** The API knows no other future than as_of. */
function past(at: string | undefined): string {
  return at && Date.parse(at) < Date.now() ? at : "";
}

function spanOf(at: string): Span {
  const ago = at ? (Date.now() - Date.parse(at)) / hour : 0;
  return (Object.keys(spans) as Span[]).find((name) => ago <= spans[name]) ?? "year";
}

function stepOf(at: string, span: Span): number {
  if (!at) return steps;
  return Math.max(0, Math.round(steps - ((Date.now() - Date.parse(at)) / (spans[span] * hour)) * steps));
}
