import type { Asset, Source } from "@loci-memory/sdk";
import { loci } from "../../api.ts";
import { language, t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";
import { useLoad } from "../../load.ts";
import { safeAddress } from "../../markdown-parse.ts";
import { Failed } from "../../states.tsx";
import { when } from "../../time.ts";
import { passage } from "./quote.ts";

/** Where a memory comes from, with the passages that support it. */
export function Sources({ id }: { id: string }) {
  const { value, error, reload } = useLoad((signal) => loci.sources.list(id, { signal }), [id]);
  if (error !== undefined) return <Failed error={error} retry={reload} />;
  if (!value || value.sources.length === 0) return null;
  return (
    <section aria-label={t("sources.title")}>
      <h3>{t("sources.title")}</h3>
      <ul class="cards">{value.sources.map((source) => <li key={source.id}><OneSource source={source} /></li>)}</ul>
      {value.has_more && <p class="hint">{t("sources.more", { n: value.sources.length })}</p>}
    </section>
  );
}

function OneSource({ source }: { source: Source }) {
  const href = source.kind === "url" ? safeAddress(source.ref ?? "") : "";
  const { before, quote, after } = passage(source);
  return (
    <>
      <p class="meta">
        <span class="tag">{t(`sources.${source.kind}`)}</span> {source.origin} · <time dateTime={source.created_at}>{when(source.created_at)}</time>
        {source.ref && (href ? <> · <a href={href} rel="noopener noreferrer nofollow" target="_blank">{legible(source.ref)}</a></> : <> · <code>{legible(source.ref)}</code></>)}
      </p>
      {(quote || before || after) && <blockquote class="quote">{before}{quote && <mark>{quote}</mark>}{after}</blockquote>}
    </>
  );
}

/** The files of a memory. They are only downloaded: nothing of them is shown on this page. */
export function Attachments({ id }: { id: string }) {
  const { value, error, reload } = useLoad((signal) => loci.assets.list(id, { signal }), [id]);
  if (error !== undefined) return <Failed error={error} retry={reload} />;
  if (!value || value.assets.length === 0) return null;
  return (
    <section aria-label={t("assets.title")}>
      <h3>{t("assets.title")}</h3>
      <ul class="cards">{value.assets.map((asset) => <li key={asset.id}><OneAsset asset={asset} /></li>)}</ul>
    </section>
  );
}

function OneAsset({ asset }: { asset: Asset }) {
  return (
    <>
      <a href={`/api/v1/assets/${encodeURIComponent(asset.id)}/content`} download={asset.name}>{legible(asset.name)}</a>
      <p class="meta">{legible(asset.media_type)} · {bytes(asset.size)} · {asset.origin} · <time dateTime={asset.created_at}>{when(asset.created_at)}</time></p>
    </>
  );
}

function bytes(size: number): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
  const step = Math.min(units.length - 1, size < 1 ? 0 : Math.floor(Math.log10(size) / 3));
  return new Intl.NumberFormat(language.get(), { style: "unit", unit: units[step]!, unitDisplay: "short", maximumFractionDigits: 1 }).format(size / 1000 ** step);
}
