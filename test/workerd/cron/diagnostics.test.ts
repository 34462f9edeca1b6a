// The diagnostics of a run: the program's log, the agent's work in numbers, and how long they are
// stored. And the transcript of one that never started.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { getCronRunObject } from "../../../durable-objects/address.ts";
import { cronRunRoutes } from "../../../src/cron/routes/runs.ts";
import { workspacePays } from "../../../src/provider-login/rules/payer.ts";
import { diagnosticsLogBytes } from "../../../src/rules/limits.ts";
import { beginCron, untilOver } from "../support/cron-driver.ts";
import { issueApiKey } from "../support/issued-keys.ts";
import { dial, started } from "../support/session-driver.ts";
import { unlimitedEnv } from "../support/unlimited-env.ts";

test("the log is the program's newest lines between the phases and the end, and the numbers are those of the turn", async () => {
  const cron = await beginCron();
  const [{ runId } = { runId: "" }] = await cron.runNow();
  const run = getCronRunObject(env, runId);
  const link = await dial(run as never, runId, 1);
  await link.tell(1, started);
  await link.tell(2, { type: "log", lines: "a first line\nand a second\n" });
  const tool = {
    type: "tool",
    name: "read",
    title: "README.md",
    input: { path: "README.md" },
    output: "x",
    fullOutputBytes: null,
    status: "completed",
    startedAt: "2026-01-01T00:00:00.000Z",
    completedAt: "2026-01-01T00:00:01.000Z",
  } as const;
  await link.tell(3, { type: "block", index: 0, block: tool });
  const short = (await run.diagnostics())?.log ?? "";
  expect(short.trimEnd().split("\n").slice(-2)).toEqual(["a first line", "and a second"]);
  expect((await run.diagnostics())?.donePayload).toBeNull();
  const tokens = { input: 100, cacheRead: 50, cacheWrite: 0, output: 10 };
  for (const id of ["call-1", "call-2", "call-1"])
    await run.countCall({ id, workId: runId, payer: workspacePays, tokens });
  const line = "é".repeat(2_000);
  for (let seq = 4; seq < 90; seq++) await link.tell(seq, { type: "log", lines: `${seq} ${line}\n` });
  await link.tell(90, { type: "ended", outcome: { status: "completed" } });
  await untilOver(cron, runId);
  const { log, donePayload } = (await run.diagnostics()) ?? {};
  const lines = log?.split("\n").filter((one) => one !== "") ?? [];
  expect(new TextEncoder().encode(log ?? "").length).toBeLessThanOrEqual(diagnosticsLogBytes);
  expect(lines.at(-1)).toContain("succeeded");
  expect(lines.at(-2)).toBe(`89 ${line}`);
  // As many whole lines as fit: none is cut.
  expect(lines.slice(0, -1).map((one) => one.length)).toEqual(lines.slice(0, -1).map(() => 2_003));
  expect(lines.length).toBe(66);
  expect(donePayload).toMatchObject({
    modelTurns: 2,
    toolCalls: 1,
    usage: { inputTokens: 200, cachedTokens: 100, outputTokens: 20 },
  });

  const stored = () =>
    runInDurableObject(run, (_, { storage }) => storage.sql.exec("SELECT bytes FROM log_pieces").toArray());
  const kept = await stored();
  expect(kept.reduce((sum, { bytes }) => sum + Number(bytes), 0)).toBeLessThan(diagnosticsLogBytes + 40_000);
  expect(kept.length).toBeLessThan(30);
  await runInDurableObject(run, (_, { storage }) => {
    storage.sql.exec("UPDATE reminders SET at = 0 WHERE name = 'forget-log'");
  });
  await runDurableObjectAlarm(run);
  await expect.poll(stored).toEqual([]);
});

test("a run that never started has no messages: its only page is the first", async () => {
  const cron = await beginCron();
  await cron.runNow();
  const [skipped] = await cron.runNow();
  expect(skipped?.status).toBe("skipped");
  await expect.poll(cron.rows).toHaveLength(2);
  const { token } = await issueApiKey(env.DB, { userId: cron.userId, name: "k", expiresAt: null }, Date.now());
  const route = cronRunRoutes.find(({ operation }) => operation === "readCronRunMessages");
  const readMessages = (query: string) => {
    const request = new Request(`http://service.test/${query}`, { headers: { authorization: `Bearer ${token}` } });
    const params = { workspaceId: cron.workspaceId, cronId: cron.id, runId: skipped?.runId ?? "" };
    return route?.serve(request, unlimitedEnv, params);
  };
  const none = { status: "skipped", messages: [] };
  expect(await readMessages("?limit=10")).toMatchObject({ data: { ...none, hasMore: false, before: null } });
  expect(await readMessages("")).toMatchObject({ data: none });
});
