// The wait for a provider's response.
import { expect, test } from "vitest";
import { receiveResponse } from "../../../src/model-gateway/upstream.ts";

const never = (signal: AbortSignal) =>
  new Promise<Response>((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
const nobody = () => new AbortController().signal;

test("a response that arrives is forwarded", async () => {
  const answer = new Response("ok");
  expect(await receiveResponse(nobody(), async () => answer)).toBe(answer);
});

test("a provider that never responds is aborted, and one that cannot be reached has another error", async () => {
  expect(await receiveResponse(nobody(), never, 5)).toBe("silent");
  expect(await receiveResponse(nobody(), () => Promise.reject(new TypeError("fetch failed")))).toBe("unreachable");
});

test("a caller that cancels gets its own error", async () => {
  const caller = new AbortController();
  const asked = receiveResponse(caller.signal, never);
  caller.abort();
  await expect(asked).rejects.toThrow("aborted");
});
