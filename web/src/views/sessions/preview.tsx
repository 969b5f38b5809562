import type { ContextPack, ContextReceiptLine, Session } from "@loci-memory/sdk";
import { useEffect, useRef, useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { t } from "../../i18n/index.ts";
import { leave } from "../../leave.ts";
import { legible } from "../../legible.ts";
import { useLoad } from "../../load.ts";
import { addressOf } from "../../router.ts";
import { Shown } from "../../states.tsx";
import { when } from "../../time.ts";
import { label, labels } from "../visibility/groups.ts";

interface Asked {
  goal: string;
  tokens: number;
  as: string;
}

/** What an assistant would get for a goal. The preview is outside of the session, so that the session still gets everything. */
export function Preview({ session }: { session: Session }) {
  const [goal, setGoal] = useState(session.title ?? "");
  const [tokens, setTokens] = useState(1000);
  const [as, setAs] = useState("");
  const [asked, setAsked] = useState<Asked>();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <section aria-label={t("sessions.tab.context")}>
      <p class="hint">{t("sessions.context.help")}</p>
      <form role="search" class="sessions-form" onSubmit={(event) => { event.preventDefault(); if (goal.trim()) setAsked({ goal: goal.trim(), tokens, as }); }}>
        <label class="grow">{t("sessions.goal")}<input ref={field} name="goal" required maxLength={4000} value={goal} onInput={(event) => setGoal(event.currentTarget.value)} onKeyDown={leave} /></label>
        <label>{t("sessions.tokens")}<input type="number" min={200} max={32000} step={100} value={tokens} onInput={(event) => setTokens(Number(event.currentTarget.value))} /></label>
        <label>
          {t("sessions.as")}
          <select value={as} onChange={(event) => setAs(event.currentTarget.value)}>
            <option value="">{t("readers.you")}</option>
            {Object.keys(labels).map((vendor) => <option key={vendor} value={vendor}>{label(vendor)}</option>)}
          </select>
        </label>
        <button class="button primary">{t("sessions.ask")}</button>
      </form>
      {asked && <Pack key={`${asked.goal} ${asked.tokens} ${asked.as}`} asked={asked} session={session} />}
    </section>
  );
}

function Pack({ asked, session }: { asked: Asked; session: Session }) {
  const loaded = useLoad(
    (signal) => loci.recall.context({ goal: asked.goal, max_tokens: asked.tokens, project: session.project_id, format: "json" }, { signal, viewAs: asked.as || undefined }),
    [asked.goal, asked.tokens, asked.as],
  );
  return <Shown of={loaded}>{(pack) => <Lines pack={pack} />}</Shown>;
}

function Lines({ pack }: { pack: ContextPack }) {
  const lines = pack.sections.reduce((n, { items }) => n + items.length, 0);
  return (
    <>
      <p role="status"><strong>{t("sessions.pack", { n: lines, tokens: pack.tokens, most: pack.max_tokens })}</strong> <meter min={0} max={pack.max_tokens} value={pack.tokens} aria-label={t("sessions.tokens")} /></p>
      {pack.partial && <p class="note">{t("sessions.partial")}</p>}
      {lines === 0 && <p class="hint">{t("sessions.pack.none")}</p>}
      {pack.sections.map(({ name, items }) => items.length > 0 && (
        <section key={name} aria-label={t(`sessions.section.${name}`)}>
          <h3>{t(`sessions.section.${name}`)}</h3>
          <ul class="cards">
            {items.map((item) => (
              <li key={item.id}>
                <p class="sessions-text">{legible(item.text)}</p>
                <p class="meta">
                  {[item.origin && legible(item.origin), when(item.time), t(`sessions.reason.${item.reason}`)].filter(Boolean).join(" · ")} {item.kind === "memory" && <a href={addressOf(`memories/${item.id}`)}>{t("sessions.open")}</a>}
                </p>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <section aria-label={t("sessions.receipt")}>
        <h3>{t("sessions.receipt")}</h3>
        <Receipt title={t("sessions.included", { n: pack.receipt.included.length })} lines={pack.receipt.included} />
        <Receipt title={t("sessions.leftOut", { n: pack.receipt.left_out.length + (pack.receipt.more ?? 0) })} lines={pack.receipt.left_out} />
      </section>
      <details>
        <summary>{t("sessions.text")}</summary>
        <pre class="sessions-pre">{legible(pack.context)}</pre>
      </details>
    </>
  );
}

function Receipt({ title, lines }: { title: string; lines: readonly ContextReceiptLine[] }) {
  if (lines.length === 0) return null;
  return (
    <details>
      <summary>{title}</summary>
      <ul class="cards">
        {lines.map((line, i) => (
          <li key={i} class="meta">
            {line.kind === "memory" ? <a href={addressOf(`memories/${line.id}`)}><code>{line.id.slice(0, 8)}</code></a> : <code>{line.id.slice(0, 8)}</code>} {t(`sessions.kind.${line.kind}`)} · {t(`sessions.reason.${line.reason}`)}{line.tokens !== undefined && ` · ${t("sessions.tokensOf", { n: line.tokens })}`}
          </li>
        ))}
      </ul>
    </details>
  );
}
