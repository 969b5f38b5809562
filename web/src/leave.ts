/** Leaves a field with Escape, which then closes nothing else. */
export function leave(event: KeyboardEvent): void {
  if (event.key !== "Escape") return;
  event.preventDefault();
  (event.currentTarget as HTMLElement).blur();
}
