// What the doctor says about the GitHub App: what it lacks, and who has to agree.
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { checkGithubApp } from "../../operate/github-app/checks.ts";
import { appEvents, appPermissions } from "../../operate/github-app/manifest.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const given = {
  CODE_HOST_APP_ID: "7",
  CODE_HOST_APP_PRIVATE_KEY: String(privateKey.export({ type: "pkcs8", format: "pem" })),
};
const app = {
  ...{ slug: "sy", html_url: "https://github.com/apps/sy", owner: { login: "acme", type: "Organization" } },
  ...{ permissions: { ...appPermissions }, events: appEvents },
};
const installation = (login: string, changes: object = {}) => ({
  ...{ account: { login }, html_url: `https://github.com/settings/installations/${login}`, suspended_at: null },
  permissions: { ...appPermissions, emails: undefined, ...changes },
});
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function startHost(answers: Record<string, unknown>): Promise<string> {
  const host = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://host.test");
    response.writeHead(pathname in answers ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(answers[pathname] ?? {}));
  });
  await new Promise<void>((listening) => host.listen(0, "127.0.0.1", listening));
  closers.push(() => host.close());
  return `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
}
const states = (checks: Awaited<ReturnType<typeof checkGithubApp>>) => checks.map(({ state }) => state);

test("an App with all permissions and events, whose installations agreed, is fine", async () => {
  const url = await startHost({ "/app": app, "/app/installations": [installation("acme"), installation("bolt")] });
  expect(states(await checkGithubApp(url, given, []))).toEqual(["ok", "ok"]);
});

test("an older App lacks permissions and events, and its settings are named", async () => {
  const { issues: _, ...permissions } = appPermissions;
  const before = { ...app, permissions: { ...permissions, checks: undefined }, events: ["push"] };
  const old = installation("acme", { issues: undefined, checks: undefined });
  const url = await startHost({ "/app": before, "/app/installations": [old] });
  const [ofApp, ofInstallations] = await checkGithubApp(url, given, []);
  expect(ofApp).toMatchObject({ state: "missing" });
  expect(ofApp?.help).toContain("Tick Issues: Read and write, Checks: Read-only, the event Pull request,");
  expect(ofApp?.help).toContain("at https://github.com/organizations/acme/settings/apps/sy/permissions");
  // Nobody can agree to what the App does not ask for yet.
  expect(ofInstallations).toMatchObject({ state: "ok" });
});

test("installations that have not agreed are named, three of them", async () => {
  const behind = ["a1", "b2", "c3", "d4"].map((login) => installation(login, { issues: "read" }));
  const suspended = { ...installation("gone", { issues: undefined }), suspended_at: "2026-01-01T00:00:00Z" };
  const url = await startHost({ "/app": app, "/app/installations": [...behind, suspended] });
  const [ofApp, ofInstallations] = await checkGithubApp(url, given, []);
  expect(ofApp).toMatchObject({ state: "ok" });
  expect(ofInstallations?.help).toContain(
    "a1 has to agree to Issues: Read and write at https://github.com/settings/installations/a1.",
  );
  expect(ofInstallations?.help).toMatch(/c3 has to .* And 1 more\.$/);
});

test("what cannot be checked is said, and a service without an App has nothing to check", async () => {
  expect(await checkGithubApp("http://host.test", {}, ["CODE_HOST_TOKEN"])).toEqual([]);
  const [unknown] = await checkGithubApp("http://host.test", {}, ["CODE_HOST_APP_ID"]);
  expect(unknown?.help).toContain("give CODE_HOST_APP_ID and CODE_HOST_APP_PRIVATE_KEY");
  const [refused] = await checkGithubApp(await startHost({}), given, []);
  expect(refused).toMatchObject({ state: "missing", help: expect.stringContaining("Not checked:") });
});
