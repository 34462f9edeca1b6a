// The routes of the console. Each page is a chunk of its own, but for the inbox, which most people
// open first. What it is made of would be many small files, and a browser loads six at a time.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { type ActivitySearch, readActivitySearch } from "./activity/search.ts";
import { type CronSearch, type RunSearch, readCronSearch, readRunSearch } from "./crons/search.ts";
import { InboxPage } from "./inbox/page.tsx";
import { readSessionsSearch, type SessionsSearch } from "./sessions/search.ts";
import { Frame } from "./shell/frame.tsx";
import { onlyKnown } from "./shell/known-search.ts";
import { NotFound } from "./shell/not-found.tsx";
import { loadPart } from "./ui/lazy-part.tsx";
import { readUsageSearch, type UsageSearch } from "./usage/search.ts";

const root = createRootRoute({ component: Frame, notFoundComponent: NotFound });

const lazyPage = <Part extends Record<string, unknown>, Name extends keyof Part>(
  load: () => Promise<Part>,
  name: Name,
) => lazyRouteComponent(() => loadPart(load), name);

interface InboxSearch {
  who?: "all";
  /** The project that a new session begins with. */
  project?: string;
}

const inbox = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: onlyKnown<InboxSearch>(({ who, project }) => ({
    ...(who === "all" ? { who } : {}),
    ...(typeof project === "string" ? { project } : {}),
  })),
  component: InboxPage,
});

/** The panels beside a conversation. */
export const panels = ["changes", "preview", "files", "artifacts", "info", "terminal"] as const;
export type Panel = (typeof panels)[number];

export interface SessionSearch {
  panel?: Panel;
  /** The file that the panel shows. */
  file?: string;
  /** The part of a path by which Changes finds files. */
  find?: string;
  /** The turn that is brought into view. */
  turn?: string;
}

const session = createRoute({
  getParentRoute: () => root,
  path: "/s/$session",
  validateSearch: onlyKnown<SessionSearch>(({ panel, file, find, turn }) => ({
    ...(panels.find((one) => one === panel) ? { panel: panel as Panel } : {}),
    ...(typeof file === "string" ? { file } : {}),
    ...(typeof find === "string" ? { find } : {}),
    ...(typeof turn === "string" ? { turn } : {}),
  })),
  component: lazyPage(() => import("./session/page.tsx"), "SessionPage"),
  // Nothing of one session is shown, undone or sent in another.
  remountDeps: ({ params }) => params.session,
});

const sessions = createRoute({
  getParentRoute: () => root,
  path: "/sessions",
  validateSearch: onlyKnown<SessionsSearch>(readSessionsSearch),
  component: lazyPage(() => import("./sessions/page.tsx"), "SessionsPage"),
});

const activity = createRoute({
  getParentRoute: () => root,
  path: "/activity",
  validateSearch: onlyKnown<ActivitySearch>(readActivitySearch),
  component: lazyPage(() => import("./activity/page.tsx"), "ActivityPage"),
});

const crons = createRoute({
  getParentRoute: () => root,
  path: "/crons",
  component: lazyPage(() => import("./crons/page.tsx"), "CronsPage"),
});

const newCron = createRoute({
  getParentRoute: () => root,
  path: "/crons/new",
  validateSearch: onlyKnown<CronSearch>(readCronSearch),
  component: lazyPage(() => import("./crons/new-page.tsx"), "NewCronPage"),
});

const cron = createRoute({
  getParentRoute: () => root,
  path: "/crons/$cron",
  validateSearch: onlyKnown<CronSearch>(readCronSearch),
  component: lazyPage(() => import("./crons/cron-page.tsx"), "CronPage"),
  remountDeps: ({ params }) => params.cron,
});

const cronRun = createRoute({
  getParentRoute: () => root,
  path: "/crons/$cron/runs/$run",
  validateSearch: onlyKnown<RunSearch>(readRunSearch),
  component: lazyPage(() => import("./crons/run-page.tsx"), "RunPage"),
  remountDeps: ({ params }) => params.run,
});

const account = createRoute({
  getParentRoute: () => root,
  path: "/account",
  component: lazyPage(() => import("./account/frame.tsx"), "AccountFrame"),
});

const accountParts = [
  createRoute({
    getParentRoute: () => account,
    path: "/",
    component: lazyPage(() => import("./account/page.tsx"), "AccountPage"),
  }),
  createRoute({
    getParentRoute: () => account,
    path: "notifications",
    component: lazyPage(() => import("./account/notifications.tsx"), "Notifications"),
  }),
  createRoute({
    getParentRoute: () => account,
    path: "subscriptions",
    component: lazyPage(() => import("./account/subscriptions.tsx"), "Subscriptions"),
  }),
  createRoute({
    getParentRoute: () => account,
    path: "skills",
    component: lazyPage(() => import("./account/skills.tsx"), "Skills"),
  }),
  createRoute({
    getParentRoute: () => account,
    path: "plugins",
    component: lazyPage(() => import("./account/plugins.tsx"), "Plugins"),
  }),
] as const;

const workspace = createRoute({
  getParentRoute: () => root,
  path: "/w/$workspace",
  component: lazyPage(() => import("./workspace/frame.tsx"), "WorkspaceFrame"),
  // Nothing that was typed or made in one workspace is shown in another.
  remountDeps: ({ params }) => params.workspace,
});

const general = createRoute({
  getParentRoute: () => workspace,
  path: "/",
  component: lazyPage(() => import("./workspace/general-page.tsx"), "GeneralPage"),
});

const members = createRoute({
  getParentRoute: () => workspace,
  path: "/members",
  component: lazyPage(() => import("./workspace/members-page.tsx"), "MembersPage"),
});

const models = createRoute({
  getParentRoute: () => workspace,
  path: "/models",
  component: lazyPage(() => import("./workspace/models-page.tsx"), "ModelsPage"),
});

const keys = createRoute({
  getParentRoute: () => workspace,
  path: "/keys",
  component: lazyPage(() => import("./workspace/keys-page.tsx"), "KeysPage"),
});

const webhooks = createRoute({
  getParentRoute: () => workspace,
  path: "/webhooks",
  validateSearch: onlyKnown<{ webhook?: string }>(({ webhook }) => (typeof webhook === "string" ? { webhook } : {})),
  component: lazyPage(() => import("./workspace/webhooks-page.tsx"), "WebhooksPage"),
});

const skills = createRoute({
  getParentRoute: () => workspace,
  path: "/skills",
  validateSearch: onlyKnown<{ skill?: string }>(({ skill }) => (typeof skill === "string" ? { skill } : {})),
  component: lazyPage(() => import("./workspace/skills-page.tsx"), "SkillsPage"),
});

const sandboxes = createRoute({
  getParentRoute: () => workspace,
  path: "/sandboxes",
  component: lazyPage(() => import("./workspace/sandboxes-page.tsx"), "SandboxesPage"),
});

const audit = createRoute({
  getParentRoute: () => workspace,
  path: "/audit",
  component: lazyPage(() => import("./workspace/audit-page.tsx"), "AuditPage"),
});

const usage = createRoute({
  getParentRoute: () => workspace,
  path: "/usage",
  validateSearch: onlyKnown<UsageSearch>(readUsageSearch),
  component: lazyPage(() => import("./usage/page.tsx"), "UsagePage"),
});

const projects = createRoute({
  getParentRoute: () => root,
  path: "/projects",
  validateSearch: onlyKnown<{ add?: true }>(({ add }) => (add ? { add: true } : {})),
  component: lazyPage(() => import("./project/list.tsx"), "ProjectsPage"),
});

const project = createRoute({
  getParentRoute: () => root,
  path: "/p/$project",
  component: lazyPage(() => import("./project/page.tsx"), "ProjectPage"),
  // Nothing that is typed for one project is saved in another.
  remountDeps: ({ params }) => params.project,
});

const projectParts = [
  createRoute({
    getParentRoute: () => project,
    path: "/",
    component: lazyPage(() => import("./project/overview.tsx"), "Overview"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "deploy",
    component: lazyPage(() => import("./project/deploy.tsx"), "Deploy"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "preview",
    component: lazyPage(() => import("./project/preview.tsx"), "PreviewPart"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "prototypes",
    validateSearch: onlyKnown<{ prototype?: string }>(({ prototype }) =>
      typeof prototype === "string" ? { prototype } : {},
    ),
    component: lazyPage(() => import("./project/prototypes.tsx"), "Prototypes"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "network",
    component: lazyPage(() => import("./project/network.tsx"), "NetworkPart"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "triggers",
    component: lazyPage(() => import("./project/triggers.tsx"), "Triggers"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "settings",
    component: lazyPage(() => import("./project/settings.tsx"), "Settings"),
  }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren([
    inbox,
    session,
    sessions,
    projects,
    project.addChildren(projectParts),
    activity,
    crons,
    newCron,
    cron,
    cronRun,
    account.addChildren(accountParts),
    workspace.addChildren([general, members, models, usage, keys, webhooks, skills, sandboxes, audit]),
  ]),
  defaultPreload: "intent",
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
