import { language } from "./i18n/index.ts";

const formats = new Map<string, Intl.DateTimeFormat>();

function format(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = language.get() + JSON.stringify(options);
  let found = formats.get(name);
  if (!found) formats.set(name, (found = new Intl.DateTimeFormat(language.get(), options)));
  return found;
}

/** A day and a time of day, in the zone of the person. */
export function when(time: string): string {
  return format({ dateStyle: "medium", timeStyle: "short" }).format(new Date(time));
}

/** A time as short as it is clear: the time of day today, the day this year, else the day with the year. */
export function shortWhen(time: string, now = new Date()): string {
  const at = new Date(time);
  if (at.toDateString() === now.toDateString()) return format({ timeStyle: "short" }).format(at);
  if (at.getFullYear() === now.getFullYear()) return format({ day: "numeric", month: "short" }).format(at);
  return format({ day: "numeric", month: "short", year: "numeric" }).format(at);
}

/** The time of day. */
export function clock(time: string): string {
  return format({ timeStyle: "short" }).format(new Date(time));
}

/** A day of today's year and a time of day; of other years the year, too. */
export function dayAndClock(time: string, now = new Date()): string {
  const day = shortWhen(time, now);
  const at = clock(time);
  return day === at ? at : `${day}, ${at}`;
}

/** The value of a field for a day and a time, in the zone of the person: 2026-11-03T09:00. */
export function toField(time: string | undefined): string {
  if (!time) return "";
  const at = new Date(time);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The time of such a field; undefined if it is empty. */
export function fromField(value: string): string | undefined {
  const at = new Date(value);
  return value === "" || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
