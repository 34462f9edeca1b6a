// A sandbox that does not respond: requests about it are answered soon, from what is known.
import { afterAll, beforeAll, expect, test } from "vitest";
import { previewWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { freezeSandbox } from "../support/held-sandbox.ts";
import { until } from "../support/until.ts";

const world = previewWorld();
const owner = createClient(world);
const preview = `/api/projects/${world.projectId}/preview`;

let session: Awaited<ReturnType<typeof owner.createSession>>;
let goOn: () => void;
beforeAll(async () => {
  session = await owner.createSession({ content: script({ write: { path: "kept.txt", content: "kept" } }) });
  await owner.jobUntil(session.path, session.jobId);
  goOn = await freezeSandbox(world, await owner.getSandboxKey(session.id));
});
afterAll(() => goOn?.());

const health = async () => (await owner.get(`${preview}/health?sessionId=${session.id}`)).body.data;

test("a sandbox whose program does not answer has indeterminate health, and refuses reads and commits with 503", async () => {
  expect(await health()).toMatchObject({
    indeterminate: true,
    sandboxAvailable: false,
    paused: false,
    needsStart: false,
  });
  const replies = await Promise.all([
    owner.get(`${session.path}/preview/git-state`),
    owner.get(`${session.path}/preview/files/content?path=kept.txt`),
  ]);
  for (const { status, body } of replies) expect([status, body.code]).toEqual([503, "SERVICE_UNAVAILABLE"]);
});

test("a preview read during another operation reports a sandbox that is starting, after five seconds an empty preview; the sandbox wakes afterwards", async () => {
  const stopping = owner.post(`/api/organizations/${world.workspaceId}/stop-sandboxes`, { sessionIds: [session.id] });
  const read = async () => (await owner.get(`${preview}?sessionId=${session.id}`)).body.data;
  const empty = {
    frontendUrls: {},
    projectId: world.projectId,
    sandboxKey: expect.any(String),
    awayHoldMs: 600_000,
  };
  const startedAt = Date.now();
  const first = await until("the pause to hold the sandbox", async () => {
    const told = await read();
    return Object.keys(told.frontendUrls).length === 0 && told;
  });
  // A busy machine may read it first when the five seconds are over.
  const isEarly = Date.now() < startedAt + 4_000;
  expect(first).toEqual(isEarly ? { ...empty, provisioning: true } : expect.objectContaining(empty));
  const later = await until("it to be held for long", async () => {
    const told = await read();
    return !("provisioning" in told) && told;
  });
  expect(later).toEqual(empty);
  expect(await health()).toMatchObject({ indeterminate: true });
  goOn();
  expect((await stopping).body.data.sessions).toEqual([{ sessionId: session.id, stopped: true }]);
  await until("the preview to be back", async () => (await health()).state === "healthy");
  const file = await owner.get(`${session.path}/preview/files/content?path=kept.txt`);
  expect(file.body.data.content).toBe("kept");
});
