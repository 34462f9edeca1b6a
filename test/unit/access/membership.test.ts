import { describe, expect, it } from "vitest";
import {
  checkAllowed,
  checkMembership,
  checkWorkspaceAccess,
  type Role,
  roles,
  type Who,
} from "../../../src/access/rules/membership.ts";
import { type CallerFacts, checkPermission } from "../../../src/access/rules/permission-table.ts";
import { type Route, routes } from "./permission-routes.ts";

const name = ({ method, path }: Route) => `${method} ${path}`;
const sorted = (texts: Iterable<string>) => [...texts].sort();

const browser: CallerFacts = { kind: "browser" };
const apiKey: CallerFacts = { kind: "api-key" };
const agent = { kind: "agent", sameWorkspace: true, assigneeSentTurn: true } as const;
const cronRun = {
  kind: "cron-run",
  sameWorkspace: true,
  sameProject: true,
  actsAsMember: true,
  writer: "creator",
  isAskedByAgent: false,
} as const;

describe("the membership of a user", () => {
  it("is required", () => {
    expect(checkMembership(null)?.code).toBe("FORBIDDEN");
    for (const role of roles) expect(checkMembership(role)).toBeNull();
  });

  it.each([
    // [role of a bound key's user, unknown noun, role in the workspace of the request] and the code
    [[undefined, null, "member"], undefined],
    [[undefined, null, null], "FORBIDDEN"],
    [[undefined, null, undefined], undefined],
    [[undefined, "project", undefined], "NOT_FOUND"],
    [["member", null, "member"], undefined],
    [["member", "project", undefined], "NOT_FOUND"],
    [[null, null, "member"], "FORBIDDEN"],
    [[null, "project", undefined], "FORBIDDEN"],
  ] as const)("decides whether a workspace is theirs, or what is missing: %j", ([boundRole, unknown, role], code) => {
    const request = {
      isBound: boundRole !== undefined,
      boundRole: boundRole ?? null,
      unknown,
      hasWorkspace: role !== undefined,
      role: role ?? null,
    };
    expect(checkWorkspaceAccess(request)?.code).toBe(code);
  });

  const own: [Who, (Role | null)[], (Role | null)[]][] = [
    // who, then what they may do to what they created, then to what another created
    ["user", ["owner", "admin", "member", null], ["owner", "admin", "member", null]],
    ["member", ["owner", "admin", "member"], ["owner", "admin", "member"]],
    ["author", ["owner", "admin", "member"], []],
    ["creator", ["owner", "admin", "member"], ["owner", "admin"]],
    ["admin", ["owner", "admin"], ["owner", "admin"]],
    ["owner", ["owner"], ["owner"]],
  ];

  it.each(own)("decides about routes for the %s", (who, toOwn, toOthers) => {
    const everyone = [...roles, null];
    expect(everyone.filter((role) => checkAllowed(who, { role, isOwn: true }) === null)).toEqual(toOwn);
    expect(everyone.filter((role) => checkAllowed(who, { role, isOwn: false }) === null)).toEqual(toOthers);
  });

  it("is checked on every route of a workspace, and on none of a user", () => {
    const ofWorkspace = /\{|^POST \/api\/projects$|^GET \/api\/(streams|chat-sessions)\//;
    const refused = routes.filter((route) => checkPermission(route.action, browser, { role: null, isOwn: true }));
    expect(refused.map(name)).toEqual(
      routes.map(name).filter((text) => ofWorkspace.test(text) || text.endsWith("/api/user/api-keys/current")),
    );
  });

  it("allows only admins and owners to change the workspace, and only the owner to delete or transfer it", () => {
    const refusedToMember = routes.filter((route) =>
      checkPermission(route.action, browser, { role: "member", isOwn: true }),
    );
    expect(sorted(refusedToMember.filter(({ action }) => !action.endsWith("-itself")).map(name))).toEqual(
      sorted([
        "PATCH {workspace}",
        "DELETE {workspace}",
        "PUT {workspace}/timezone",
        "PUT {workspace}/logo",
        "DELETE {workspace}/logo",
        "PUT {workspace}/network",
        "PUT {project}/triggers",
        "POST {project}/triggers/*/key",
        "PUT {project}/network/secrets/*",
        "DELETE {project}/network/secrets/*",
        "GET {workspace}/audit",
        "GET {workspace}/credentials",
        "PUT {workspace}/credentials/*",
        "DELETE {workspace}/credentials/*",
        "POST {workspace}/credentials/login/*",
        "POST {workspace}/credentials/login/*/complete",
        "GET {workspace}/relay-keys",
        "POST {workspace}/relay-keys",
        "DELETE {workspace}/relay-keys/*",
        "GET {workspace}/webhooks",
        "POST {workspace}/webhooks",
        "GET {workspace}/webhooks/*",
        "PATCH {workspace}/webhooks/*",
        "DELETE {workspace}/webhooks/*",
        "POST {workspace}/webhooks/*/rotate-secret",
        "POST {workspace}/webhooks/*/test",
        "POST {workspace}/webhooks/*/recover",
        "GET {workspace}/webhooks/*/deliveries",
        "GET {workspace}/webhooks/*/deliveries/*",
        "POST {workspace}/webhooks/*/deliveries/*/resend",
        "POST {workspace}/skills",
        "PATCH {workspace}/skills/*",
        "DELETE {workspace}/skills/*",
        "GET {workspace}/invitations",
        "POST {workspace}/invitations",
        "DELETE {workspace}/invitations/*",
        "PATCH {workspace}/members/*",
        "DELETE {workspace}/members/*",
        "POST {workspace}/transfer-ownership",
      ]),
    );
    const refusedToAdmin = routes.filter((route) =>
      checkPermission(route.action, browser, { role: "admin", isOwn: true }),
    );
    expect(sorted(refusedToAdmin.map(name))).toEqual(
      sorted([
        "DELETE {workspace}",
        "PUT {workspace}/network",
        "GET {workspace}/audit",
        "POST {workspace}/transfer-ownership",
        "GET /api/user/api-keys/current",
        "DELETE /api/user/api-keys/current",
      ]),
    );
  });

  it("limits another's cron to its creator, an admin or the owner, another's queued message to its author, and nothing else", () => {
    const refused = (role: Role, isOwn: boolean) =>
      routes.filter(({ action }) => checkPermission(action, apiKey, { role, isOwn }) !== null).map(name);
    const refusedAsNotOwn = (role: Role) => refused(role, false).filter((text) => !refused(role, true).includes(text));
    const ofAuthor = ["PATCH {queue}/*", "POST {queue}/*/move", "POST {queue}/*/send", "POST {queue}/*/steer"].flatMap(
      (text) => ["{session}", "{project}/settings/agentic-deploy"].map((of) => text.replace("{queue}", `${of}/queue`)),
    );
    expect(sorted(refusedAsNotOwn("owner"))).toEqual(sorted(ofAuthor));
    expect(sorted(refusedAsNotOwn("admin"))).toEqual(sorted(ofAuthor));
    expect(sorted(refusedAsNotOwn("member"))).toEqual(
      sorted([
        ...ofAuthor,
        "DELETE {session}/queue/*",
        "DELETE {project}/settings/agentic-deploy/queue/*",
        "PATCH {cron}",
        "DELETE {cron}",
        "POST {cron}/projects/*/resume",
        "POST {cron}/run",
        "POST {cron}/runs/*/cancel",
        "GET {cron}/runs/*/diagnostics",
      ]),
    );
  });

  it("is not checked when a key revokes itself", () => {
    expect(checkPermission("api-key.revoke-itself", apiKey, { role: null, isOwn: false })).toBeNull();
  });

  it("also applies to an agent and a cron run that act for a user", () => {
    for (const caller of [agent, cronRun]) {
      expect(checkPermission("cron.change", caller, { role: "member", isOwn: false })?.code).toBe("FORBIDDEN");
      expect(checkPermission("cron.change", caller, { role: "member", isOwn: true })).toBeNull();
      expect(checkPermission("session.read", caller, { role: null, isOwn: false })?.code).toBe("FORBIDDEN");
    }
  });
});
