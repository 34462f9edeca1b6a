// What `npm start` reads of the environment.
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { readStartSettings } from "../../dev/start-settings.ts";

const github = { token: null, apiUrl: "https://api.github.com", serverUrl: "https://github.com" };

test("without any setting, it is the README's", () => {
  expect(readStartSettings({})).toEqual({
    port: 8787,
    stateDir: resolve(".switchyard"),
    rateLimits: "visitors",
    github,
  });
});

test("each setting counts", () => {
  expect(readStartSettings({ PORT: "9000", STATE_DIR: "/state", RATE_LIMITS: "on" })).toEqual({
    port: 9000,
    stateDir: "/state",
    rateLimits: "on",
    github,
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

test.each([
  [{ GITHUB_TOKEN: " ghp_1\n" }, { ...github, token: "ghp_1" }],
  [{ GITHUB_TOKEN: "" }, github],
  [{ GITHUB_API_URL: "https://code.acme.example/api/v3/" }, { ...github, apiUrl: "https://code.acme.example/api/v3" }],
  [{ GITHUB_SERVER_URL: "http://127.0.0.1:3000" }, { ...github, serverUrl: "http://127.0.0.1:3000" }],
])("%j is how the code host is reached", (env, reached) => {
  expect(readStartSettings(env)).toMatchObject({ github: reached });
});

test.each(["code.acme.example", "http://code.acme.example", "http://localhost.evil.example", "ftp://localhost"])(
  "a token is not sent to %s",
  (GITHUB_API_URL) => {
    expect(readStartSettings({ GITHUB_API_URL })).toBe(
      "GITHUB_API_URL has to be an address that begins with https://, or is on this machine.",
    );
  },
);
