// What `npm start` reads of the environment.
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { readStartSettings } from "../../dev/start-settings.ts";

test("without any setting, it is the README's", () => {
  expect(readStartSettings({})).toEqual({ port: 8787, stateDir: resolve(".switchyard"), rateLimits: "visitors" });
});

test("each setting counts", () => {
  expect(readStartSettings({ PORT: "9000", STATE_DIR: "/state", RATE_LIMITS: "on" })).toEqual({
    port: 9000,
    stateDir: "/state",
    rateLimits: "on",
  });
});

test.each(["abc", "80000", "65536", "0", "-1", "80.5", "1e3", " 80"])("PORT=%j is told in one line", (PORT) => {
  expect(readStartSettings({ PORT })).toBe(`PORT has to be a number from 1 to 65535, and is ${JSON.stringify(PORT)}.`);
});

test("RATE_LIMITS that nobody knows is told in one line", () => {
  expect(readStartSettings({ RATE_LIMITS: "yes" })).toBe(
    'RATE_LIMITS has to be one of on, visitors, off, and is "yes".',
  );
});
