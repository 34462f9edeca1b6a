import { describe, expect, it } from "vitest";
import {
  type CallerFacts,
  callerKinds,
  checkCallerKind,
  checkPermission,
  isActingAsUser,
  permissions,
} from "../../../src/access/rules/permission-table.ts";
import { checkEdit, checkFiling } from "../../../src/session/rules/cron-run-rights.ts";
import { type Route, routes } from "./permission-routes.ts";

const name = ({ method, path }: Route) => `${method} ${path}`;
const refusedTo = (caller: CallerFacts) =>
  routes.filter((route) => checkCallerKind(route.action, caller) !== null).map(name);
const openTo = (caller: CallerFacts) =>
  routes.filter((route) => checkCallerKind(route.action, caller) === null).map(name);
const sorted = (texts: Iterable<string>) => [...texts].sort();

const browser: CallerFacts = { kind: "browser" };
const apiKey: CallerFacts = { kind: "api-key" };
const agent = { kind: "agent", sameWorkspace: true, assigneeSentTurn: true } as const;
const agentOfOther = { ...agent, assigneeSentTurn: false };
const ofRun = { kind: "cron-run", sameWorkspace: true, sameProject: true, actsAsMember: true } as const;
const cronRun = { ...ofRun, writer: "creator", isAskedByAgent: false } as const;
const cronRunAlone = { ...cronRun, actsAsMember: false };
const writtenBy = {
  person: { ...cronRun, writer: "person" as const },
  agent: { ...cronRun, writer: "agent" as const },
  creatorAskedByAgent: { ...cronRun, isAskedByAgent: true },
};
const relay = { kind: "relay", sameWorkspace: true } as const;
const reader = { kind: "client", sameWorkspace: true, scopes: ["read"] } as const;
const worker = { ...reader, scopes: ["read", "work"] } as const;

/**
 * Part 1, "Authentication": what is reserved for browser sessions; then what the decisions add to
 * membership and sign-in.
 */
const browserOnly = [
  "GET /api/user/api-keys",
  "POST /api/user/api-keys",
  "DELETE /api/user/api-keys/*",
  "GET /api/user/connected-agents",
  "DELETE /api/user/connected-agents/*",
  "POST /api/organizations",
  "DELETE {workspace}",
  "POST {workspace}/invitations",
  "DELETE {workspace}/invitations/*",
  "PATCH {workspace}/members/*",
  "DELETE {workspace}/members/*",
  "POST {workspace}/leave",
  "POST {workspace}/transfer-ownership",
  "PUT {workspace}/logo",
  "DELETE {workspace}/logo",
  "PUT /api/user/profile",
  "PUT /api/user/profile-image",
  "POST /api/user/complete-onboarding",
  "GET /api/auth/github/connect",
  "GET /api/auth/github/callback",
  "POST /api/auth/github/disconnect",
  "GET {session}/preview/terminal",
  "GET /api/user/code-host",
  "GET /api/user/code-host/repositories",
  "GET {workspace}/invitations",
  "POST /api/invitations/*/accept",
  "POST /api/auth/sign-out",
];

describe("the table", () => {
  it("has every route once, and no other", () => {
    expect(new Set(routes.map(name)).size).toBe(routes.length);
    expect(sorted(new Set(routes.map((route) => route.action)))).toEqual(sorted(Object.keys(permissions)));
  });

  it("has six kinds of callers", () =>
    expect(callerKinds).toEqual(["browser", "api-key", "agent", "cron-run", "relay", "client"]));

  it("allows a caller without a user only what every member may do", () => {
    const nobody = { role: null, isOwn: false };
    for (const caller of [agentOfOther, cronRunAlone, relay]) {
      expect(isActingAsUser(caller)).toBe(false);
      for (const { action } of routes.filter((route) => checkPermission(route.action, caller, nobody) === null)) {
        expect(["user", "member"]).toContain(permissions[action][0]);
      }
    }
  });

  it("refuses only with FORBIDDEN", () => {
    for (const caller of [
      browser,
      apiKey,
      agent,
      agentOfOther,
      cronRun,
      cronRunAlone,
      relay,
      ...Object.values(writtenBy),
    ]) {
      const codes = routes.map((route) => checkCallerKind(route.action, caller)?.code ?? "FORBIDDEN");
      expect(new Set(codes)).toEqual(new Set(["FORBIDDEN"]));
    }
  });
});

describe("a browser session", () => {
  it("may call everything that does not concern the key of the request", () =>
    expect(refusedTo(browser)).toEqual(["GET /api/user/api-keys/current", "DELETE /api/user/api-keys/current"]));
});

describe("an API key", () => {
  it("may call everything that is not reserved for browser sessions", () => {
    expect(sorted(refusedTo(apiKey))).toEqual(sorted(browserOnly));
  });
});

describe("an agent token", () => {
  it("may call for the Assignee what an API key may, except credentials, projects, deletes of lasting things, role-dependent and account changes", () => {
    const withheld = [
      "DELETE {session}",
      // A setup or a Target Branch chosen by an agent would run in every later session, and a
      // project gives access to whatever its creator may push to.
      "POST /api/projects",
      "PATCH {project}",
      "PUT {project}/settings",
      "DELETE {project}",
      "DELETE {cron}",
      "PATCH {workspace}",
      "PUT {workspace}/timezone",
      "PUT {workspace}/network",
      "GET {workspace}/audit",
      "PUT {project}/network",
      "PUT {project}/network/secrets/*",
      "DELETE {project}/network/secrets/*",
      "GET {project}/triggers",
      "PUT {project}/triggers",
      "POST {project}/triggers/*/key",
      "GET {project}/trigger-runs",
      "GET {project}/places/*/*",
      "POST {project}/triggers/try",
      "PUT /api/activity/seen",
      "PUT {session}/seen",
      "POST {workspace}/skills",
      "PATCH {workspace}/skills/*",
      "DELETE {workspace}/skills/*",
      "POST /api/user/skills",
      "PATCH /api/user/skills/*",
      "DELETE /api/user/skills/*",
      "PATCH /api/user/plugins/*",
      "GET /api/push/devices",
      "GET /api/user/notifications",
      "POST /api/push/devices",
      "PUT /api/user/notifications",
      "DELETE /api/push/devices",
    ];
    const credentials = /subscriptions|credentials|-keys|\/webhooks/;
    expect(openTo(agent)).toEqual(openTo(apiKey).filter((text) => !withheld.includes(text) && !credentials.test(text)));
  });

  it("is refused on every cron endpoint if somebody else sent the turn", () => {
    expect(openTo(agentOfOther).filter((text) => text.includes("cron"))).toEqual([]);
  });

  it("changes nothing if somebody else sent the turn, except that it files sessions and sends to them", () => {
    expect(openTo(agentOfOther).filter((text) => !text.startsWith("GET"))).toEqual([
      "POST {project}/chat-sessions",
      "POST {session}/jobs/chat",
    ]);
  });

  it("reads the workspace's resources, not a user's, if somebody else sent the turn", () => {
    const withheld = [
      "GET {project}/preview", // wakes the sandbox
      "GET /api/activity",
      "GET /api/events",
      "GET /api/organizations",
      "GET {workspace}/events",
      "GET {workspace}/usage",
      "GET /api/user/profile",
      "GET /api/user/skills/*",
    ];
    const reads = openTo(agent).filter((text) => text.startsWith("GET") && !text.includes("cron"));
    expect(openTo(agentOfOther).filter((text) => text.startsWith("GET"))).toEqual(
      reads.filter((text) => !withheld.includes(text)),
    );
  });

  it("reaches no other workspace", () => {
    for (const caller of [agent, agentOfOther]) expect(openTo({ ...caller, sameWorkspace: false })).toEqual([]);
  });
});

describe("a cron run's key", () => {
  it("may call what the creator's API key may, except deletes, diagnostics, keys and all that changes an account", () => {
    const withheld =
      /^DELETE|\/diagnostics$|-keys|\/webhooks|^(GET|PUT|POST|PATCH) \/api\/user\/subscriptions|^(POST|PATCH) \/api\/(user|push)\/|^GET \/api\/push\/|\/user\/notifications$|^PUT .*\/network(\/secrets\/\*)?$|\/audit$|\/trigger(s|-runs)$|\/places\/|\/triggers\/(\*\/key|try)$|^PUT (\/api\/activity|{session})\/seen$/;
    expect(openTo(cronRun)).toEqual(openTo(apiKey).filter((text) => !withheld.test(text)));
    expect(openTo({ ...cronRun, sameProject: false })).toEqual(openTo(cronRun));
  });

  it("reaches no other workspace", () => expect(openTo({ ...cronRun, sameWorkspace: false })).toEqual([]));

  it("reaches only sessions, models, Deploys and skills of its project after the creator has left", () => {
    expect(sorted(openTo(cronRunAlone))).toEqual(
      sorted([
        "GET {session}",
        "GET {session}/jobs/chat",
        "GET {session}/jobs/chat/*",
        "GET {session}/messages",
        "GET {session}/queue",
        "GET {session}/attachments/*",
        "GET {session}/jobs/chat/*/outputs/*",
        "GET {session}/events",
        "GET /api/streams/*",
        "GET {project}/chat-sessions",
        "GET /api/chat-sessions",
        "GET /api/message-search",
        "GET /api/chat-sessions/*",
        "POST {project}/chat-sessions",
        "POST {session}/jobs/chat",
        "PUT {session}",
        "GET {project}/skills",
        "GET {project}/deploys",
        "GET {project}/deploy-messages",
        "GET {project}/deploy-messages/attachments/*",
        "GET {project}/deploy-messages/events",
        "GET {project}/deploy-messages/streams/*/outputs/*",
        "GET {project}/settings/agentic-deploy/queue",
        "GET /api/models",
        "GET /api/user/skills",
        "GET /api/user/plugins",
      ]),
    );
  });

  it("reaches no other project after the creator has left", () => {
    expect(openTo({ ...cronRunAlone, sameProject: false })).toEqual([
      "GET /api/models",
      "GET /api/user/skills",
      "GET /api/user/plugins",
    ]);
  });

  it.each([
    "PATCH /api/user/subscriptions",
    "PATCH /api/user/plugins/*",
    "POST /api/user/skills",
    "PATCH /api/user/skills/*",
    "POST /api/push/devices",
  ])("never calls %s, whichever user wrote the cron", (route) => {
    for (const caller of [cronRun, cronRunAlone, ...Object.values(writtenBy)])
      expect(refusedTo(caller)).toContain(route);
  });

  const ofAccount = ["POST /api/projects", "GET /api/user/profile", "GET /api/user/skills/*"];

  it("uses nothing of the creator's account where another person wrote the cron last", () => {
    expect(openTo(writtenBy.person)).toEqual(openTo(cronRun).filter((route) => !ofAccount.includes(route)));
  });

  it("may call only what an agent may too, where one wrote the cron last, and makes no crons", () => {
    const both = openTo(cronRun).filter((route) => openTo(agent).includes(route));
    expect(both).toEqual(
      openTo(cronRun).filter(
        (route) =>
          ![
            "POST /api/projects",
            "PATCH {project}",
            "PUT {project}/settings",
            "PATCH {workspace}",
            "PUT {workspace}/timezone",
          ].includes(route) && !/^(POST|PATCH) \{workspace\}\/skills|\/credentials/.test(route),
      ),
    );
    expect(openTo(writtenBy.agent)).toEqual(
      both.filter((route) => !ofAccount.includes(route) && route !== "POST {workspace}/crons"),
    );
    expect(openTo(writtenBy.creatorAskedByAgent)).toEqual(both);
  });

  it("is limited by the writer also in only its own project", () => {
    for (const caller of Object.values(writtenBy)) {
      const alone = openTo({ ...caller, actsAsMember: false });
      expect(alone).toEqual(openTo(cronRunAlone).filter((route) => openTo(caller).includes(route)));
    }
  });

  it("files Backlog sessions only", () => {
    for (const caller of [cronRun, cronRunAlone]) {
      expect(checkFiling(caller, "backlog")).toBeNull();
      expect(checkFiling(caller, "active")?.code).toBe("FORBIDDEN");
    }
    for (const caller of [browser, apiKey, agent, relay]) expect(checkFiling(caller, "active")).toBeNull();
  });

  it("edits only title, priority and prompt of its cron's Backlog sessions after the creator has left", () => {
    const edit = { fields: ["title", "priority", "prompt"], status: "backlog", isFiledByOwnCron: true } as const;
    expect(checkEdit(cronRunAlone, edit)).toBeNull();
    for (const beyond of [
      { ...edit, fields: ["title", "model"] },
      { ...edit, fields: ["status"] },
      { ...edit, status: "active" as const },
      { ...edit, isFiledByOwnCron: false },
    ]) {
      expect(checkEdit(cronRunAlone, beyond)?.code).toBe("FORBIDDEN");
      expect(checkEdit(cronRun, beyond)).toBeNull();
      expect(checkEdit(apiKey, beyond)).toBeNull();
    }
  });
});

describe("a relay", () => {
  it("creates sessions, sends to them and reads them, lists projects and models, and nothing else", () => {
    expect(sorted(openTo(relay))).toEqual(
      sorted([
        "GET /api/chat-sessions/*",
        "POST {project}/chat-sessions",
        "POST {session}/jobs/chat",
        "GET {session}",
        "GET {session}/jobs/chat",
        "GET {session}/jobs/chat/*",
        "GET {session}/messages",
        "GET {session}/queue",
        "GET {session}/attachments/*",
        "GET {session}/jobs/chat/*/outputs/*",
        "GET {session}/events",
        "GET /api/streams/*",
        "GET {project}/places/*/*",
        "GET /api/projects",
        "GET /api/models",
      ]),
    );
  });

  it("reaches only its own workspace", () => expect(openTo({ ...relay, sameWorkspace: false })).toEqual([]));
});

describe("a connected agent", () => {
  const reads = [
    "GET {session}",
    "GET /api/chat-sessions/*",
    "GET {session}/jobs/chat",
    "GET {session}/jobs/chat/*",
    "GET {session}/messages",
    "GET {session}/queue",
    "GET {session}/events",
    "GET {session}/attachments/*",
    "GET {session}/jobs/chat/*/outputs/*",
    "GET /api/chat-sessions",
  ];
  const works = [
    "POST {project}/chat-sessions",
    "POST {session}/jobs/chat",
    "POST {session}/jobs/chat/*/cancel",
    "POST {project}/preview/share",
  ];

  it("with the scope `read` reads sessions and their files and artifacts, and lists projects and models", () => {
    const open = openTo(reader);
    expect(open).toEqual(expect.arrayContaining(reads));
    expect(open.filter((text) => !text.startsWith("GET"))).toEqual([]);
    expect(
      open.filter((text) => /user|workspace|members|keys|settings|cron|deploy|activity|secrets/.test(text)),
    ).toEqual([]);
  });

  it("with the scope `work` also starts sessions, sends, stops turns and shares previews, and nothing else", () => {
    const open = openTo(worker);
    expect(sorted(open.filter((text) => !openTo(reader).includes(text)))).toEqual(sorted(works));
  });

  it("reaches no other workspace if it is bound to one, and nothing without a scope", () => {
    expect(openTo({ ...worker, sameWorkspace: false })).toEqual([]);
    expect(openTo({ ...worker, scopes: [] })).toEqual([]);
  });
});
