import type { ComponentType } from "preact";
import { useEffect, useErrorBoundary, useRef } from "preact/hooks";
import { identity, NotLoaded, signInAddress } from "./api.ts";
import { Confirmations, Dialog } from "./dialog.tsx";
import { language, languages, setLanguage, t, type Key, type Language } from "./i18n/index.ts";
import { currentKeys, useKeys, type Binding } from "./keys.ts";
import { legible } from "./legible.ts";
import { live } from "./live.ts";
import { useLoad } from "./load.ts";
import { addressOf, go, usePlace } from "./router.ts";
import { Empty, Failed, Shown } from "./states.tsx";
import { store, useStore } from "./store.ts";
import { setTheme, theme, themes, type Theme } from "./theme.ts";
import { tell, Toasts, undoLast } from "./undo.tsx";
import { viewOf, views, type View } from "./views.ts";

const help = store<Binding[] | undefined>(undefined);

/** The frame around every view: the menu, the state of the connection, messages and the help. */
export function App() {
  useStore(language);
  const place = usePlace();
  const view = viewOf(place.path);
  useEffect(() => void (document.title = `${view ? t(view.name) : t("notFound.title")} · Loci`), [view, language.get()]);
  useEffect(() => greet(place.query.get("done")), []);
  useKeys([
    { key: "?", help: t("keys.help"), run: () => help.set(currentKeys()) },
    { key: "u", help: t("keys.undo"), run: () => void undoLast() },
  ]);
  return (
    <>
      <a class="skip" href="#main">{t("skip")}</a>
      <Header current={view} />
      <Connection />
      <main id="main" tabIndex={-1}>{view ? <Body key={view.path} view={view} /> : <NotFound />}</main>
      <Toasts />
      <Confirmations />
      <Help />
    </>
  );
}

function Body({ view }: { view: View }) {
  const [broken, again] = useErrorBoundary();
  if (broken !== undefined) return <><h1 class="hidden">{t(view.name)}</h1><Failed error={broken} retry={again} /></>;
  if (!view.lazy) {
    const Known = view.view as ComponentType;
    return <Known />;
  }
  return <Later name={t(view.name)} load={view.view as () => Promise<{ default: ComponentType }>} />;
}

function Later({ name, load }: { name: string; load: () => Promise<{ default: ComponentType }> }) {
  const loaded = useLoad(() => fetched(load), []);
  return <>{!loaded.value && <h1 class="hidden">{name}</h1>}<Shown of={loaded}>{({ default: Known }) => <Known />}</Shown></>;
}

/** Loads a view. The bundle asks for a style sheet only once, so one that did not arrive is asked for again here. */
async function fetched<T>(load: () => Promise<T>): Promise<T> {
  const missing = [...document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")].filter(({ sheet }) => !sheet);
  try {
    await Promise.all(missing.map((old) => new Promise((arrived, failed) => {
      const link = old.cloneNode() as HTMLLinkElement;
      [link.onload, link.onerror] = [arrived, failed];
      old.replaceWith(link);
    })));
    return await load();
  } catch (cause) {
    throw new NotLoaded(String(cause), { cause });
  }
}

function NotFound() {
  return <><h1 class="hidden">{t("notFound.title")}</h1><Empty title={t("notFound.title")}><a class="button" href={addressOf("")}>{t("notFound.home")}</a></Empty></>;
}

/** Tells what a page of the server did before it led here. */
function greet(done: string | null): void {
  const known: Record<string, Key> = { joined: "done.joined", welcome: "done.welcome", workspace: "done.workspace" };
  const text = done === null ? undefined : known[done];
  if (text === undefined) return;
  tell(t(text));
  go(location.pathname, { replace: true });
}

function Header({ current }: { current: View | undefined }) {
  const who = useStore(identity);
  const nav = useRef<HTMLElement>(null);
  // In a narrow window, the menu is wider than its place.
  useEffect(() => nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }), [current]);
  return (
    <header class="top">
      <a class="brand" href="/app/">Loci</a>
      <nav ref={nav} aria-label={t("menu")}>
        {views.filter((view) => !view.more || view === current).map((view) => (
          <a key={view.path} href={addressOf(view.path)} aria-current={view === current ? "page" : undefined}>{t(view.name)}</a>
        ))}
      </nav>
      <LiveState />
      <details class="menu" onClick={(event) => event.target instanceof HTMLAnchorElement && (event.currentTarget.open = false)}
        onFocusOut={(event) => event.currentTarget.contains(event.relatedTarget as Node | null) || (event.currentTarget.open = false)}>
        <summary aria-label={t("menu.more")}>☰</summary>
        <div class="menu-items" tabIndex={-1}>
          {who && <p class="hint">{(who.name || who.email) && <>{legible(who.name || who.email || "")}<br /></>}{legible(who.org_name)}</p>}
          {views.filter((view) => view.more).map((view) => (
            <a key={view.path} href={addressOf(view.path)} aria-current={view === current ? "page" : undefined}>{t(view.name)}</a>
          ))}
          <Choice label={t("theme")} value={theme.get()} of={themes.map((name) => [name, t(`theme.${name}`)])} onChange={(name) => setTheme(name as Theme)} />
          <Choice label={t("language")} value={language.get()} of={Object.entries(languages)} onChange={(name) => void setLanguage(name as Language)} />
          <button type="button" onClick={() => help.set(currentKeys())}>{t("keys.help")} <kbd>?</kbd></button>
          <form method="post" action="/app/sign-out"><button>{t("signOut")}</button></form>
        </div>
      </details>
    </header>
  );
}

function Choice({ label, value, of, onChange }: { label: string; value: string; of: (readonly [string, string])[]; onChange: (value: string) => void }) {
  return (
    <label class="choice">
      {label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {of.map(([name, text]) => <option key={name} value={name}>{text}</option>)}
      </select>
    </label>
  );
}

/** Whether the page follows changes, as a dot with a name. */
function LiveState() {
  const state = useStore(live);
  return <span class={`live ${state}`} role="img" aria-label={t(`live.${state}`)} title={t(`live.${state}`)} />;
}

/** Says above the view that the server does not answer. */
function Connection() {
  const state = useStore(live);
  if (state !== "offline" && state !== "signed-out") return <div role="status" class="connection" />;
  return (
    <div role="status" class="connection shown">
      {t(`live.${state}.text`)} {state === "signed-out" && <a href={signInAddress()}>{t("error.signIn")}</a>}
    </div>
  );
}

function Help() {
  const bindings = useStore(help);
  if (!bindings) return null;
  return (
    <Dialog title={t("keys.title")} onClose={() => help.set(undefined)}>
      <dl class="keys">
        {bindings.filter((binding) => binding.help).map((binding) => (
          <div key={binding.key}><dt><kbd>{binding.key}</kbd></dt><dd>{binding.help}</dd></div>
        ))}
      </dl>
      <button type="button" class="button" autofocus onClick={() => help.set(undefined)}>{t("close")}</button>
    </Dialog>
  );
}

