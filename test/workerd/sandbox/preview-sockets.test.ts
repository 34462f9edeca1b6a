// The sockets of a preview outlive the Auth Token that opened them, but not its reason: a
// key of a member, or a public link.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { issueBrowserSession } from "../../../src/key/queries/browser-sessions.ts";
import { createCronRunKey, issueAgentToken, revokeAgentTokens, revokeUserKey } from "../../../src/key/queries/keys.ts";
import { getKeyHash } from "../../../src/lib/base64url.ts";
import { sign } from "../../../src/lib/signing.ts";
import { authTokenParam, createFrontendUrls, findGrant } from "../../../src/preview/host/address.ts";
import { relaySocket } from "../../../src/preview/host/socket.ts";
import { isGrantValid } from "../../../src/preview/queries/grants.ts";
import { createShareLink, revokeShareLink } from "../../../src/preview/queries/share-links.ts";
import { createRelayLimits } from "../../../src/preview/rules/relay-limit.ts";
import { authTokenLifetimeMs, previewRelayBytes, previewRelayMs } from "../../../src/rules/limits.ts";
import { removeMember } from "../../../src/workspace/queries/members.ts";
import { issueApiKey } from "../support/issued-keys.ts";
import { addWorkspaceWith } from "../support/people.ts";
import { freshSandbox, host, owner, sandbox } from "../support/sandbox-driver.ts";
import { unlimitedEnv } from "../support/unlimited-env.ts";

describe("a socket", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());

  test("is closed on both sides if its visitor has lost access, but not if the check fails", async () => {
    const answers = [async () => true, () => Promise.reject(new Error("the database is away")), async () => false];
    let asked = 0;
    const mayStay = () => answers[asked++]?.() ?? Promise.reject(new Error("asked behind the end"));
    const { 0: forwarded, 1: service } = new WebSocketPair();
    service.accept();
    const relay = { limits: createRelayLimits(), onUse() {}, mayStay };
    const answer = relaySocket(new Response(null, { status: 101, webSocket: forwarded }), relay);
    const visitor = answer.webSocket;
    if (!visitor) throw new Error("no WebSocket");
    visitor.accept();
    const closed = Promise.all(
      [visitor, service].map(
        (socket) => new Promise((end) => socket.addEventListener("close", (event) => end(event.code))),
      ),
    );
    await vi.advanceTimersByTimeAsync(2 * authTokenLifetimeMs);
    expect([asked, visitor.readyState, service.readyState]).toEqual([2, WebSocket.OPEN, WebSocket.OPEN]);
    await vi.advanceTimersByTimeAsync(authTokenLifetimeMs);
    expect(await closed).toEqual([1008, 1001]);
    await vi.advanceTimersByTimeAsync(3 * authTokenLifetimeMs);
    expect(asked).toBe(3);
  });
});

describe("the sockets of a sandbox", () => {
  beforeEach(async () => {
    await freshSandbox();
    await sandbox().wakeForPreview(owner);
    vi.useFakeTimers({ toFake: ["Date"] });
  });
  afterEach(() => void vi.useRealTimers());

  /** Opens a socket of a service that answers a number with so many characters of two bytes. */
  async function open() {
    const closes: unknown[] = [];
    host.answerNext("GET /live", () => {
      const { 0: forwarded, 1: service } = new WebSocketPair();
      service.accept();
      service.addEventListener("message", ({ data }) => service.send("é".repeat(Number(data))));
      service.addEventListener("close", ({ code }) => void closes.push(code));
      return new Response(null, { status: 101, webSocket: forwarded });
    });
    const headers = { upgrade: "websocket", "x-preview-port": "4000" };
    const { webSocket: visitor } = await sandbox().fetch("http://web.preview.test/live", { headers });
    if (!visitor) throw new Error("no WebSocket");
    visitor.accept();
    visitor.addEventListener("close", ({ code }) => void closes.push(code));
    const lengths: number[] = [];
    visitor.addEventListener("message", ({ data }) => void lengths.push(String(data).length));
    return { visitor, lengths, closes };
  }

  test("relay up to a limit together, and the message that exceeds it closes its own socket", async () => {
    const [first, second] = [await open(), await open()];
    const quarter = previewRelayBytes / 8;
    for (let sent = 0; sent < 4; sent++) first.visitor.send(String(quarter));
    await expect.poll(() => first.lengths).toEqual([quarter, quarter, quarter, quarter]);
    second.visitor.send("1");
    await expect.poll(() => second.closes).toEqual([1009, 1009]);
    vi.setSystemTime(Date.now() + previewRelayMs);
    first.visitor.send("1");
    await expect.poll(() => first.lengths.at(-1)).toBe(1);
    expect([second.lengths, first.closes]).toEqual([[], []]);
    first.visitor.close(1000);
  });
});

describe("a grant", () => {
  const now = 1_000;
  const linkMadeAt = 7;

  async function open() {
    const { workspaceId, users } = await addWorkspaceWith({ olive: "owner", mia: "member" });
    const sandboxKey = crypto.randomUUID();
    const projectId = crypto.randomUUID();
    const link = { sandboxKey, slug: sandboxKey, projectId, sessionId: null, lastViewedAt: null };
    await createShareLink(env.DB, { ...link, createdAt: linkMadeAt, createdBy: users.olive });
    const { row } = await issueApiKey(env.DB, { userId: users.mia, name: "CI", expiresAt: now + 1 }, now);
    const ofNobody = { sandboxKey, linkMadeAt: null, userId: null, keyId: null };
    const isValid = (more: object) => isGrantValid(env.DB, { ...ofNobody, ...more }, workspaceId, now);
    const ofKey = { userId: users.mia, keyId: row.id };
    const listValid = () => Promise.all([isValid(ofKey), isValid({ linkMadeAt })]);
    return { workspaceId, link, users, ofKey, isValid, listValid };
  }
  type Opened = Awaited<ReturnType<typeof open>>;
  const update = (sql: string, id: string) => env.DB.prepare(sql).bind(id).run();

  test("is valid for the key of a member and for a public link, and for nothing else", async () => {
    const { users, ofKey, isValid, listValid } = await open();
    expect(await listValid()).toEqual([true, true]);
    const others = [
      {},
      { linkMadeAt: linkMadeAt - 1 },
      { ...ofKey, keyId: "key_unknown" },
      { ...ofKey, userId: users.olive },
      // An Auth Token without a key.
      { ...ofKey, keyId: null },
      // An agent that acts as nobody.
      { ...ofKey, userId: null },
    ];
    expect(await Promise.all(others.map(isValid))).toEqual(others.map(() => false));
  });

  test("names the key that requested it, and is read from a token that names none", async () => {
    const host = { hostLabel: "web", sandboxKey: "s1" };
    const grant = { sandboxKey: "s1", sessionId: null, linkMadeAt: null, userId: "usr_1" };
    const frontends = [{ key: "web", hostLabel: "web", service: "web", port: 3_000 }];
    const { web = "" } = await createFrontendUrls(unlimitedEnv, { ...grant, keyId: "key_1" }, frontends, now);
    const token = new URL(web).searchParams.get(authTokenParam) ?? "";
    const earlier = await sign(env, "auth-token", { ...grant, ports: { web: 3_000 } }, now + 1);
    expect(await findGrant(unlimitedEnv, [token], host, now)).toEqual({ ...grant, keyId: "key_1", port: 3_000 });
    expect(await findGrant(unlimitedEnv, [earlier], host, now)).toEqual({ ...grant, keyId: null, port: 3_000 });
  });

  const ends: [when: string, end: (opened: Opened) => Promise<unknown>, leaves: [ofKey: boolean, ofLink: boolean]][] = [
    ["its key is revoked", ({ ofKey }) => revokeUserKey(env.DB, "api-key", ofKey.userId, ofKey.keyId), [false, true]],
    [
      "its key expires",
      ({ ofKey }) => update("UPDATE keys SET expires_at = 1000 WHERE id = ?1", ofKey.keyId),
      [false, true],
    ],
    [
      "its member is suspended",
      ({ users }) => update("UPDATE users SET suspended_at = 1 WHERE id = ?1", users.mia),
      [false, true],
    ],
    [
      "its member is removed",
      ({ workspaceId, users: { mia: userId, olive: byUserId } }) =>
        removeMember(env.DB, { workspaceId, userId, byUserId, event: null }),
      [false, true],
    ],
    ["its link is revoked", ({ link }) => revokeShareLink(env.DB, link), [true, false]],
    [
      "its workspace is suspended",
      ({ workspaceId }) => update("UPDATE workspaces SET suspended_at = 1 WHERE id = ?1", workspaceId),
      [false, false],
    ],
  ];
  test.for(ends)("ends when %s", async ([, end, leaves]) => {
    const opened = await open();
    await end(opened);
    expect(await opened.listValid()).toEqual(leaves);
  });

  test("of a browser ends at the sign-out, one of an agent or a cron run with its turn", async () => {
    const { workspaceId, users, isValid } = await open();
    const [userId, turnId] = [users.mia, crypto.randomUUID()];
    const at = { workspaceId, expiresAt: now + 1, turnId, userId };
    const agent = await issueAgentToken(env.DB, { ...at, sessionId: "s" }, now);
    const browser = (await issueBrowserSession(env.DB, userId, now)) ?? "";
    const run = { cronId: "c", runId: turnId, workspaceId, projectId: "p", createdBy: userId };
    const bounds = { writer: null, isAskedByAgent: false };
    const { token, insertion } = await createCronRunKey(env.DB, { ...run, bounds }, now);
    await insertion.run();
    const hashes = await Promise.all([browser, agent, token].map(getKeyHash));
    const keyIds = await Promise.all(
      hashes.map((hash) => env.DB.prepare("SELECT id FROM keys WHERE hash = ?1").bind(hash).first<string>("id")),
    );
    const listValid = () => Promise.all(keyIds.map((keyId) => isValid({ userId, keyId })));
    expect(await listValid()).toEqual([true, true, true]);
    await revokeAgentTokens(env.DB, turnId);
    expect(await listValid()).toEqual([true, false, false]);
    await revokeUserKey(env.DB, "browser", userId, keyIds[0] ?? "");
    expect(await listValid()).toEqual([false, false, false]);
  });
});
