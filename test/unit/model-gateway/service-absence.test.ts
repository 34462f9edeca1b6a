// Which outcomes of a model call mean that the service is unavailable, and how long its agent
// waits.
import { describe, expect, test } from "vitest";
import { callFailures } from "../../../src/model-gateway/rules/failure.ts";
import {
  findModelRetryDelayMs,
  isAbsence,
  longestAbsenceMs,
  serviceAway,
} from "../../../src/model-gateway/rules/service-absence.ts";
import { turnSilenceMs } from "../../../src/rules/limits.ts";

const fromEdge = (status: number) => ({ type: "answered", status, isOfGateway: false }) as const;
const fromGateway = (status: number) => ({ type: "answered", status, isOfGateway: true }) as const;
const failed = (code: string | null) => ({ type: "failed", code }) as const;

describe("the service is unavailable", () => {
  test.each([500, 502, 503, 504, 520, 522, 524, 530])("if the edge returns %i", (status) => {
    expect(isAbsence(fromEdge(status))).toBe(true);
  });
  test.each(["ECONNREFUSED", "ECONNRESET", "UND_ERR_SOCKET", "UND_ERR_CONNECT_TIMEOUT", "EAI_AGAIN"])(
    "if a connection ends with %s",
    (code) => expect(isAbsence(failed(code))).toBe(true),
  );
});

describe("the service is available", () => {
  test.each([200, 400, 401, 403, 404, 413, 424, 429, 529])("if it returns %i", (status) => {
    expect([isAbsence(fromEdge(status)), isAbsence(fromGateway(status))]).toEqual([false, false]);
  });
  test.each([500, 502, 503, 504, 520, 530])("if the gateway forwards a %i of a provider", (status) => {
    expect(isAbsence(fromGateway(status))).toBe(false);
  });
  test.each([null, "ABORT_ERR", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"])("if a call fails with %s", (code) =>
    expect(isAbsence(failed(code))).toBe(false),
  );
});

describe("the delay before a call is repeated", () => {
  test.each([
    [1, 0, 0, 50],
    [1, 0, 1, 150],
    [2, 0, 0.5, 200],
    [5, 0, 0.5, 1_600],
    [6, 0, 0.5, 3_000],
    [1_000, 60_000, 1, 4_500],
    [50, longestAbsenceMs - 700, 1, 700],
    [50, longestAbsenceMs, 0, null],
  ])("after %i tries in %i ms, with %d drawn: %s", (tries, waitedMs, random, pauseMs) => {
    expect(findModelRetryDelayMs(tries, waitedMs, random)).toBe(pauseMs);
  });

  test("the wait ends before a turn without a sign of life is ended", () => {
    expect(longestAbsenceMs).toBeGreaterThanOrEqual(100_000);
    expect(longestAbsenceMs).toBeLessThan(turnSilenceMs);
  });
});

test("the failure of a service that stayed unavailable is one that no agent repeats", () => {
  expect(callFailures[serviceAway.code][0]).toBe(424);
});
