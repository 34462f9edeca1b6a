// Starts that break off before the sandbox runs.
import { beforeEach, describe, expect, test } from "vitest";
import { freshSandbox, generation, host, key, owner, sandbox, turnRequest, until } from "../support/sandbox-driver.ts";

beforeEach(freshSandbox);

const state = async () => (await sandbox().status()).state;

test("a start that the platform has no room for is repeated, and then the sandbox runs", async () => {
  const full = "there is no container instance that can be provided to this durable object";
  host.answerNext(`start ${key}`, () => new Response(full, { status: 503 }));
  await sandbox().wakeForPreview(owner);
  await until(state).toBe("running");
  expect([await generation(), host.count(`start ${key}`)]).toEqual([1, 2]);
});

describe("a start that breaks for no known reason", () => {
  const breaks = () => new Response("It broke.", { status: 500 });

  test("is repeated, and then the sandbox runs", async () => {
    host.answerNext(`start ${key}`, breaks);
    await sandbox().wakeForPreview(owner);
    await until(state).toBe("running");
    expect([await generation(), host.count(`start ${key}`)]).toEqual([1, 2]);
  });

  test("each time fails with what to do", async () => {
    host.answerNext(`start ${key}`, breaks, breaks, breaks);
    const outcome = await sandbox().startTurn(turnRequest);
    expect(outcome).toMatchObject({ taken: false, error: expect.stringMatching(/could not be started. Try again/) });
    expect([await generation(), host.count(`start ${key}`)]).toEqual([1, 3]);
  });
});
