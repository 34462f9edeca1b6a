// The settings of production: nothing in them opens what only the one-machine world may have.
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";
import { areRateLimitsLifted, isDevSignInOpen, isOneMachine } from "../../src/one-machine.ts";
import {
  apiKeyRequestsPerMinute,
  sharedArtifactRequestsPerMinute,
  sharedPreviewRequestsPerMinute,
} from "../../src/rules/limits.ts";

const config = fileURLToPath(new URL("../../wrangler.toml", import.meta.url).href);
const settingsOf = (env?: string) =>
  unstable_readConfig({ config, ...(env ? { env } : {}) }).vars as Record<"PUBLIC_URL" | "SANDBOX_HOST_URL", string>;
const production = settingsOf("production");
const here = { PUBLIC_URL: "http://localhost:8787", SANDBOX_HOST_URL: "http://127.0.0.1:8788" };

it.each(["DEV_SIGN_IN", "RATE_LIMITS"])("wrangler.toml never names %s", (setting) => {
  for (const settings of [settingsOf(), production]) expect(Object.keys(settings)).not.toContain(setting);
});

it("the limits on requests are the contract's, and nothing lifts them in production", () => {
  for (const env of [{}, { env: "production" }]) {
    const ratelimits: { name: string; simple: unknown }[] = unstable_readConfig({ config, ...env }).ratelimits;
    expect(Object.fromEntries(ratelimits.map(({ name, simple }) => [name, simple]))).toEqual({
      KEY_REQUESTS: { limit: apiKeyRequestsPerMinute, period: 60 },
      SHARED_PREVIEW_REQUESTS: { limit: sharedPreviewRequestsPerMinute, period: 60 },
      SHARED_ARTIFACT_REQUESTS: { limit: sharedArtifactRequestsPerMinute, period: 60 },
    });
  }
  expect(areRateLimitsLifted({ ...production, RATE_LIMITS: "off" }, "keys")).toBe(false);
  expect(areRateLimitsLifted({ ...here, RATE_LIMITS: "off" }, "keys")).toBe(true);
  expect(areRateLimitsLifted({ ...here, RATE_LIMITS: "visitors" }, "keys")).toBe(true);
  expect(areRateLimitsLifted({ ...here, RATE_LIMITS: "visitors" }, "visitors")).toBe(false);
  expect(areRateLimitsLifted(here, "keys")).toBe(false);
});

it("production does not have the sign-in without a proof, even if somebody sets it", () => {
  expect(isOneMachine(production)).toBe(false);
  expect(isDevSignInOpen({ ...production, DEV_SIGN_IN: "on" })).toBe(false);
});

it("the sign-in without a proof needs the setting, by its exact word, and loopback on both sides", () => {
  expect(isDevSignInOpen({ ...here, DEV_SIGN_IN: "on" })).toBe(true);
  expect(isDevSignInOpen(here)).toBe(false);
  for (const word of ["", "off", "ON", "true", "1", " on"])
    expect(isDevSignInOpen({ ...here, DEV_SIGN_IN: word })).toBe(false);
  for (const url of [
    "https://switchyard.example",
    "http://localhost.evil.example",
    "http://127.0.0.1.evil.example",
    "",
  ]) {
    expect(isDevSignInOpen({ ...here, PUBLIC_URL: url, DEV_SIGN_IN: "on" })).toBe(false);
    expect(isDevSignInOpen({ ...here, SANDBOX_HOST_URL: url, DEV_SIGN_IN: "on" })).toBe(false);
  }
});
