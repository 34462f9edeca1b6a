// Long prompts over the API: lists, searches and streams contain the first 2,000 characters, and
// the read of one prompt contains it whole.
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient } from "../support/client.ts";
import { openStream } from "../support/event-stream.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const owner = createClient(world);
const bearer = { authorization: `Bearer ${world.users.owner.apiKey}` };
const mark = randomUUID().slice(0, 8);
const prompt = `${mark} ${"😀".repeat(190_000)} late`;
const whole = { prompt, isPromptCut: false };
const start = [...prompt].slice(0, 2_000).join("");
const cut = { prompt: start, isPromptCut: true };

test("of a session", async () => {
  const ofWorkspace = await openStream(world.baseUrl, `/api/organizations/${world.workspaceId}/events`, bearer);
  await ofWorkspace.received("reset");
  const made = await owner.post(owner.sessions, { title: `${mark} long`, status: "backlog", prompt });
  expect(made.body.data.session).toMatchObject(whole);
  const { id } = made.body.data.session;
  const path = `${owner.sessions}/${id}`;
  expect((await owner.get(path)).body.data.session).toMatchObject(whole);
  for (const list of [`${owner.sessions}?status=backlog`, `/api/chat-sessions?search=${mark}`]) {
    const item = await until("the list to have it", async () =>
      (await owner.get(list)).body.data.find((listed: { id: string }) => listed.id === id),
    );
    expect(item).toMatchObject(cut);
  }
  const ofSession = await openStream(world.baseUrl, `${path}/events`, bearer);
  const changed = await owner.put(path, { priority: "high" });
  expect(changed.body.data.session).toMatchObject(whole);
  for (const stream of [ofSession, ofWorkspace]) {
    const told = await until("the change to be streamed", () =>
      stream.events
        .filter(({ event }) => event === "session")
        .map(({ data }) => JSON.parse(data).session)
        .find((session) => session.id === id && session.priority === "high"),
    );
    expect(told).toMatchObject(cut);
    stream.leave();
  }
});

test("of a cron", async () => {
  const crons = `/api/organizations/${world.workspaceId}/crons`;
  const body = { name: `${mark} long`, projectIds: [world.projectId], prompt, cronExpression: "0 3 * * *" };
  const made = (await owner.post(crons, body)).body.data;
  expect(made).toMatchObject(whole);
  expect((await owner.patch(`${crons}/${made.id}`, { name: `${mark} other` })).body.data).toMatchObject(whole);
  expect((await owner.get(`${crons}/${made.id}`)).body.data).toMatchObject(whole);
  expect((await owner.get(`${crons}?search=${mark}`)).body.data).toMatchObject({ total: 1, crons: [cut] });
});
