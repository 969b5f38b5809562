import type { Asset, Source } from "@loci-memory/sdk";
import { useRef, useState } from "preact/hooks";
import { loci } from "../../api.ts";
import { t } from "../../i18n/index.ts";
import { useKeys } from "../../keys.ts";
import { legible } from "../../legible.ts";
import { useFollow } from "../../live.ts";
import { useLoad } from "../../load.ts";
import { safeAddress } from "../../markdown-parse.ts";
import { Failed } from "../../states.tsx";
import { when } from "../../time.ts";
import { bytes, Preview } from "./preview.tsx";
import { passage } from "./quote.ts";

/** Where a memory comes from, with the passages that support it. */
export function Sources({ id }: { id: string }) {
  const { value, error, reload } = useLoad((signal) => loci.sources.list(id, { signal }), [id]);
  useFollow("memory", reload, id);
  if (!value) return error === undefined ? null : <Failed error={error} retry={reload} />;
  if (value.sources.length === 0) return null;
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
        <span class="tag">{t(`sources.${source.kind}`)}</span> {legible(source.origin)} · <time dateTime={source.created_at}>{when(source.created_at)}</time>
        {source.ref && (href ? <> · <a href={href} rel="noopener noreferrer nofollow" target="_blank">{legible(source.ref)}</a></> : <> · <code>{legible(source.ref)}</code></>)}
      </p>
      {(quote || before || after) && <blockquote class="quote">{before}{quote && <mark>{quote}</mark>}{after}</blockquote>}
    </>
  );
}

/** The files of a memory: to look into, one at a time, and to download. */
export function Attachments({ id }: { id: string }) {
  const { value, error, reload } = useLoad((signal) => loci.assets.list(id, { signal }), [id]);
  useFollow("memory", reload, id);
  const [open, setOpen] = useState("");
  const list = useRef<HTMLUListElement>(null);
  const assets = value?.assets ?? [];
  useKeys([
    {
      key: "v",
      help: assets.length > 0 ? t("preview.key") : "",
      run: () => {
        const next = assets.findIndex((asset) => asset.id === open) + 1;
        setOpen(assets[next]?.id ?? "");
        list.current?.querySelectorAll<HTMLElement>("button[aria-expanded]")[next]?.focus();
      },
    },
  ]);
  if (!value) return error === undefined ? null : <Failed error={error} retry={reload} />;
  if (assets.length === 0) return null;
  return (
    <section aria-label={t("assets.title")}>
      <h3>{t("assets.title")}</h3>
      <ul class="cards" ref={list}>
        {assets.map((asset) => <li key={asset.id}><OneAsset asset={asset} open={asset.id === open} onOpen={() => setOpen(asset.id === open ? "" : asset.id)} /></li>)}
      </ul>
    </section>
  );
}

function OneAsset({ asset, open, onOpen }: { asset: Asset; open: boolean; onOpen: () => void }) {
  const name = legible(asset.name);
  return (
    <>
      <a href={`/api/v1/assets/${encodeURIComponent(asset.id)}/content`} download={asset.name}>{name}</a>
      <p class="meta">{legible(asset.media_type)} · {bytes(asset.size)} · {asset.origin} · <time dateTime={asset.created_at}>{when(asset.created_at)}</time></p>
      <button type="button" class="button" aria-expanded={open} aria-label={t(open ? "preview.hide.of" : "preview.show.of", { name })} onClick={onOpen}>{t(open ? "preview.hide" : "preview.show")}</button>
      {open && <Preview asset={asset} />}
    </>
  );
}
