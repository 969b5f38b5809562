import { useEffect, useMemo } from "preact/hooks";
import { identity, isAdmin, loci } from "../../api.ts";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { useFollow } from "../../live.ts";
import { useLoad } from "../../load.ts";
import { number } from "../../numbers.ts";
import { addressOf, go, usePlace } from "../../router.ts";
import { useStore } from "../../store.ts";
import { Candidates } from "./candidates.tsx";
import { Receipts } from "./dream.tsx";
import { lists, lookOf, queryOf, type Look } from "./look.ts";
import { counts } from "./pages.ts";
import { suggestionCount, Suggestions } from "./suggestions.tsx";
import "./inbox.css";

/** What waits for a person's decision, and what was decided. */
export default function Inbox() {
  const place = usePlace();
  const asked = useMemo(() => lookOf(place.query), [place.query.toString()]);
  const who = useStore(identity);
  const shown = lists.filter((list) => list !== "dream" || isAdmin(who));
  const look: Look = who && !shown.includes(asked.list) ? { ...asked, list: shown[0]! } : asked;
  const open = place.path.split("/")[1] ?? "";
  const tab = (list: Look["list"]) => addressOf("inbox", queryOf({ ...look, list }));
  useKeys(shown.map((list, i) => ({ key: String(i + 1), help: t(`inbox.list.${list}`), run: () => go(tab(list)) })));
  useCounts(look.list !== "suggestions" && look.list !== "dream");
  const known: Record<string, number | string> = { ...useStore(counts), suggestions: useStore(suggestionCount) };
  return (
    <div class="inbox">
      <h1 class="hidden">{t("inbox.title")}</h1>
      <nav class="inbox-tabs" aria-label={t("inbox.title")}>
        {shown.map((list) => (
          <a key={list} href={tab(list)} aria-current={list === look.list ? "page" : undefined}>
            {t(`inbox.list.${list}`)}{list !== "dream" && known[list] ? <span class="count">{shownCount(known[list])}</span> : null}
          </a>
        ))}
      </nav>
      {look.list === "suggestions" ? <Suggestions open={open} /> : look.list === "dream" ? who && <Receipts open={open} /> : <Candidates look={look} open={open} />}
    </div>
  );
}

/** Counts what waits in the lists that are not shown. Candidates that are shown are counted with them. */
function useCounts(candidatesShown: boolean): void {
  const { value, reload } = useLoad(
    (signal) => Promise.all([loci.review.list({ limit: 1 }, { signal }), loci.suggestions.list({ state: "pending", limit: 100 }, { signal })]),
    [],
  );
  useFollow(["candidate", "suggestion"], reload);
  useEffect(() => {
    if (!value) return;
    const [candidates, { suggestions, has_more }] = value;
    if (!candidatesShown || Object.keys(counts.get()).length === 0) counts.set(candidates.counts);
    suggestionCount.set(`${suggestions.length || ""}${has_more ? "+" : ""}`);
  }, [value]);
}

function shownCount(n: number | string): string {
  return typeof n === "number" ? number(n) : n;
}
