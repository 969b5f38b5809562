import type { ComponentType } from "preact";
import type { Key } from "./i18n/index.ts";
import { Memories } from "./views/memories/index.tsx";

/** A view: what the dashboard shows under /app/PATH and below it. */
export interface View {
  /** The first part of its path. internal/web has the same list (dashboardViews). */
  path: string;
  /** Its name in the menu. */
  name: Key;
  /** The view, or where to load it from when it is opened: () => import("./views/NAME/index.tsx"). */
  view: ComponentType | (() => Promise<{ default: ComponentType }>);
  /** view is a loader. */
  lazy?: boolean;
  /** Its name is in the menu ☰ instead of at the top, where it is only while it is open. */
  more?: boolean;
}

/** The views in the order of the menu. The first one is also at /app/. */
export const views: readonly View[] = [
  { path: "memories", name: "memories.title", view: Memories },
  { path: "inbox", name: "inbox.title", view: () => import("./views/inbox/index.tsx"), lazy: true },
  { path: "visibility", name: "see.title", view: () => import("./views/visibility/index.tsx"), lazy: true },
  { path: "time", name: "time.title", view: () => import("./views/time/index.tsx"), lazy: true },
  { path: "sessions", name: "sessions.title", view: () => import("./views/sessions/index.tsx"), lazy: true },
  { path: "graph", name: "graph.title", view: () => import("./views/graph/index.tsx"), lazy: true },
  { path: "projects", name: "projects.title", view: () => import("./views/projects/index.tsx"), lazy: true },
  { path: "nodes", name: "nodes.title", view: () => import("./views/nodes/index.tsx"), lazy: true, more: true },
  { path: "agents", name: "agents.title", view: () => import("./views/agents/index.tsx"), lazy: true, more: true },
  { path: "connections", name: "connections.title", view: () => import("./views/connections/index.tsx"), lazy: true },
  { path: "keys", name: "apiKeys.title", view: () => import("./views/keys/index.tsx"), lazy: true, more: true },
  { path: "org", name: "org.title", view: () => import("./views/org/index.tsx"), lazy: true, more: true },
  { path: "transfer", name: "transfer.title", view: () => import("./views/transfer/index.tsx"), lazy: true, more: true },
  { path: "evaluate", name: "evaluate.title", view: () => import("./views/evaluate/index.tsx"), lazy: true, more: true },
  { path: "settings", name: "settings.title", view: () => import("./views/settings/index.tsx"), lazy: true, more: true },
  { path: "account", name: "account.title", view: () => import("./views/account/index.tsx"), lazy: true, more: true },
];

/** The view of a path; undefined: there is none. */
export function viewOf(path: string): View | undefined {
  const first = path.split("/")[0];
  return first === "" ? views[0] : views.find((view) => view.path === first);
}
