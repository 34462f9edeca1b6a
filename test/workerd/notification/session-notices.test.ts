// What a session sends to its Assignee's devices, also if its object stops in between.
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { captureLog } from "../support/captured-log.ts";
import { addWorkspaceWith } from "../support/people.ts";
import { openPushService, registerPhone, type SentNotification, until } from "../support/push-service.ts";
import { beginSession, started } from "../support/session-driver.ts";

let sent: SentNotification[];
let workspaceId: string;
let mia: string;

beforeEach(async () => {
  const world = await addWorkspaceWith({ mia: "owner" });
  ({ workspaceId } = world);
  ({ mia } = world.users);
  const service = openPushService();
  ({ sent } = service);
  return service.end;
});
afterEach(() => void vi.restoreAllMocks());

describe("a session", () => {
  test("that stops between the turn's end and the notification still sends it", async () => {
    captureLog();
    const token = await registerPhone(mia);
    const driver = await beginSession(null, {
      workspaceId,
      assignee: { kind: "member", userId: mia, name: "Mia", imageUrl: null },
    });
    const link = await driver.link(await driver.startTurn("one"));
    await env.DB.prepare("ALTER TABLE push_notices RENAME TO push_notices_away").run();
    try {
      await link.tell(1, started);
      await link.tell(2, { type: "ended", outcome: { status: "awaiting_response" } });
      const waiting = () =>
        driver.sql<{ attempts: number }>("SELECT attempts FROM effects WHERE key LIKE 'tell-people%'");
      await until(async () => ((await waiting())[0]?.attempts ?? 0) > 0);
      await evictDurableObject(driver.session());
    } finally {
      await env.DB.prepare("ALTER TABLE push_notices_away RENAME TO push_notices").run();
    }
    expect(sent).toEqual([]);
    await runDurableObjectAlarm(driver.session());
    await until(() => sent.length > 0);
    expect(sent).toMatchObject([{ token }]);
  });

  test.each([
    ["awaiting_response", "job_awaiting_response"],
    ["failed", "job_failed"],
  ] as const)("whose turn ends %s notifies its Assignee", async (status, kind) => {
    const token = await registerPhone(mia);
    const driver = await beginSession(null, {
      workspaceId,
      assignee: { kind: "member", userId: mia, name: "Mia", imageUrl: null },
    });
    const link = await driver.link(await driver.startTurn("one"));
    await link.tell(1, started);
    const outcome = status === "failed" ? { status, error: "sk-secret", errorCode: null } : { status };
    await link.tell(2, { type: "ended", outcome });
    await until(() => sent.length > 0);
    expect(sent).toMatchObject([{ token, payload: { kind, chatSessionId: driver.id } }]);
    expect(JSON.stringify(sent)).not.toContain("sk-secret");
  });
});
