import type { ComponentChildren } from "preact";
import { explain } from "./api.ts";
import { t } from "./i18n/index.ts";
import type { Loaded } from "./load.ts";

/** Something is on its way. */
export function Loading() {
  return (
    <p class="state" role="status">
      <span class="spinner" aria-hidden="true" /> {t("state.loading")}
    </p>
  );
}

/** There is nothing to show. The children tell what to do about it. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="state">
      <p class="state-title">{title}</p>
      {children}
    </div>
  );
}

/** Something went wrong, in words, with the way out. */
export function Failed({ error, retry }: { error: unknown; retry?: () => void }) {
  const { title, text, link, again, reload } = explain(error);
  return (
    <div class="state failed" role="alert">
      <p class="state-title">{title}</p>
      <p>{text}</p>
      {link && <a class="button" href={link.href}>{link.text}</a>}
      {((again && retry) || reload) && <div class="actions">
        {again && retry && <button type="button" class="button" onClick={retry}>{t("state.retry")}</button>}
        {reload && <button type="button" class="button" onClick={() => location.reload()}>{t("error.reload")}</button>}
      </div>}
    </div>
  );
}

/** Shows what was read, or why it is not there. If it cannot be read again, it stays, with a notice. */
export function Shown<T>({ of, children }: { of: Loaded<T>; children: (value: T) => ComponentChildren }) {
  if (of.value !== undefined) return <><Unread of={[of]} text={t("state.stale")} />{children(of.value)}</>;
  if (of.error !== undefined && !of.loading) return <Failed error={of.error} retry={of.reload} />;
  return <Loading />;
}

/** Says that something could not be read, why, and how to go on. What is there beside it stays. It is nothing while all is well. */
export function Unread({ of, text = t("state.unread") }: { of: readonly Pick<Loaded<unknown>, "error" | "reload">[]; text?: string }) {
  const failed = of.filter(({ error }) => error !== undefined);
  if (failed.length === 0) return null;
  const { title, text: why, link, again } = explain(failed[0]!.error);
  return (
    <p class="stale" role="status">
      <span>{text} {title}: {why}</span>
      {link && <a href={link.href}>{link.text}</a>}
      {again && <button type="button" class="plain" onClick={() => failed.forEach(({ reload }) => reload())}>{t("state.retry")}</button>}
    </p>
  );
}

/** Why a form was not taken, in the form. */
export function Problem({ error }: { error: unknown }) {
  if (error === undefined) return null;
  const { title, text, link } = explain(error);
  return <p class="problem" role="alert">{title}: {text} {link && <a href={link.href}>{link.text}</a>}</p>;
}
