// A sandbox that stands still: what is asked of it is answered all the same, soon and by what is known.
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { clientOf, script } from "../support/client.ts";
import { freezeSandbox } from "../support/held-sandbox.ts";
import { until } from "../support/until.ts";

const world = inject("world");
const owner = clientOf(world);
const preview = `/api/projects/${world.projectId}/preview`;

let session: Awaited<ReturnType<typeof owner.createSession>>;
let goOn: () => void;
beforeAll(async () => {
  session = await owner.createSession({ content: script({ write: { path: "kept.txt", content: "kept" } }) });
  await owner.jobUntil(session.path, session.jobId);
  goOn = await freezeSandbox(world, await owner.sandboxKeyOf(session.id));
});
afterAll(() => goOn?.());

const health = async () => (await owner.get(`${preview}/health?sessionId=${session.id}`)).body.data;

test("a sandbox whose program does not answer is of indeterminate health, and refuses reads and commits by a 503", async () => {
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

test("a sandbox that another operation holds for over five seconds has an empty preview without a flag, and is asked again", async () => {
  const stopping = owner.post(`/api/organizations/${world.workspaceId}/stop-sandboxes`, { sessionIds: [session.id] });
  const read = await until("the pause to hold the sandbox", async () => {
    const reply = await owner.get(`${preview}?sessionId=${session.id}`);
    return Object.keys(reply.body.data.frontendUrls).length === 0 && reply;
  });
  expect([read.status, read.body.data]).toEqual([
    200,
    { frontendUrls: {}, projectId: world.projectId, sandboxKey: expect.any(String), awayHoldMs: 300_000 },
  ]);
  expect(await health()).toMatchObject({ indeterminate: true });
  goOn();
  expect((await stopping).body.data.sessions).toEqual([{ sessionId: session.id, stopped: true }]);
  await until("the sandbox to be paused", async () => (await health()).paused);
  const woken = await owner.get(`${preview}?sessionId=${session.id}`);
  expect(woken.body.data).toMatchObject({ frontendUrls: {}, provisioning: true });
  await until("the preview to be back", async () => (await health()).state === "healthy");
  const file = await owner.get(`${session.path}/preview/files/content?path=kept.txt`);
  expect(file.body.data.content).toBe("kept");
});
