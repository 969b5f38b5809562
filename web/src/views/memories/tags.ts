/** Reads tags that a person typed, separated by commas. */
export function tagsOf(text: string): string[] {
  return [...new Set(text.split(",").map((tag) => tag.trim().replace(/^#/, "")).filter(Boolean))];
}

/** Adds and removes tags. */
export function retagged(tags: readonly string[], add: readonly string[], remove: readonly string[]): string[] {
  return [...new Set([...tags, ...add])].filter((tag) => !remove.includes(tag));
}
