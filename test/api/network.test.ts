// What the sandboxes of a project may reach, as its members set it: what is refused, what a
// workspace allows at most, and what a turn reaches with it.
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { findIsolation } from "../../practice/sandbox-host/isolation.ts";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { createProposals } from "../support/proposals.ts";

const world = apiWorld();
const [owner, admin, member] = [createClient(world), createClient(world, "admin"), createClient(world, "member")];
const { ask, endSessions, record, worked } = createProposals(world);
const ofProject = `/api/projects/${world.projectId}/network`;
const ofWorkspace = `/api/organizations/${world.workspaceId}/network`;
const open = { mode: "open", presets: [], hosts: [], strict: false };
const { holdsNetworks } = await findIsolation();

afterEach(endSessions);
afterAll(async () => {
  await owner.put(ofWorkspace, { default: open, ceiling: "open" });
  await owner.put(ofProject, open);
});

test("a new project is open, and its sandboxes are as they should be", async () => {
  expect((await member.get(ofProject)).body.data).toEqual({
    network: open,
    inForce: { mode: "open", hosts: [], strict: false },
    isEnforced: true,
    outdated: [],
    seen: [],
    proposal: null,
  });
});

test("every wrong host is named, and lists count only with the mode hosts", async () => {
  const hosts = ["example.com", "10.0.0.0/8", "*.com"];
  const wrong = await member.put(ofProject, { mode: "hosts", hosts });
  expect(wrong).toMatchObject({ status: 400, body: { code: "VALIDATION_ERROR" } });
  expect(wrong.body.details.map(({ path }: { path: string }) => path)).toEqual(["hosts.1", "hosts.2"]);
  const unused = await member.put(ofProject, { mode: "closed", hosts: ["example.com"], presets: ["npm"] });
  expect(unused.body.details.map(({ path }: { path: string }) => path)).toEqual(["presets", "hosts"]);
  const many = await member.put(ofProject, { mode: "hosts", hosts: Array(101).fill("example.com") });
  expect(many.body.details).toEqual([{ path: "hosts", message: "must have at most 100 items" }]);
  expect((await member.get(ofProject)).body.data.network).toEqual(open);
});

test("a network secret is refused where nothing opens https, and only admins may set one", async () => {
  const secrets = `${ofProject}/secrets`;
  const wanted = { value: "the-whole-value", onlyTo: ["api.example.com"] };
  expect((await member.put(`${secrets}/API_KEY`, wanted)).status).toBe(403);
  const refused = await admin.put(`${secrets}/API_KEY`, wanted);
  expect(refused).toMatchObject({ status: 400, body: { code: "BAD_REQUEST" } });
  expect(refused.body.error).toContain("Nothing here reads the requests");
  expect((await member.get(secrets)).body).toEqual({ data: [], meta: { isEnforced: false } });
  expect((await admin.delete(`${secrets}/API_KEY`)).body).toMatchObject({ code: "NOT_FOUND" });
});

describe("a workspace", () => {
  test("has a ceiling that narrows every project, which only its owner sets", async () => {
    const network = { default: { mode: "hosts", hosts: ["example.com"] }, ceiling: "hosts" };
    expect((await admin.put(ofWorkspace, network)).status).toBe(403);
    expect((await owner.put(ofWorkspace, network)).body.data).toEqual({
      default: { mode: "hosts", presets: [], hosts: ["example.com"], strict: false },
      ceiling: "hosts",
      isEnforced: holdsNetworks,
    });
    const narrowed = (await member.get(ofProject)).body.data;
    expect(narrowed).toMatchObject({ inForce: { mode: "hosts", hosts: ["example.com"] }, isEnforced: holdsNetworks });
    await owner.put(ofWorkspace, { default: open, ceiling: "open" });
    expect((await member.get(ofProject)).body.data.inForce.mode).toBe("open");
  });
});

describe("a turn", () => {
  /** Sets the network, or shows that it is refused where nothing holds it. */
  async function isSet(network: object): Promise<boolean> {
    const set = await member.put(ofProject, network);
    if (holdsNetworks) expect(set.status).toBe(200);
    else {
      const error = expect.stringContaining("Nothing here enforces");
      expect(set).toMatchObject({ status: 400, body: { code: "BAD_REQUEST", error } });
    }
    return holdsNetworks;
  }

  /** What a command of a turn prints. */
  async function printed(path: string, bash: string): Promise<string> {
    const job = await ask(path, script({ bash }));
    return JSON.stringify(await owner.listBlocks(path, job.id));
  }

  test("in a closed project works, pushes and opens a pull request, and reaches nothing else", async () => {
    if (!(await isSet({ mode: "closed" }))) return;
    const { path, id } = await worked();
    // `address` is an expression of JavaScript.
    const fetched = (address: string) =>
      `node -e 'fetch(${address}).then(({ status }) => console.log("status " + status), ({ cause }) => console.log("failed " + cause.code))'`;
    expect(await printed(path, fetched(`"${world.forgeUrl}/"`))).toContain("failed ECONNREFUSED");
    expect(await printed(path, fetched('process.env.SWITCHYARD_API_URL + "/api/meta"'))).toContain("status 200");
    expect(await ask(path, "/svc:open-pr It is closed.")).toMatchObject({ status: "completed", error: null });
    expect(await record(path)).toMatchObject({ status: "under-review", prState: "open" });

    // The main sandbox and other sessions of the project may run, too.
    const key = await owner.getSandboxKey(id);
    const held = (await member.get(ofProject)).body.data;
    expect(held.inForce.mode).toBe("closed");
    expect(held.outdated).not.toContain(key);
    await isSet(open);
    const opened = (await member.get(ofProject)).body.data;
    expect(opened.inForce.mode).toBe("open");
    expect(opened.outdated).toContain(key);
  });

  test("reads which host was refused, and so do members", async () => {
    if (!(await isSet({ mode: "hosts", presets: ["npm"] }))) return;
    const { path } = await worked();
    const asked = `node -e 'const at = new URL(process.env.HTTP_PROXY);
      require("node:http").get({ host: at.hostname, port: at.port, path: "http://else.example.com/" }, async (answer) => {
        for await (const text of answer) console.log(answer.statusCode + " " + text); });'`;
    expect(await printed(path, asked)).toContain(
      "403 Switchyard: this project's sandboxes may not reach else.example.com",
    );
    // The reader of a failed command sees the hosts, though its program names none.
    expect(await printed(path, `{ ${asked} & ${asked}; wait; } > /dev/null; exit 3`)).toContain(
      "exited with code 3\\nnetwork: refused else.example.com:80 (2 times)",
    );
    const { inForce, seen } = (await member.get(ofProject)).body.data;
    expect(inForce.hosts).toEqual(["nodejs.org", "registry.npmjs.org", "registry.yarnpkg.com"]);
    expect(seen).toContainEqual({ host: "else.example.com", port: 80, isAllowed: false, count: 3 });
  });
});
