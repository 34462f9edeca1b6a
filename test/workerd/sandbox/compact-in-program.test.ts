// A compaction in a sandbox: it wakes the sandbox, keeps it from going idle, and returns the
// program's result.
import { beforeEach, describe, expect, test } from "vitest";
import { verify } from "../../../src/lib/signing.ts";
import type { SandboxToken } from "../../../src/sandbox/token.ts";
import type { CompactionRequest } from "../../../src/sandbox/turn-request.ts";
import type { Compaction } from "../../../src/sandbox-protocol/protocol.ts";
import {
  freshSandbox,
  host,
  idle,
  key,
  model,
  owner,
  profile,
  sandbox,
  saveBehindTurn,
  savedWork,
  until,
} from "../support/sandbox-driver.ts";
import { programRefusal } from "../support/scripted-host.ts";

beforeEach(freshSandbox);

const request: CompactionRequest = {
  owner: { type: "session", id: owner.id },
  sandboxOwner: owner,
  commandId: "command-1",
  model,
  payer: { type: "workspace" },
  conversationId: "conversation-1",
  profile,
  focus: "the departures board",
};
const compacted = (answer: boolean) => () => Response.json({ compacted: answer });

describe("a compaction", () => {
  test("wakes a paused sandbox and returns the program's result", async () => {
    await sandbox().wakeForPreview(owner);
    await sandbox().stopGracefully();
    await until(async () => (await sandbox().status()).state).toBe("paused");
    host.answerNext("POST /compactions", compacted(true));
    expect(await sandbox().compact(request)).toEqual({ compacted: true });
    expect(host.count(`start ${key}`)).toBe(2);
  });

  test("has a token for the command, and the URL of the gateway", async () => {
    await sandbox().wakeForPreview(owner);
    host.answerNext("POST /compactions", compacted(true));
    await sandbox().compact(request);
    const { model, ...rest } = JSON.parse(host.bodies.at(-1) ?? "{}") as Compaction;
    expect(rest).toEqual({
      commandId: "command-1",
      conversationId: "conversation-1",
      profile,
      focus: "the departures board",
    });
    expect(model).toMatchObject({ id: "opus", baseUrl: "http://service.test/internal/models/anthropic" });
    const token = await verify<SandboxToken>({ SIGNING_KEY: "tests" }, "pass", model.token, Date.now());
    expect(token).toMatchObject({ turnId: "command-1", generation: 1, sandboxKey: key, owner: request.owner });
  });

  test("keeps the sandbox from going idle, until it is over and saved", async () => {
    await sandbox().wakeForPreview(owner);
    let isOver = false;
    host.answerNext("POST /compactions", async () => {
      while (!isOver) await scheduler.wait(5);
      return Response.json({ compacted: true });
    });
    const answer = sandbox().compact(request);
    await until(async () => host.count("POST /compactions")).toBe(1);
    await idle();
    expect((await sandbox().status()).state).toBe("running");
    isOver = true;
    expect(await answer).toEqual({ compacted: true });
    await until(savedWork).toHaveLength(1);
    await idle();
    await until(async () => (await sandbox().status()).state).toBe("paused");
  });

  test("of an unknown conversation does nothing, and starts no sandbox", async () => {
    expect(await sandbox().compact(request)).toEqual({ compacted: false });
    expect(host.count(`start ${key}`)).toBe(0);
    await sandbox().wakeForPreview(owner);
    host.answerNext("POST /compactions", programRefusal("CONVERSATION_MISSING", "no such conversation"));
    expect(await sandbox().compact(request)).toEqual({ compacted: false });
  });

  test.each([
    ["TURN_RUNNING", "JOB_ACTIVE"],
    ["COMPACTION_FAILED", "SERVICE_UNAVAILABLE"],
  ])("that the program refuses as %s is refused as %s, and releases the sandbox", async (code, refused) => {
    await sandbox().wakeForPreview(owner);
    host.answerNext("POST /compactions", programRefusal(code, "told to refuse"));
    expect(await sandbox().compact(request)).toMatchObject({ code: refused });
    await idle();
    await until(async () => (await sandbox().status()).state).toBe("paused");
  });

  test("in a sandbox that was lost unnoticed runs in the next one", async () => {
    await sandbox().wakeForPreview(owner);
    await saveBehindTurn();
    host.lose(key);
    host.answerNext(
      "POST /compactions",
      () => new Response(null, { status: 503, headers: { "x-sandbox-missing": "1" } }),
      compacted(true),
    );
    expect(await sandbox().compact(request)).toEqual({ compacted: true });
    expect(host.count(`start ${key}`)).toBe(2);
  });
});
