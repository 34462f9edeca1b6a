// `npm run doctor` as it is called: the environment that it gets, and its message about settings
// that nobody has filled in.
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { givenSecrets } from "../../operate/cloudflare/secrets.ts";
import { startStandIn } from "./platform-stand-in.ts";

const project = join(import.meta.dirname, "../..");

/** Runs the doctor as its user does. */
async function doctor(env: Record<string, string>): Promise<{ status: unknown; said: string }> {
  const child = spawn(process.execPath, ["setup.mjs", "operate/commands/doctor.ts"], {
    cwd: project,
    env: { PATH: process.env.PATH, CLOUDFLARE_API_TOKEN: "the-token", ...env },
  });
  let said = "";
  for (const output of [child.stdout, child.stderr])
    output.setEncoding("utf8").on("data", (part) => {
      said += part;
    });
  // Cells of the table are wrapped.
  return { status: await new Promise((resolve) => child.once("close", resolve)), said: said.replace(/\s+/g, " ") };
}

test("it uses the proxy of its network", async () => {
  const platform = await startStandIn();
  const folder = await mkdtemp(join(tmpdir(), "switchyard-doctor-"));
  const asked: string[] = [];
  const proxy = createServer().on("connect", (request, client) => {
    asked.push(request.url ?? "");
    const { port } = new URL(`http://${request.url}`);
    const server = connect(Number(port), "127.0.0.1", () => client.write("HTTP/1.1 200 OK\r\n\r\n"));
    server.pipe(client).pipe(server);
  });
  await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening));
  const api = platform.url.replace("127.0.0.1", "api.platform.test");
  const through = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  // No resolver knows the name, so only the proxy leads there.
  const { said } = await doctor({
    HOME: folder,
    CLOUDFLARE_API_BASE_URL: api,
    http_proxy: through,
    https_proxy: through,
  });
  proxy.close();
  await Promise.all([platform.close(), rm(folder, { recursive: true })]);
  expect(said).toContain("ok the token reaches what it has to in Trains");
  expect(asked).toContain(new URL(api).host);
}, 60_000);

test("without a token, it lists what else is missing in the same run", async () => {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-doctor-"));
  const { status, said } = await doctor({
    HOME: folder,
    CLOUDFLARE_API_TOKEN: "",
    WRANGLER_DOCKER_BIN: "/none/docker",
  });
  await rm(folder, { recursive: true });
  expect(status).toBe(1);
  expect(said).toContain("Replace switchyard.example and switchyard-sandboxes.example with your own domains");
  expect(said).not.toContain("unseal");
  expect(said).toContain("WRONG the account Set CLOUDFLARE_API_TOKEN");
  expect(said).toContain("missing Docker is reachable A deployment with a changed sandbox image needs it.");
}, 60_000);

test("it gets the token, the secrets and the files of secrets, and prints none of them", async () => {
  const platform = await startStandIn();
  const folder = await mkdtemp(join(tmpdir(), "switchyard-doctor-"));
  await writeFile(join(folder, "key.pem"), "the-private-key");
  const names = Object.keys(givenSecrets).filter((name) => name !== "CODE_HOST_APP_PRIVATE_KEY");
  const { status, said } = await doctor({
    ...{ HOME: folder, CODE_HOST_APP_PRIVATE_KEY_FILE: join(folder, "key.pem"), CLOUDFLARE_API_BASE_URL: platform.url },
    ...Object.fromEntries(names.map((name) => [name, "the-secret"])),
  });
  await Promise.all([platform.close(), rm(folder, { recursive: true })]);
  expect({ status, unknown: platform.unknown, changes: platform.changes }).toEqual({
    status: 1,
    unknown: [],
    changes: [],
  });
  expect(said).toContain("with your own domains");
  for (const name of Object.keys(givenSecrets)) expect(said).toMatch(new RegExp(`ok secret ${name}\\b`));
  expect(said).toContain("ok the token reaches what it has to in Trains");
  expect(said).not.toMatch(/the-(token|secret|private-key)/);
}, 60_000);

test("it counts the work that keeps failing", async () => {
  const platform = await startStandIn();
  const folder = await mkdtemp(join(tmpdir(), "switchyard-doctor-"));
  const data = new DatabaseSync(":memory:");
  data.exec("CREATE TABLE parked_effects (key text); INSERT INTO parked_effects VALUES ('ship'), ('end:3')");
  platform.account.databases.push({ uuid: "11111111-2222-4333-8444-555555555555", name: "switchyard", data });
  const { said } = await doctor({ HOME: folder, CLOUDFLARE_API_BASE_URL: platform.url });
  await Promise.all([platform.close(), rm(folder, { recursive: true })]);
  expect(said).toContain("missing no work keeps failing 2 parked. `npm run operator -- parked` lists it");
}, 60_000);
