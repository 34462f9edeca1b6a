// `npm start -- --public`: a service for a team, as strangers and members reach it through a proxy.
import { createHmac } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBackup } from "../../scripts/state-backup.ts";
import { script } from "../support/client.ts";
import { createPublicWorld, flags, previewDomain, publicHost } from "../support/public-world.ts";
import { tryToStart } from "../support/running-world.ts";

let service: Awaited<ReturnType<typeof createPublicWorld>>;
let output: string;
beforeAll(async () => {
  service = await createPublicWorld();
  output = await service.world.start(undefined, { flags, env: service.env });
});
afterAll(async () => service?.remove());

const modeOf = (name: string) => (statSync(`${service.stateDir}/${name}`).mode & 0o777).toString(8);

test("the keys are in files that only the service reads, and neither its output nor dev.json has one", () => {
  const keys: Record<string, string> = JSON.parse(readFileSync(`${service.stateDir}/service-keys.json`, "utf8"));
  for (const name of ["service-keys.json", "operator-key", "dev.json"])
    expect([name, modeOf(name)]).toEqual([name, "600"]);
  const shown = output + readFileSync(`${service.stateDir}/dev.json`, "utf8");
  for (const name of ["SIGNING_KEY", "SEALING_KEYS", "OPERATOR_KEY", "S3_SECRET_ACCESS_KEY"])
    expect([name, shown.includes(keys[name] ?? " ")]).toEqual([name, false]);
  expect(shown).not.toContain("users");
  expect(existsSync(`${service.stateDir}/secrets.json`)).toBe(false);
});

test.each([
  ["/dev/sign-in", {}, 404],
  ["/internal/turn-link", {}, 404],
  ["/internal/operator", { method: "POST", body: { command: "parked" } }, 401],
  ["/", { host: "localhost" }, 421],
  ["/cdn-cgi/local/scheduled", { host: `web--s0000000000000000.${previewDomain}` }, 404],
  ["/api/organizations", {}, 401],
])("a stranger who asks for %s with %j gets %i", async (path, asked, status) => {
  expect((await service.ask(path, asked)).status).toBe(status);
});

test("responses have HSTS, and HTTP leads to HTTPS", async () => {
  expect((await service.ask("/account")).headers["strict-transport-security"]).toBe("max-age=31536000");
  const plain = await service.ask("/account?a=b", { headers: { "x-forwarded-proto": "http" } });
  expect(plain).toMatchObject({ status: 308, headers: { location: `https://${publicHost}/account?a=b` } });
});

test("a person who is not listed may not sign up, and the cookie of one who is goes over HTTPS only", async () => {
  expect((await service.signIn("mia-member")).status).toBe(403);
  const { status, headers } = await service.signIn("olive-owner");
  expect(status).toBe(302);
  const cookies = headers["set-cookie"] ?? [];
  expect(cookies.length).toBeGreaterThan(0);
  for (const cookie of cookies) expect(cookie).toMatch(/; HttpOnly; Secure; SameSite=Lax$/);
});

test("a webhook needs the App's secret", async () => {
  const body = { zen: "Keep it logically awesome." };
  const send = (secret: string) => {
    const signature = `sha256=${createHmac("sha256", secret).update(JSON.stringify(body)).digest("hex")}`;
    const headers = { "x-github-event": "ping", "x-github-delivery": "1", "x-hub-signature-256": signature };
    return service.ask("/api/webhooks/github", { method: "POST", body, headers });
  };
  expect((await send("wrong")).status).toBe(401);
  expect((await send(service.webhookSecret)).status).toBeLessThan(300);
});

test("wrong credentials are counted for the address that the proxy adds, whatever a client writes before it", async () => {
  const tryOnce = async (address: string) => {
    const headers = {
      authorization: `Bearer svc_key_${"x".repeat(43)}`,
      "x-forwarded-for": address,
      "cf-connecting-ip": address,
    };
    return (await service.ask("/api/organizations", { headers })).status;
  };
  const statuses = await Promise.all(Array.from({ length: 130 }, (_, at) => tryOnce(`198.51.100.${at}, 203.0.113.9`)));
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
  expect(await tryOnce("203.0.113.9, 198.51.100.200")).toBe(401);
});

test("a member's turn runs in a sandbox, and its conversation and all keys are in a restored backup", async () => {
  const { run, call } = await service.settle();
  const first = await run(
    script(
      { bash: "printf 'iVBORw0KGgo=' | base64 -d > dot.png; echo $((6 * 7))" },
      { artifact: { slug: "dot", title: "Dot", kind: "image", path: "dot.png" } },
      { say: "It prints 42." },
    ),
  );
  expect(first.job).toMatchObject({ status: "completed", error: null });
  const before = (await call("GET", `${first.path}/messages`)).body.data;
  expect(JSON.stringify(before)).toContain("It prints 42.");
  const [artifact] = (await call("GET", `${first.path}/artifacts`)).body.data.artifacts;
  const file = new URL((await call("GET", `${first.path}/artifacts/${artifact.id}`)).body.data.url);
  expect(await service.ask(file.pathname + file.search, { host: file.host })).toMatchObject({
    status: 200,
    headers: { "content-type": "image/png", "content-security-policy": "sandbox" },
  });
  expect((await service.ask(file.pathname + file.search)).status).toBe(404);
  const keys = readFileSync(`${service.stateDir}/service-keys.json`, "utf8");
  const backup = `${service.stateDir}-backup`;
  await createBackup(service.stateDir, backup);
  await service.world.interrupt("SIGTERM");
  rmSync(service.stateDir, { recursive: true });
  renameSync(backup, service.stateDir);
  // The world's folder of temporary files is no state.
  mkdirSync(`${service.stateDir}/tmp`);
  // The App's secrets are in the state folder since the first start.
  const { GITHUB_API_URL, GITHUB_SERVER_URL, ANTHROPIC_BASE_URL, SIGN_UP } = service.env;
  await service.world.start(undefined, {
    flags,
    env: { GITHUB_API_URL, GITHUB_SERVER_URL, ANTHROPIC_BASE_URL, SIGN_UP },
  });
  expect(readFileSync(`${service.stateDir}/service-keys.json`, "utf8")).toBe(keys);
  expect((await call("GET", `${first.path}/messages`)).body.data).toEqual(before);
  expect((await run(script({ say: "Still here." }), first.path)).job).toMatchObject({ status: "completed" });
});

test("its state folder starts no practice world, and one of a practice world starts no service", async () => {
  const { port, stateDir } = service;
  await service.world.interrupt("SIGTERM");
  const files = readdirSync(stateDir);
  expect(await tryToStart({ port, stateDir })).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining("has a public service"),
  });
  expect(readdirSync(stateDir)).toEqual(files);
});
