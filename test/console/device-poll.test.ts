// The questions about a sign-in by device code, on a clock of its own.
import { ConnectionError, type Schemas, SwitchyardError } from "@switchyard/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startDevicePoll } from "../../console/src/account/device-poll.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const failWith = (status: number) =>
  new SwitchyardError("No.", {
    ...{ status, failure: { code: "SERVICE_UNAVAILABLE", details: undefined }, requestId: null },
    ...{ retryAfterMs: null, operation: "POST /x" },
  });
const lost = new ConnectionError("POST /x", true, null);
const waiting = { authenticated: false, intervalSeconds: 7 };

/** Polls for ten minutes. Each question meets the next outcome, and the last one from then on. */
async function pollThrough(outcomes: (Error | Schemas["SignInAnswer"] | null)[]) {
  const beganAt = Date.now();
  const askedAt: number[] = [];
  const onRefusal = vi.fn();
  const stop = startDevicePoll(
    {
      ...{ userCode: "AB-12", verificationUrl: "https://x.test", loginToken: "t", intervalSeconds: 5 },
      expiresAt: new Date(beganAt + 60_000).toISOString(),
    },
    {
      ask: async () => {
        askedAt.push((Date.now() - beganAt) / 1_000);
        const outcome = outcomes[Math.min(askedAt.length, outcomes.length) - 1] ?? null;
        if (outcome instanceof Error) throw outcome;
        return outcome;
      },
      onRefusal,
    },
  );
  await vi.advanceTimersByTimeAsync(600_000);
  stop();
  return { askedAt, refusals: onRefusal.mock.calls };
}

test.each([
  ["a lost question", lost],
  ["a service that is away", failWith(503)],
  ["too many questions", failWith(429)],
])("%s is asked again", async (_, failure) => {
  expect(await pollThrough([failure, waiting, { authenticated: true }])).toEqual({
    askedAt: [5, 10, 17],
    refusals: [],
  });
});

test("a refusal ends the poll, and so does a service that is away when the code expires", async () => {
  const refusal = failWith(400);
  expect(await pollThrough([waiting, refusal])).toEqual({ askedAt: [5, 12], refusals: [[refusal]] });
  const away = failWith(503);
  const { askedAt, refusals } = await pollThrough([away]);
  expect([askedAt.at(-1), refusals]).toEqual([60, [[away]]]);
});

test("nothing is asked after the end", async () => {
  expect((await pollThrough([null])).askedAt).toEqual([5]);
  expect((await pollThrough([{ authenticated: false, restart: true }])).askedAt).toEqual([5]);
});
