import { Loci, LociError, type Identity } from "@loci-memory/sdk";
import { t } from "./i18n/index.ts";
import { store } from "./store.ts";

/** The server of this page. The browser sends the person's sign-in. */
export const loci = new Loci({ timeout: 30_000, retries: 1, maxRetryDelay: 3000 });

/** Who is signed in; undefined until the server told. */
export const identity = store<Identity | undefined>(undefined);

/** Whether somebody administers their org: its people and workspaces, and the receipts of the dream-cycle. */
export const isAdmin = (who: Identity | undefined): who is Identity => who !== undefined && who.org_role !== "member";

export async function startIdentity(): Promise<void> {
  identity.set(await loci.server.whoAmI());
}

/** A reason in plain words, in the language of the page or of the server. */
export class Plain extends Error {}

/** A part of the page that could not be loaded: the server is away, or has another version. */
export class NotLoaded extends Error {}

/** An error in words for a person. */
export interface Explained {
  title: string;
  text: string;
  /** The way out, if it is another page. */
  link?: { href: string; text: string };
  /** Trying again may help. */
  again: boolean;
  /** The way out is to load the page again. */
  reload?: boolean;
}

/** Where a person proves who they are, and from where they come back to this page. */
export function stepUpAddress(): string {
  return `/app/step-up?next=${encodeURIComponent(location.pathname + location.search)}`;
}

/** Where a person signs in, and from where they come back to this page. */
export function signInAddress(): string {
  return `/app/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`;
}

/** Explains an error: what happened, and the way out. */
export function explain(error: unknown): Explained {
  if (error instanceof NotLoaded) return { title: t("error.view"), text: t("error.view.text"), again: true, reload: true };
  if (error instanceof Plain) return { title: t("error.title"), text: sentence(error.message), again: true };
  if (!(error instanceof LociError)) return { title: t("error.page"), text: t("error.page.text", { what: String(error) }), again: true, reload: true };
  switch (error.code) {
    case "network":
    case "timeout":
      return { title: t("error.offline"), text: t("error.offline.text"), again: true };
    case "unauthenticated":
      return { title: t("error.signedOut"), text: t("error.signedOut.text"), again: false, link: { href: signInAddress(), text: t("error.signIn") } };
    case "step_up_required":
      return { title: t("stepUp.title"), text: t("stepUp.text"), again: false, link: { href: stepUpAddress(), text: t("stepUp.go") } };
    case "not_found":
      return { title: t("error.notFound"), text: t("error.notFound.text"), again: false };
    case "precondition_failed":
      return { title: t("error.conflict"), text: t("error.conflict.text"), again: true };
    case "rate_limited":
      return { title: t("error.busy"), text: t("error.busy.text", { n: error.retryAfter ?? 1 }), again: true };
    case "internal":
    case "unavailable":
    case "bad_answer":
      return { title: t("error.server"), text: t("error.server.text", { id: error.requestId ?? "–" }), again: true };
    default:
      return { title: t("error.title"), text: sentence(error.message), again: error.status >= 500 };
  }
}

/** What fails while an answer arrives, in words: the connection does. */
export function cutOff(error: unknown): Error {
  return error instanceof LociError ? error : new Plain(t("error.cut"));
}

/** The server's reasons begin in lower case, because they follow a colon elsewhere. */
function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}

/** Tells whether the same request may succeed later. */
export function mayPass(error: unknown): boolean {
  return needsStepUp(error) || (error instanceof LociError && (error.status >= 500 || ["network", "timeout", "rate_limited"].includes(error.code)));
}

/** Tells whether an error asks the person to prove who they are. */
export function needsStepUp(error: unknown): boolean {
  return error instanceof LociError && error.code === "step_up_required";
}
