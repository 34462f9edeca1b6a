// What the agent of a turn cannot do with the credentials of its turn: run a tool that its message
// does not call for, and send to its own session.
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { Sender } from "../../../src/access/rules/actor.ts";
import { receiveArtifact } from "../../../src/artifact/upload-route.ts";
import { handleToolCall } from "../../../src/chat/tool-route.ts";
import type { Env } from "../../../src/env.ts";
import { issueToken, type TurnToken } from "../../../src/sandbox/token.ts";
import { beginSession, by, completed, type SessionDriver, started, textBlock } from "../support/session-driver.ts";

const sha = "a".repeat(40);
const settings = { ...env, SIGNING_KEY: "tests" } as unknown as Env;

/** Calls a tool as anything in the sandbox of a turn can. */
async function tool(driver: SessionDriver, turnId: string, name: string, input: object = {}): Promise<number> {
  const { workspaceId, projectId, sandboxKey } = driver.record;
  const owner = { type: "session", id: driver.id } as const;
  const token: TurnToken = {
    workspaceId,
    projectId,
    sandboxKey,
    owner,
    turnId,
    generation: 1,
    git: "push",
    branch: "b",
  };
  const headers = { authorization: `Bearer ${await issueToken(settings, token, Date.now() + 60_000)}` };
  const request = (method: string) => new Request("http://service", { method, headers, body: JSON.stringify(input) });
  if (name === "artifact") return (await receiveArtifact(request("PUT"), settings)).status;
  return (await handleToolCall(request("POST"), settings, name)).status;
}

const ship = (driver: SessionDriver, turnId: string) => tool(driver, turnId, "ship", { sha });
const openPr = (driver: SessionDriver, turnId: string) =>
  tool(driver, turnId, "open-pull-request", { title: "T", body: "B" });
const mia = by.type === "member" ? by : null;
const createAgent = (sessionId: string): Sender => {
  return { type: "session-agent", sessionId, user: mia?.user ?? null, role: mia?.role ?? null };
};

describe("a tool", () => {
  test.each([
    ["Look around.", by, { ship: false, openPr: false, sync: false }],
    ["/svc:ship", by, { ship: true, openPr: false, sync: false }],
    ["/svc:open-pr", by, { ship: false, openPr: true, sync: false }],
    ["/svc:sync-branch", by, { ship: false, openPr: false, sync: true }],
    ["/svc:ship", { type: "relay" }, { ship: false, openPr: false, sync: false }],
    ["/svc:ship", createAgent("session-2"), { ship: false, openPr: false, sync: false }],
    ["/svc:open-pr", createAgent("session-2"), { ship: false, openPr: true, sync: false }],
  ] as const)("is run in a turn of %j only if that calls for it", async (content, sender, offered) => {
    const driver = await beginSession();
    const delivery = await driver.send(content, { by: sender as Sender });
    if (!("turnId" in delivery)) throw new Error("no turn");
    const { turnId } = delivery;
    const link = await driver.link(turnId);
    await link.tell(1, started);
    expect((await ship(driver, turnId)) !== 403).toBe(offered.ship);
    expect((await openPr(driver, turnId)) !== 403).toBe(offered.openPr);
    expect((await tool(driver, turnId, "branch-sync-plan")) !== 403).toBe(offered.sync);
    expect((await tool(driver, turnId, "branch-synced")) !== 403).toBe(offered.sync);
    expect(await tool(driver, turnId, "artifact")).not.toBe(403);
    expect(await tool(driver, turnId, "unheard-of")).toBe(404);
    await link.tell(2, completed);
    for (const name of ["artifact", "ship", "branch-synced"]) expect(await tool(driver, turnId, name)).toBe(403);
  });

  test("of a skill that has asked continues with an answer of a user who could have called it", async () => {
    for (const [sender, ships] of [
      [by, true],
      [{ type: "relay" }, false],
    ] as const) {
      const driver = await beginSession();
      const first = await driver.startTurn("/svc:ship");
      const link = await driver.link(first);
      await link.tell(1, started);
      await link.tell(2, textBlock(0, "Which one?"));
      await link.tell(3, { type: "ended", outcome: { status: "awaiting_response" } });
      const answer = await driver.send("The second.", { by: sender });
      if (!("turnId" in answer)) throw new Error("no turn");
      expect((await ship(driver, answer.turnId)) !== 403).toBe(ships);
    }
  });
});

describe("an agent in its own session", () => {
  const forbidden = { code: "FORBIDDEN", message: expect.stringContaining("own session") };

  test("cannot send, even if it acts as the member of the turn", async () => {
    const driver = await beginSession();
    const itself = createAgent(driver.id);
    expect(await driver.send("/svc:open-pr -d", { by: itself })).toMatchObject(forbidden);
    await driver.startTurn("one");
    expect(await driver.send("more", { by: itself })).toMatchObject(forbidden);
    expect(
      await driver
        .session()
        .runCommand({ command: "/clear", instructions: null, sandbox: null, isHeldByDeploy: false, by: itself }, null),
    ).toMatchObject(forbidden);
    expect((await driver.state()).chat.upNext).toEqual([]);
  });

  test("cannot steer, send or edit the queued messages", async () => {
    const driver = await beginSession();
    const itself = createAgent(driver.id);
    await driver.startTurn("one");
    const queued = await driver.send("two");
    if (!("queuedMessageId" in queued)) throw new Error("not queued");
    const { queuedMessageId: messageId } = queued;
    const edit = { type: "edit", messageId, by: itself, version: null, content: "/svc:ship" } as const;
    const rewrite = { ...edit, retained: null, added: [], editing: null };
    expect(await driver.session().updateQueue(rewrite)).toMatchObject(forbidden);
    expect(await driver.session().steer(messageId, itself, null)).toMatchObject(forbidden);
    expect(await driver.sendNow(messageId, itself)).toMatchObject(forbidden);
    expect(await driver.resume(itself)).toMatchObject(forbidden);
    expect((await driver.state()).chat.upNext).toMatchObject([{ id: messageId, content: "two" }]);
  });

  test("may send to any other session", async () => {
    const driver = await beginSession();
    expect(await driver.send("hello", { by: createAgent("session-2") })).toMatchObject({ delivery: "job" });
  });
});
