// The titles that a model writes, in a workspace that has turned them on.
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const owner = createClient(world);
const workspace = `/api/organizations/${world.workspaceId}`;
const set = (generatedTitles: boolean) => owner.patch(workspace, { generatedTitles });
const read = async (path: string) => (await owner.get(path)).body.data.session;

beforeAll(async () => {
  expect(await set(true)).toMatchObject({ status: 200, body: { data: { generatedTitles: true } } });
});
afterAll(() => set(false));

test("a session that starts without a title gets one, and keeps its branch", async () => {
  const created = await owner.createSession({ content: script({ say: "Done." }) });
  const { branch } = await read(created.path);
  await until("the title", async () => (await read(created.path)).titleSource === "generated");
  expect(await read(created.path)).toMatchObject({ title: "Practice: Please do this", branch });
  const { data } = (await owner.get(`${created.path.split("/chat-sessions")[0]}/chat-sessions?search=Practice`)).body;
  expect(data).toContainEqual(expect.objectContaining({ id: created.id, titleSource: "generated" }));
  const renamed = await owner.put(created.path, { title: "Mine" });
  expect(renamed.body.data.session).toMatchObject({ title: "Mine", titleSource: "person", branch });
});

test("a session from the Backlog gets one when it starts", async () => {
  const filed = await owner.createSession({ status: "backlog", prompt: "Sort the board\nby time." });
  expect(await read(filed.path)).toMatchObject({ title: "Sort the board", titleSource: "first_line" });
  await owner.post(`${filed.path}/activate`);
  await until("the title", async () => (await read(filed.path)).titleSource === "generated");
  expect((await read(filed.path)).title).toBe("Practice: Sort the board");
});

test("a given title stays, and only owners and admins change the setting", async () => {
  const created = await owner.createSession({ title: "Given", content: script({ say: "Done." }) });
  await owner.jobUntil(created.path, created.jobId);
  expect(await read(created.path)).toMatchObject({ title: "Given", titleSource: "person" });
  const member = createClient(world, "member");
  expect(await member.patch(workspace, { generatedTitles: false })).toMatchObject({ status: 403 });
  expect((await owner.get(workspace)).body.data.generatedTitles).toBe(true);
});
