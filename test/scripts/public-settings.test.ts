// What a service for a team needs: everything that is missing is listed together.
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { startListening } from "../../practice/listening.ts";
import {
  addDrawnSecrets,
  findOpenAdmin,
  formatSharedNetwork,
  listMissingWalls,
  type PublicFacts,
  readPublicSettings,
} from "../../scripts/public-settings.ts";
import { loadPublicStart } from "../../scripts/public-start.ts";
import { readStartSettings, type StartSettings } from "../../scripts/settings.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const app = {
  CODE_HOST_APP_ID: "1",
  CODE_HOST_APP_PRIVATE_KEY: privateKey.export({ type: "pkcs1", format: "pem" }).toString().trim(),
  CODE_HOST_CLIENT_ID: "c",
  CODE_HOST_CLIENT_SECRET: "s",
  CODE_HOST_WEBHOOK_SECRET: "w",
};

function read(more: Partial<PublicFacts> = {}) {
  const { env = { SIGN_UP: "ada, org:trains" } } = more;
  const settings = readStartSettings(env) as StartSettings;
  const none = { production: { MARKETPLACES: "[]" }, given: {}, stored: {} };
  return readPublicSettings({
    ...{ publicUrl: "https://switchyard.example.com", previews: "previews.example.net", app, ...none },
    ...{ ...more, settings, env },
  });
}

test("with everything, the settings are those of production with the addresses of this service", () => {
  expect(read()).toEqual({
    publicHost: "switchyard.example.com",
    previewDomain: "previews.example.net",
    secrets: app,
    variables: {
      MARKETPLACES: "[]",
      PUBLIC_URL: "https://switchyard.example.com",
      PREVIEW_DOMAIN: "previews.example.net",
      SIGN_UP: "ada, org:trains",
      JURISDICTION: "",
      PROVIDER_URLS: "{}",
    },
  });
});

test("without anything, all that is missing is listed together", () => {
  const missing = read({ publicUrl: "switchyard", previews: null, env: {}, app: {} });
  expect(missing).toEqual([
    expect.stringContaining("--public has to be https://HOST"),
    expect.stringContaining("--previews DOMAIN"),
    expect.stringContaining("Set SIGN_UP"),
    expect.stringContaining("npm run github-app"),
  ]);
});

test.each<[Partial<PublicFacts>, string]>([
  [{ publicUrl: "http://switchyard.example.com" }, "--public has to be https://HOST"],
  [{ publicUrl: "https://switchyard.example.com:8443" }, "--public has to be https://HOST"],
  [{ publicUrl: "https://switchyard.example.com/team" }, "--public has to be https://HOST"],
  [{ publicUrl: "https://user@switchyard.example.com" }, "--public has to be https://HOST"],
  [{ publicUrl: "https://192.0.2.1" }, "--public has to be https://HOST"],
  [{ publicUrl: "https://localhost" }, "--public has to be https://HOST"],
  [{ previews: "*.example.net" }, "The domain of previews has to be a host name"],
  [{ previews: "example.com" }, "Give previews another domain than example.com"],
  [{ previews: "previews.example.com" }, "Give previews another domain than example.com"],
  [{ publicUrl: "https://a.acme.co.uk", previews: "p.acme.co.uk" }, "another domain than acme.co.uk"],
  [{ env: { SIGN_UP: "*" } }, "every stranger would run programs"],
  [{ env: { SIGN_UP: "ada, *" } }, "every stranger would run programs"],
  [{ env: { SIGN_UP: "ada!" } }, "ada! is neither"],
  [{ env: { SIGN_UP: "ada", GITHUB_TOKEN: "t" } }, "Unset GITHUB_TOKEN"],
  [{ env: { SIGN_UP: "ada", ZAI_API_KEY: "t" } }, "Unset ZAI_API_KEY"],
  [{ env: { SIGN_UP: "ada", ZAI_BASE_URL: "http://example.com" } }, "ZAI_BASE_URL has to be an address"],
  [{ given: { CODE_HOST_APP_PRIVATE_KEY: "x" } }, "Give CODE_HOST_APP_PRIVATE_KEY as the whole PEM file."],
  [
    { stored: { SEALING_KEYS: `a:${"x".repeat(43)}` }, given: { SEALING_KEYS: `b:${"x".repeat(43)}` } },
    "SEALING_KEYS does not have",
  ],
])("%j is refused in words", (more, message) => {
  expect(read(more)).toEqual([expect.stringContaining(message)]);
});

test.each<[Partial<PublicFacts>, object]>([
  [{ publicUrl: "https://a.acme.co.uk", previews: "p.other.co.uk" }, { previewDomain: "p.other.co.uk" }],
  [{ previews: null, env: { SIGN_UP: "ada", PREVIEW_DOMAIN: "p.example.net" } }, { previewDomain: "p.example.net" }],
  [{ stored: { CODE_HOST_CLIENT_ID: "old" } }, { secrets: { CODE_HOST_CLIENT_ID: "c" } }],
  [
    { given: { CODE_HOST_CLIENT_ID: "new", S3_ACCESS_KEY_ID: "x" } },
    { secrets: { ...app, CODE_HOST_CLIENT_ID: "new" } },
  ],
  [{ app: {}, stored: { ...app, S3_ACCESS_KEY_ID: "x" } }, { secrets: { ...app, S3_ACCESS_KEY_ID: "x" } }],
  [
    { env: { SIGN_UP: "ada", KIMI_BASE_URL: "https://gateway.example/v1" } },
    { variables: { PROVIDER_URLS: '{"kimi":"https://gateway.example"}' } },
  ],
])("%j is understood", (more, expected) => {
  expect(read(more)).toMatchObject(expected);
});

test("a signing key that is given ends the stored previous one, unless that is given too", () => {
  const [earlier, later, previous] = ["a", "b", "c"].map((letter) => letter.repeat(43)) as [string, string, string];
  const stored = { SIGNING_KEY: earlier, SIGNING_KEY_PREVIOUS: previous };
  const secretsFor = (given: Record<string, string>) => read({ app: {}, stored: { ...app, ...stored }, given });
  expect(secretsFor({})).toHaveProperty("secrets", { ...app, ...stored });
  expect(secretsFor({ SIGNING_KEY: later })).toHaveProperty("secrets", { ...app, SIGNING_KEY: later });
  const both = { SIGNING_KEY: later, SIGNING_KEY_PREVIOUS: earlier };
  expect(secretsFor(both)).toHaveProperty("secrets", { ...app, ...both });
});

test("missing keys are drawn, and present ones stay", () => {
  const drawn = addDrawnSecrets({});
  expect(Object.keys(drawn).sort()).toEqual(["OPERATOR_KEY", "SEALING_KEYS", "SIGNING_KEY", "WEB_PUSH_PRIVATE_KEY"]);
  expect(addDrawnSecrets(drawn)).toEqual(drawn);
});

test.each([
  [{ isIsolated: false, wall: "none", pastaFailure: null }, "runs no sandbox as a plain process"],
  [{ isIsolated: true, wall: "none", pastaFailure: null }, "util-linux 2.38"],
  [{ isIsolated: true, wall: "namespaces", pastaFailure: "no\nroute" }, "pasta cannot be used: no route"],
] as const)("of walls %j is not enough", (isolation, message) => {
  expect(listMissingWalls(isolation)).toEqual([expect.stringContaining(message)]);
});

test("bubblewrap with walls inside it is enough", () => {
  expect(listMissingWalls({ isIsolated: true, wall: "user-namespaces", pastaFailure: null })).toEqual([]);
});

test("an open network that is the machine's is said in one line, with the package that changes it", () => {
  const openNetwork = () => Promise.reject(new Error("not created here"));
  expect(formatSharedNetwork({ isIsolated: true, openNetwork: null })).toMatch(/^With an .* passt .*\n$/);
  expect(formatSharedNetwork({ isIsolated: true, openNetwork })).toBe("");
});

test.each([
  [200, expect.stringContaining("every sandbox can change its settings")],
  [404, null],
])("a server at the address of Caddy's settings that answers %i", async (status, expected) => {
  // Caddy refuses what a browser sends.
  const server = createServer(({ headers }, response) =>
    response.writeHead("sec-fetch-mode" in headers ? 403 : status).end("null"),
  );
  const address = `http://127.0.0.1:${await startListening(server, 0, "127.0.0.1")}/config/`;
  expect(await findOpenAdmin(address)).toEqual(expected);
  await new Promise((closed) => server.close(closed));
  expect(await findOpenAdmin(address)).toBeNull();
});

test("where no sandbox can start, the service does not, and its unit can be written", async () => {
  vi.stubEnv("PATH", mkdtempSync(join(tmpdir(), "switchyard-path-")));
  const env = { SIGN_UP: "ada", STATE_DIR: join(mkdtempSync(join(tmpdir(), "switchyard-state-")), "state"), ...app };
  const flags = {
    publicUrl: "https://switchyard.example.com",
    previews: "previews.example.net",
    usesContainers: false,
  };
  const load = (installs: boolean) =>
    loadPublicStart({ ...flags, installs }, readStartSettings(env) as StartSettings, env, null);
  expect(await load(false)).toContain("Install bubblewrap");
  expect(await load(true)).toMatchObject({ install: expect.any(Function) });
  vi.unstubAllEnvs();
});
