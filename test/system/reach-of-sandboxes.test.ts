// What a turn's shell reaches on one machine: the services that listen on loopback give it nothing
// that its own tokens do not, and no descriptor of the service or its shell is open in its sandbox.
// With pasta, a shell does not reach the others at all.
import { mkdtempSync, openSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findIsolation } from "../../practice/sandbox-host/isolation.ts";
import { signIn } from "../support/browser.ts";
import { type Client, createClient, script } from "../support/client.ts";
import { type Process, processTree, readCommand } from "../support/process-tree.ts";
import { createWorld, type RunningWorld } from "../support/running-world.ts";
import { openSocket } from "../support/web-socket.ts";

let world: RunningWorld;
let owner: Client;
const secretFolder = mkdtempSync(join(tmpdir(), "switchyard-left-open-"));
const secretFile = join(secretFolder, "secret");
writeFileSync(secretFile, "secret");
beforeAll(async () => {
  world = await createWorld();
  await world.start(undefined, { leavesOpen: openSync(secretFile, "r") });
  owner = createClient(world.address());
});
afterAll(async () => {
  await world?.remove();
  rmSync(secretFolder, { recursive: true });
});

/** Runs a program of Node in a turn's shell. Returns what it reports. */
async function runInTurn<Report>(program: string): Promise<Report> {
  const { path, jobId } = await owner.createSession({
    content: script({ write: { path: "try.mjs", content: program } }, { bash: "node try.mjs" }, { say: "Done." }),
  });
  expect(await owner.jobUntil(path, jobId)).toMatchObject({ status: "completed" });
  const said = JSON.stringify(await owner.messages(path));
  const [, report] = /REPORT:([A-Za-z0-9_-]+):END/.exec(said.replaceAll(program, "")) ?? [];
  if (report === undefined) throw new Error(`The program reported nothing: ${said}`);
  return JSON.parse(Buffer.from(report, "base64url").toString("utf8"));
}

const { openNetwork } = await findIsolation();
/** In the place of a status: nothing answers. */
const unreached = 599;
const reporting =
  `const ask = (url, init) => fetch(url, init).catch(() => new Response(null, { status: ${unreached} }));` +
  'const report = (all) => console.log("REPORT" + ":" + Buffer.from(JSON.stringify(all)).toString("base64url") + ":END");';

test("a turn's shell cannot sign in as the owner at the practice code host", async () => {
  const keysBefore = await keyCount();
  const steps = await runInTurn<Record<string, number | boolean>>(`${reporting}
const base = ${JSON.stringify(world.address().baseUrl)};
const getCookies = (answer) => answer.headers.getSetCookie().map((one) => one.split(";")[0]).join("; ");
const start = await fetch(base + "/api/auth/github/connect?returnTo=/account", { redirect: "manual" });
const page = start.headers.get("location");
const shown = await ask(page);
const form = new URLSearchParams(new URL(page).search);
form.set("login", "olive-owner");
const chosen = await ask(page, { method: "POST", body: form, redirect: "manual", headers: { origin: new URL(page).origin } });
const back = chosen.headers.get("location");
const came = back === null ? null : await fetch(back, { redirect: "manual", headers: { cookie: getCookies(start) } });
const headers = { cookie: came === null ? "" : getCookies(came), origin: base, "content-type": "application/json" };
const made = await fetch(base + "/api/user/api-keys", { method: "POST", headers, body: JSON.stringify({ name: "stolen" }) });
report({ start: start.status, shown: shown.status, chosen: chosen.status, isSentBack: back !== null, made: made.status });
`);
  const answered = openNetwork === null ? 401 : unreached;
  expect(steps).toEqual({ start: 302, shown: answered, chosen: answered, isSentBack: false, made: 401 });
  expect(await keyCount()).toBe(keysBefore);
});

/** The owner's API keys, which only a browser session lists. */
async function keyCount(): Promise<number> {
  return (await (await signIn(world.address(), "owner")).call("GET", "/api/user/api-keys")).body.data.length;
}

test("the other services of the machine refuse a turn's shell, and answer who reads dev.json", async () => {
  const { baseUrl, forgeUrl, providerUrl, pushUrl, sandboxHostUrl } = world.address();
  const origin = (url: string) => new URL(url).origin;
  const asked: [url: string, init: RequestInit, status: number][] = [
    [`${forgeUrl}/`, {}, 401],
    [`${forgeUrl}/login`, {}, 401],
    [`${forgeUrl}/repos/acme/demo-app/pulls`, {}, 401],
    [`${origin(providerUrl)}/practice/calls`, {}, 404],
    [`${origin(pushUrl)}/received`, {}, 404],
    [`${origin(pushUrl)}/refused`, {}, 404],
    [`${origin(sandboxHostUrl)}/sandboxes/s0123456789abcdef`, {}, 404],
    [`${baseUrl}/cdn-cgi/local/r2/s3/switchyard`, {}, 400],
    [`${baseUrl}/cdn-cgi/local/platform-proxy`, { headers: { "MF-Op": "GET", "MF-Op-Target": "1" } }, 401],
    [`${baseUrl}/cdn-cgi/local/scheduled`, {}, 404],
    [`${baseUrl}/cdn-cgi/local/explorer`, {}, 404],
    [`${baseUrl}/internal/operator`, { method: "POST", body: "{}" }, 404],
  ];
  const statuses = await runInTurn<number[]>(`${reporting}
const asked = ${JSON.stringify(asked)};
report(await Promise.all(asked.map(async ([url, init]) => (await ask(url, init)).status)));
`);
  // The way to the service has paths for sandboxes only.
  const ofWay = (url: string) => (url.startsWith(baseUrl) ? 404 : unreached);
  expect(asked.map(([url], index) => [url, statuses[index]])).toEqual(
    asked.map(([url, , status]) => [url, openNetwork === null ? status : ofWay(url)]),
  );
  for (const list of [`${providerUrl}/practice/calls`, `${pushUrl}/received`, `${pushUrl}/refused`]) {
    expect((await fetch(list)).status, list).toBe(200);
  }
});

test("no descriptor of the service or of its shell is open in a sandbox, in a turn and in a terminal", async () => {
  const { path, jobId } = await owner.createSession({ content: script({ bash: "sleep 600" }) });
  await owner.jobUntil(path, jobId, ["running"]);
  const { headers } = await signIn(world.address(), "owner");
  const terminal = await openSocket(world.address().baseUrl, `${path}/preview/terminal?cols=80&rows=24`, headers);
  if (typeof terminal === "number") throw new Error(`The terminal was answered with ${terminal}.`);
  terminal.send(Buffer.from("sleep 601\r"));
  const [service] = world.processes();
  if (!service) throw new Error("The world has no process.");
  const ofService = [1, 2].map((descriptor) => readlinkSync(`/proc/${service.id}/fd/${descriptor}`));
  const programs = world.processes().filter((one) => readCommand(one).includes("sandbox.cjs"));
  const inside = () => programs.flatMap(({ id }) => processTree(id));
  await expect.poll(() => inside().map(readCommand)).toEqual(expect.arrayContaining(["sleep 600", "sleep 601"]));
  const open = inside().flatMap(openFiles);
  expect(open.length).toBeGreaterThan(0);
  expect(open.filter((file) => file === secretFile || ofService.includes(file))).toEqual([]);
  terminal.close();
});

/** What the descriptors of a process lead to; nothing for one that has ended. */
function openFiles({ id }: Process): string[] {
  try {
    return readdirSync(`/proc/${id}/fd`).map((descriptor) => readlinkSync(`/proc/${id}/fd/${descriptor}`));
  } catch {
    return [];
  }
}
