/** Every character that nobody sees, or that turns text around. Line breaks, tabs and joiners of letters stay. */
const invisible = /(?![\n\t\r\u200c\u200d])[\p{Cc}\u00ad\u0600-\u0605\u061c\u06dd\u070f\u08e2\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0001}\u{e0020}-\u{e007f}]/gu;

/** Shows such characters by their number, as [U+202E], because stored text may try to look like another. */
export function legible(text: string): string {
  return text.replace(invisible, (char) => `[U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`);
}

/** The beginning of a text, for lists. */
export function beginning(text: string, length = 240): string {
  const flat = text.slice(0, 4 * length).replace(/\s+/g, " ").trim();
  const chars = [...flat];
  return legible(chars.length > length ? `${chars.slice(0, length).join("")}…` : flat);
}
