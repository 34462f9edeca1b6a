import { describe, expect, it } from "vitest";
import { isRefusal, type RefusalCode, refusals, refuse } from "../../../src/rules/refusal.ts";

/** The "Errors" tables of both parts, then what the decisions add. */
const contract: Record<number, string> = {
  400: "VALIDATION_ERROR BAD_REQUEST SESSION_UNDER_REVIEW",
  401: "UNAUTHORIZED",
  402: "CREDIT_LIMIT_REACHED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  405: "METHOD_NOT_ALLOWED",
  409: `JOB_IN_PROGRESS FILE_CHANGED QUEUE_FULL JOB_STOPPED SESSION_UPDATING SESSION_STATUS_CHANGED SESSION_CHANGED SANDBOX_LIMIT_REACHED
    SANDBOX_STARTING DEPLOY_ACTIVE STEER_UNAVAILABLE COMMAND_IN_FLIGHT JOB_ACTIVE NOT_DEPLOYED DEPLOY_RESUME_UNAVAILABLE
    JOB_STOPPED_TEXT_RETURNED QUEUED_MESSAGE_CHANGED QUEUED_MESSAGE_GONE SKILL_NAME_TAKEN PROVIDER_LOGIN_DUPLICATE
    PROVIDER_LOGIN_LIMIT CRON_RUN_STARTING IDEMPOTENCY_KEY_REUSED CONFLICT`,
  410: "GONE",
  413: "PAYLOAD_TOO_LARGE",
  415: "UNSUPPORTED_MEDIA_TYPE",
  429: "TOO_MANY_REQUESTS",
  500: "INTERNAL_ERROR",
  503: "SERVICE_UNAVAILABLE",
};
const expected = Object.fromEntries(
  Object.entries(contract).flatMap(([status, codes]) => codes.split(/\s+/).map((code) => [code, Number(status)])),
);
const codes = Object.keys(refusals) as RefusalCode[];

describe("refusals", () => {
  it("give each code of the contract its status, and have no other code", () => {
    expect(Object.fromEntries(codes.map((code) => [code, refusals[code].status]))).toEqual(expected);
  });

  it.each(codes)("say in whole sentences what to do about %s", (code) => {
    expect(refuse(code).message).toMatch(/^[A-Z].{14,}\.$/);
  });

  it("keep their code, message and details between objects", () => {
    const refusal = refuse("VALIDATION_ERROR", "The name is empty.", [{ path: "name", message: "empty" }]);
    const arrived: unknown = structuredClone(refusal);
    expect(isRefusal(arrived)).toBe(true);
    expect(arrived).toEqual({
      code: "VALIDATION_ERROR",
      message: "The name is empty.",
      details: [{ path: "name", message: "empty" }],
    });
  });

  it("have no details if none are given", () => {
    expect(Object.keys(refuse("NOT_FOUND"))).toEqual(["code", "message"]);
  });

  it.each([
    ["nothing", undefined],
    ["null", null],
    ["a text", "NOT_FOUND"],
    ["an answer", { delivery: "job" }],
    ["a code alone", { code: "NOT_FOUND" }],
    ["an unknown code", { code: "NOPE", message: "no" }],
    ["a name that every object inherits", { refused: "toString", message: "no" }],
  ])("are not mistaken for %s", (_, value) => {
    expect(isRefusal(value)).toBe(false);
  });
});
