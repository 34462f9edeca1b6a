// What `npm start` reads of the environment.
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { addEnvFile, readEnvFile } from "../../scripts/env-file.ts";
import { deleteCredentials, knownSettings, listKeyNames, readStartSettings } from "../../scripts/settings.ts";

const github = { token: null, apiUrl: "https://api.github.com", serverUrl: "https://github.com" };

test("the defaults are the README's", () => {
  expect(readStartSettings({})).toEqual({
    port: 8787,
    stateDir: resolve(".switchyard"),
    rateLimits: "visitors",
    github,
    real: {},
    plan: null,
    idleMinutes: null,
    previewDomain: null,
    engine: { socket: "unix:///var/run/docker.sock", client: "docker" },
    deploysDemo: true,
    webhooksToLoopback: false,
  });
});

test("each setting counts", () => {
  expect(
    readStartSettings({
      PORT: "9000",
      STATE_DIR: "/state",
      RATE_LIMITS: "on",
      PLAN: "enterprise",
      IDLE_MINUTES: "60",
      DEMO_DEPLOY: "off",
      WEBHOOKS_TO_LOOPBACK: "on",
      PREVIEW_DOMAIN: "preview.acme.test",
      DOCKER_HOST: "unix:///run/other.sock",
      WRANGLER_DOCKER_BIN: "/opt/docker",
    }),
  ).toEqual({
    port: 9000,
    stateDir: "/state",
    rateLimits: "on",
    github,
    real: {},
    plan: "enterprise",
    idleMinutes: 60,
    previewDomain: "preview.acme.test",
    engine: { socket: "unix:///run/other.sock", client: "/opt/docker" },
    deploysDemo: false,
    webhooksToLoopback: true,
  });
});

test.each(["abc", "80000", "65536", "0", "-1", "80.5", "1e3", " 80"])("PORT=%j is refused in one line", (PORT) => {
  expect(readStartSettings({ PORT })).toBe(`PORT has to be a number from 1 to 65535, and is ${JSON.stringify(PORT)}.`);
});

test.each(["preview", "preview.test:80", "https://preview.test", "Preview.test", "*.test"])(
  "PREVIEW_DOMAIN=%s is refused in one line",
  (PREVIEW_DOMAIN) => {
    expect(readStartSettings({ PREVIEW_DOMAIN })).toBe(
      `PREVIEW_DOMAIN has to be a host name without a port, and is "${PREVIEW_DOMAIN}".`,
    );
  },
);

test("an unknown RATE_LIMITS is refused in one line", () => {
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

test.each([
  [{}, {}],
  [{ ANTHROPIC_API_KEY: "" }, {}],
  [{ ANTHROPIC_API_KEY: " sk-1\n" }, { anthropic: { apiKey: "sk-1", baseUrl: null } }],
  [{ ANTHROPIC_BASE_URL: "https://gateway.example" }, {}],
  [
    { OPENAI_API_KEY: "sk-2", OPENAI_BASE_URL: "https://gateway.example/openai/v1/", KIMI_API_KEY: "sk-3" },
    { openai: { apiKey: "sk-2", baseUrl: "https://gateway.example/openai" }, kimi: { apiKey: "sk-3", baseUrl: null } },
  ],
  [
    { ZAI_API_KEY: "k", ZAI_BASE_URL: "http://localhost:4000" },
    { zai: { apiKey: "k", baseUrl: "http://localhost:4000" } },
  ],
])("of %j the real providers are %j", (env, real) => {
  expect(readStartSettings(env)).toMatchObject({ real });
  expect(Object.keys(real)).toHaveLength(listKeyNames(real).length);
});

test.each([
  [{ ANTHROPIC_API_KEY: "sk 1" }, "ANTHROPIC_API_KEY is not a key"],
  [{ ANTHROPIC_API_KEY: "sk-…" }, "ANTHROPIC_API_KEY is not a key"],
  [{ KIMI_API_KEY: "k", KIMI_BASE_URL: "http://gateway.example" }, "KIMI_BASE_URL has to be an address"],
])("%j is refused without its value", (env, message) => {
  expect(readStartSettings(env)).toContain(message);
});

test("exactly the credentials are removed from an environment", () => {
  const env: Record<string, string | undefined> = {
    PORT: "1",
    GITHUB_TOKEN: "t",
    ANTHROPIC_API_KEY: "a",
    KIMI_API_KEY: "k",
  };
  deleteCredentials(env);
  expect(env).toEqual({ PORT: "1" });
});

test("a file of settings adds to the environment, which has precedence", () => {
  const text = "# Ours\nPORT=9000 # the port\nexport OPENAI_API_KEY='sk-1'\nANTROPIC_API_KEY=sk-2\nKIMI_API_KEY=k\n";
  expect(addEnvFile({ PORT: "8000", KIMI_API_KEY: "" }, text)).toEqual({
    env: { PORT: "8000", OPENAI_API_KEY: "sk-1", ANTROPIC_API_KEY: "sk-2", KIMI_API_KEY: "" },
    unknown: ["ANTROPIC_API_KEY"],
  });
});

test("a missing named file is reported", async () => {
  expect(await readEnvFile({ ENV_FILE: "/nowhere/.env" })).toContain("ENV_FILE /nowhere/.env cannot be read");
});

test.each([
  [{ PLAN: "gold" }, 'PLAN has to be one of free, team, enterprise, and is "gold".'],
  [{ IDLE_MINUTES: "9" }, 'IDLE_MINUTES has to be a number from 10 on, and is "9".'],
  [{ IDLE_MINUTES: "an hour" }, 'IDLE_MINUTES has to be a number from 10 on, and is "an hour".'],
])("%j is reported in one line", (env, message) => {
  expect(readStartSettings(env)).toBe(message);
});

test("the example of a file of settings has every setting, sets none, and is one", async () => {
  const text = await readFile(join(import.meta.dirname, "../../.env.example"), "utf8");
  expect(addEnvFile({}, text)).toEqual({ env: {}, unknown: [] });
  const named = [...text.matchAll(/^# ([A-Z_]+)=/gm)].map(([, name = ""]) => name);
  expect(named.sort()).toEqual([...knownSettings].sort());
  const set = addEnvFile({}, text.replace(/^# (?=[A-Z_]+=)/gm, "")).env;
  expect(readStartSettings({ ...set, STATE_DIR: "/state" })).toMatchObject({
    port: 8787,
    plan: "team",
    idleMinutes: 10,
  });
});
