// A model client's fetch while its service is away or a limit lasts, on a clock of its own.
import { expect, test } from "vitest";
import { toFailedEnd } from "../../../../sandbox-program/agent/pi/failure.ts";
import { withRetries } from "../../../../sandbox-program/agent/pi/outlast.ts";
import { gatewayHeader, longestAbsenceMs, serviceAway } from "../../../../src/model-gateway/rules/service-absence.ts";

type Try = () => Response;
const edge = (status: number) => () => new Response("<h1>away</h1>", { status });
const gateway = (status: number) => () => new Response("ours", { status, headers: { [gatewayHeader]: "1" } });
const limited = (seconds: number) => () =>
  new Response("wait", { status: 429, headers: { [gatewayHeader]: "1", "retry-after": String(seconds) } });
const broken = (code: string) => () => {
  throw new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });
};

/**
 * Calls a service that meets each try with the next of these, and the last of them from then on.
 */
async function callThrough(tries: Try[], onPause = (_: AbortController) => {}) {
  const sent: unknown[] = [];
  const abort = new AbortController();
  let now = 0;
  const fetch = withRetries(
    async (_, init) => {
      sent.push(init?.body);
      const meet = tries[Math.min(sent.length, tries.length) - 1] ?? gateway(200);
      return meet();
    },
    {
      now: () => now,
      async pause(ms, signal) {
        now += ms;
        onPause(abort);
        signal?.throwIfAborted();
      },
    },
  );
  const answer = await fetch("http://service.test", { method: "POST", body: "{}", signal: abort.signal }).catch(
    (error: Error) => error,
  );
  return { answer, sent, waitedMs: now };
}

const away = [broken("ECONNREFUSED"), broken("ECONNRESET"), edge(502), edge(530), edge(500)];

test("a call is sent again, unchanged, until the service is back", async () => {
  const { answer, sent } = await callThrough([...away, gateway(200)]);
  expect(answer).toMatchObject({ status: 200 });
  expect(sent).toEqual(Array.from({ length: away.length + 1 }, () => "{}"));
});

test.each([
  ["a provider's failure", gateway(503)],
  ["a refusal", gateway(403)],
  ["a limit without an end", gateway(429)],
  ["a limit of a minute", limited(60)],
  ["another error", broken("UND_ERR_HEADERS_TIMEOUT")],
])("%s is returned immediately", async (_, outcome) => {
  expect((await callThrough([outcome])).sent).toHaveLength(1);
});

test("a call waits for the end of a short limit, and is sent again, unchanged", async () => {
  const { answer, sent, waitedMs } = await callThrough([limited(20), gateway(200)]);
  expect(answer).toMatchObject({ status: 200 });
  expect([sent, waitedMs]).toEqual([["{}", "{}"], 20_000]);
});

test("a limit that is renewed is left to the agent's own retries", async () => {
  const { answer, sent, waitedMs } = await callThrough([limited(20)]);
  expect(answer).toMatchObject({ status: 429 });
  expect([sent.length, waitedMs]).toEqual([2, 20_000]);
});

test.each([
  ["the service", away],
  ["the end of a limit", [limited(20)]],
])("a stopped turn ends the wait for %s", async (_, tries) => {
  const { answer, sent } = await callThrough(tries, (abort) => abort.abort());
  expect(answer).toMatchObject({ name: "AbortError" });
  expect(sent).toHaveLength(1);
});

test("a service that stays away ends the turn with a reason, in time", async () => {
  const { answer, waitedMs } = await callThrough(away);
  if (!(answer instanceof Response)) throw answer;
  expect(waitedMs).toBe(longestAbsenceMs);
  const { code, message } = serviceAway;
  expect(toFailedEnd(`${answer.status} ${await answer.text()}`)).toEqual({
    type: "failed",
    error: message,
    errorCode: code,
  });
});
