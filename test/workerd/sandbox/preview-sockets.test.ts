// The sockets of a preview outlive the Auth Token that opened them, but not its reason: a
// membership, or a public link.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { isGrantValid } from "../../../durable-objects/sandbox/preview.ts";
import { relaySocket } from "../../../src/preview/host/socket.ts";
import { createShareLink, revokeShareLink } from "../../../src/preview/queries/share-links.ts";
import { authTokenLifetimeMs } from "../../../src/rules/limits.ts";
import { removeMember } from "../../../src/workspace/queries/members.ts";
import { addWorkspaceWith } from "../support/people.ts";

describe("a socket", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());

  test("is closed on both sides if its visitor has lost access, but not if the check fails", async () => {
    const answers = [async () => true, () => Promise.reject(new Error("the database is away")), async () => false];
    let asked = 0;
    const mayStay = () => answers[asked++]?.() ?? Promise.reject(new Error("asked behind the end"));
    const { 0: forwarded, 1: service } = new WebSocketPair();
    service.accept();
    const answer = relaySocket(new Response(null, { status: 101, webSocket: forwarded }), { onUse() {}, mayStay });
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

test("a grant is valid while its member is in the workspace, or its own link exists", async () => {
  const { workspaceId, users } = await addWorkspaceWith({ olive: "owner", mia: "member" });
  const sandboxKey = crypto.randomUUID();
  const grant = { sandboxKey, sessionId: null, linkMadeAt: null, userId: null };
  const stands = (more: object) => isGrantValid(env, { ...grant, ...more }, workspaceId);
  const link = { sandboxKey, slug: sandboxKey, projectId: "p", sessionId: null, createdAt: 7, lastViewedAt: null };
  await createShareLink(env.DB, { ...link, createdBy: users.olive });
  const both = () => Promise.all([stands({ userId: users.mia }), stands({ linkMadeAt: 7 })]);
  expect(await both()).toEqual([true, true]);
  expect(await Promise.all([stands({}), stands({ linkMadeAt: 6 }), stands({ userId: "usr_stranger" })])).toEqual([
    false,
    false,
    false,
  ]);
  await removeMember(env.DB, { workspaceId, userId: users.mia, byUserId: users.olive, event: null });
  await revokeShareLink(env.DB, sandboxKey);
  expect(await both()).toEqual([false, false]);
});
