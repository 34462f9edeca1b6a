// The wait for a provider's answer.
import { expect, test } from "vitest";
import { answerOf } from "../../src/model-gateway/upstream.ts";

const never = (signal: AbortSignal) =>
  new Promise<Response>((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
const nobody = () => new AbortController().signal;

test("an answer that comes is passed on", async () => {
  const answer = new Response("ok");
  expect(await answerOf(nobody(), async () => answer)).toBe(answer);
});

test("a provider that never answers is given up, one that cannot be reached is told apart", async () => {
  expect(await answerOf(nobody(), never, 5)).toBe("silent");
  expect(await answerOf(nobody(), () => Promise.reject(new TypeError("fetch failed")))).toBe("unreachable");
});

test("a caller that breaks off hears its own error", async () => {
  const caller = new AbortController();
  const asked = answerOf(caller.signal, never);
  caller.abort();
  await expect(asked).rejects.toThrow("aborted");
});
