// The routes of the console. Each page is a chunk of its own.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { readActivitySearch } from "./activity/search.ts";
import { readSessionsSearch } from "./sessions/search.ts";
import { Frame } from "./shell/frame.tsx";
import { NotFound } from "./shell/not-found.tsx";
import { readUsageSearch } from "./usage/search.ts";

const root = createRootRoute({ component: Frame, notFoundComponent: NotFound });

const inbox = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: ({ who }: Record<string, unknown>): { who?: "all" } => (who === "all" ? { who } : {}),
  component: lazyRouteComponent(() => import("./inbox/page.tsx"), "InboxPage"),
});

/** The panels beside a conversation. */
export const panels = ["changes", "preview", "files", "artifacts", "info"] as const;
export type Panel = (typeof panels)[number];

export interface SessionSearch {
  panel?: Panel;
  /** The file that the panel shows. */
  file?: string;
  /** The turn that is brought into view. */
  turn?: string;
}

const session = createRoute({
  getParentRoute: () => root,
  path: "/s/$session",
  validateSearch: ({ panel, file, turn }: Record<string, unknown>): SessionSearch => ({
    ...(panels.find((one) => one === panel) ? { panel: panel as Panel } : {}),
    ...(typeof file === "string" ? { file } : {}),
    ...(typeof turn === "string" ? { turn } : {}),
  }),
  component: lazyRouteComponent(() => import("./session/page.tsx"), "SessionPage"),
  // Nothing of one session is shown, undone or sent in another.
  remountDeps: ({ params }) => params.session,
});

const sessions = createRoute({
  getParentRoute: () => root,
  path: "/sessions",
  validateSearch: readSessionsSearch,
  component: lazyRouteComponent(() => import("./sessions/page.tsx"), "SessionsPage"),
});

const activity = createRoute({
  getParentRoute: () => root,
  path: "/activity",
  validateSearch: readActivitySearch,
  component: lazyRouteComponent(() => import("./activity/page.tsx"), "ActivityPage"),
});

const account = createRoute({
  getParentRoute: () => root,
  path: "/account",
  component: lazyRouteComponent(() => import("./account/frame.tsx"), "AccountFrame"),
});

const accountParts = [
  createRoute({
    getParentRoute: () => account,
    path: "/",
    component: lazyRouteComponent(() => import("./account/page.tsx"), "AccountPage"),
  }),
  createRoute({
    getParentRoute: () => account,
    path: "subscriptions",
    component: lazyRouteComponent(() => import("./account/subscriptions.tsx"), "Subscriptions"),
  }),
  createRoute({
    getParentRoute: () => account,
    path: "skills",
    component: lazyRouteComponent(() => import("./account/skills.tsx"), "Skills"),
  }),
  createRoute({
    getParentRoute: () => account,
    path: "plugins",
    component: lazyRouteComponent(() => import("./account/plugins.tsx"), "Plugins"),
  }),
] as const;

const usage = createRoute({
  getParentRoute: () => root,
  path: "/w/$workspace/usage",
  validateSearch: readUsageSearch,
  component: lazyRouteComponent(() => import("./usage/page.tsx"), "UsagePage"),
  remountDeps: ({ params }) => params.workspace,
});

export const router = createRouter({
  routeTree: root.addChildren([inbox, session, sessions, activity, account.addChildren(accountParts), usage]),
  defaultPreload: "intent",
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
