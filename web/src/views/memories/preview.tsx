import type { Asset } from "@loci-memory/sdk";
import { useEffect, useRef } from "preact/hooks";
import { language, t } from "../../i18n/index.ts";
import { legible } from "../../legible.ts";
import { useLoad } from "../../load.ts";
import { Failed, Loading, Shown } from "../../states.tsx";
import { useStore } from "../../store.ts";
import { Broken, largest, lookOf, most, readPicture, readText } from "./preview.ts";

/** A look into a file. The page draws pictures from their points and has texts as texts: no file is ever a part of it. */
export function Preview({ asset }: { asset: Asset }) {
  switch (lookOf(asset)) {
    case "picture":
      return <Picture asset={asset} />;
    case "text":
      return <Text asset={asset} />;
    case "large":
      return <p class="hint" role="status">{t("preview.large", { size: bytes(asset.size), most: bytes(largest) })}</p>;
    default:
      return <p class="hint" role="status">{t("preview.none")}</p>;
  }
}

function Text({ asset }: { asset: Asset }) {
  const file = useLoad((signal) => readText(asset, signal), [asset.id]);
  return (
    <Shown of={file}>
      {({ text, more }) => text === "" ? <p class="hint" role="status">{t("preview.empty")}</p> : (
        <>
          <pre class="preview" tabIndex={0} role="region" aria-label={t("preview.text", { name: legible(asset.name) })}>{legible(text)}</pre>
          {more && <p class="hint">{t("preview.more", { n: most })}</p>}
        </>
      )}
    </Shown>
  );
}

function Picture({ asset }: { asset: Asset }) {
  const { value, error, loading, reload } = useLoad((signal) => readPicture(asset, signal), [asset.id]);
  useEffect(() => () => value?.close(), [value]);
  if (error instanceof Broken) return <p class="hint" role="alert">{t("preview.broken")}</p>;
  if (error !== undefined && !loading) return <Failed error={error} retry={reload} />;
  return value ? <Drawn bitmap={value} asset={asset} /> : <Loading />;
}

function Drawn({ bitmap, asset }: { bitmap: ImageBitmap; asset: Asset }) {
  useStore(language);
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(() => ref.current?.getContext("2d")?.drawImage(bitmap, 0, 0), [bitmap]);
  return <canvas ref={ref} class="preview" role="img" width={bitmap.width} height={bitmap.height} aria-label={t("preview.picture", { name: legible(asset.name), size: bytes(asset.size) })} />;
}

/** The size of a file, for people. */
export function bytes(size: number): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
  const step = Math.min(units.length - 1, size < 1 ? 0 : Math.floor(Math.log10(size) / 3));
  return new Intl.NumberFormat(language.get(), { style: "unit", unit: units[step]!, unitDisplay: "short", maximumFractionDigits: 1 }).format(size / 1000 ** step);
}
