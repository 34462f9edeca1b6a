// The Deploy of a project on the running service: a redeploy under the eyes of a reader, and `kill
// -9` of every process as it goes live.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient, type Step, script } from "../support/client.ts";
import { exchange } from "../support/http-exchange.ts";
import { createWorld, type RunningWorld } from "../support/running-world.ts";
import { until } from "../support/until.ts";

/** Spares would take sandboxes that nothing here is about. */
const withoutSpares = { env: { PLAN: "free" } };

let world: RunningWorld;
beforeAll(async () => {
  world = await createWorld();
  await world.start(undefined, withoutSpares);
});
afterAll(async () => world?.remove());

const owner = () => createClient(world.address());
const project = () => `/api/projects/${world.address().projectId}`;
const chat = async () => (await owner().get(`${project()}/deploy-messages`)).body.data;
const deploys = async () => (await owner().get(`${project()}/deploys`)).body.data;

async function deploy(...steps: Step[]): Promise<string> {
  const request = { userResponse: script(...steps), freshDeploy: true };
  const { status, body } = await owner().post(`${project()}/settings/agentic-deploy`, request);
  expect([status, body.data.status]).toEqual([200, "creating_sandbox"]);
  return body.data.deployJobId;
}

const ended = () =>
  until("the Deploy to end", async () => {
    const state = await chat();
    return ["deployed", "failed", "cancelled"].includes(state.status) && state;
  });

test("who reads the main preview during a redeploy sees no failure, and a link made before it shows the new one", async () => {
  const preview = async () => (await owner().get(`${project()}/preview`)).body.data;
  const page = async (url: URL) => {
    const [cookie = ""] = (await ask(url, url.pathname + url.search)).headers["set-cookie"] ?? [];
    return (await ask(url, "/", { cookie: cookie.split(";")[0] ?? "" })).status;
  };
  const ask = ({ host, origin }: URL, path: string, headers = {}) =>
    exchange(origin, { path, headers: { host, ...headers } });
  const shown = async () => {
    const { frontendUrls, sandboxKey } = await preview();
    return { sandboxKey, status: frontendUrls.web ? await page(new URL(frontendUrls.web)) : "no address" };
  };
  const before = await until("the preview to be open", async () => {
    const now = await shown();
    return now.status === 200 && now;
  });
  // Where there was no main sandbox, the read has started a Deploy.
  await ended();
  const { share } = (await owner().post(`${project()}/preview/share`)).body.data;
  const seen: unknown[] = [];
  let isOver = false;
  const reader = (async () => {
    while (!isOver) {
      seen.push((await shown()).status);
      await sleep(50);
    }
  })();
  await deploy({ say: "Again." });
  expect((await ended()).error).toBeNull();
  isOver = true;
  await reader;
  expect(new Set(seen)).toEqual(new Set([200]));
  expect((await shown()).sandboxKey).not.toBe(before.sandboxKey);
  const shared = (await owner().get(`/api/shared-previews/${share.slug}`)).body.data;
  expect([shared, JSON.stringify(shared).includes((await preview()).sandboxKey)]).toEqual([expect.anything(), true]);
});

test("a Deploy proposes a network, which a member's PUT clears", async () => {
  const network = async () => (await owner().get(`${project()}/network`)).body.data;
  const proposal = { mode: "open", presets: [], hosts: [], strict: false };
  await deploy({ tool: { name: "project_settings", input: { proposedNetwork: { mode: "open" } } } }, { say: "Up." });
  expect((await ended()).error).toBeNull();
  expect((await network()).proposal).toEqual(proposal);
  const { status, body } = await owner().put(`${project()}/network`, proposal);
  expect([status, body.data.proposal, (await network()).proposal]).toEqual([200, null, null]);
});

test("a Deploy whose processes are all killed as it goes live ends live, once", async () => {
  const earlier = (await deploys()).length;
  const deployId = await deploy(
    { tool: { name: "project_settings", input: { env: { COLOUR: "amber" } } } },
    { say: "Up." },
  );
  const after = ["warming", "promoting", "warming_pool", "deployed"];
  await until("the agent to be done", async () => after.includes((await chat()).status));
  await world.killAll();
  await world.start(undefined, withoutSpares);
  const { status, error, messages } = await ended();
  expect([status, error]).toEqual(["deployed", null]);
  const rows = await deploys();
  expect([rows.length, rows[0].id]).toEqual([earlier + 1, deployId]);
  expect(messages.map(({ role }: { role: string }) => role)).toEqual(["system", "user", "assistant", "system"]);
  expect((await owner().get(`${project()}/settings`)).body.data.env).toEqual({ COLOUR: expect.any(String) });
});
