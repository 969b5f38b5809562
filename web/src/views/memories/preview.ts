import type { Asset } from "@loci-memory/sdk";
import { loci } from "../../api.ts";

/** The pictures that a preview draws. Nothing else of a file is ever decoded. */
const pictures = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"];

/** What is text by its name, besides text/*. */
const texts = /^(application\/(json|jsonl|x-ndjson|xml|yaml|x-yaml|toml|javascript|ecmascript|typescript|sql|graphql|x-sh)|message\/rfc822|[^/]+\/[^/]+\+(json|xml))$/;

/** The largest file that a preview reads, in bytes. */
export const largest = 10_000_000;

/** How many characters of a text a preview has. */
export const most = 4000;

/** The longest side of a picture in a preview, in pixels. */
const side = 640;

/** What a preview can show of a file. */
export type Look = "picture" | "text" | "large" | "none";

/** Tells what a preview can show of a file. Pages and drawings (HTML, SVG) are text. */
export function lookOf({ media_type, size }: Pick<Asset, "media_type" | "size">): Look {
  const type = typeOf(media_type);
  const look = pictures.includes(type) ? "picture" : type.startsWith("text/") || texts.test(type) ? "text" : "none";
  return look !== "none" && size > largest ? "large" : look;
}

/** A media type without its parameters. */
function typeOf(mediaType: string): string {
  return mediaType.split(";")[0]!.trim().toLowerCase();
}

/** The beginning of a text, and whether there is more of it. */
export interface Beginning {
  text: string;
  more: boolean;
}

/** Reads the beginning of a text file. It stops the download there. */
export async function readText(asset: Asset, signal: AbortSignal): Promise<Beginning> {
  const reader = (await loci.assets.content(asset.id, { signal })).stream().getReader();
  const decoder = decoderOf(asset.media_type);
  let text = "";
  try {
    while (text.length <= 2 * most) {
      const { done, value } = await reader.read();
      text += done ? decoder.decode() : decoder.decode(value, { stream: true });
      if (done) break;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
  return beginningOf(text);
}

/** The first characters of a text. None is cut in two. */
export function beginningOf(text: string): Beginning {
  const chars = [...text.slice(0, 2 * most + 2)];
  return { text: chars.slice(0, most).join(""), more: chars.length > most };
}

function decoderOf(mediaType: string): TextDecoder {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(mediaType)?.[1];
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

/** Somebody gave a file the name of a picture, or its bytes are damaged. */
export class Broken extends Error {}

/** Reads a picture. Its type is one of pictures, whatever the file says of itself. */
export async function readPicture(asset: Asset, signal: AbortSignal): Promise<ImageBitmap> {
  const file = await loci.assets.content(asset.id, { signal });
  const blob = new Blob([await file.blob()], { type: typeOf(asset.media_type) });
  try {
    return await smaller(await createImageBitmap(blob));
  } catch {
    throw new Broken();
  }
}

/** Makes a picture fit into a preview. A small one stays as it is. */
async function smaller(whole: ImageBitmap): Promise<ImageBitmap> {
  const scale = side / Math.max(whole.width, whole.height);
  if (scale >= 1) return whole;
  try {
    const size = { resizeWidth: Math.max(1, Math.round(whole.width * scale)), resizeHeight: Math.max(1, Math.round(whole.height * scale)) };
    return await createImageBitmap(whole, { ...size, resizeQuality: "medium" });
  } finally {
    whole.close();
  }
}
