// Metadata of sessions through the public API: set, merged, listed by, and never in a prompt.
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient } from "../support/client.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const owner = createClient(world);
const outsider = createClient({ ...world, projectId: world.outsideProjectId }, "outsider");

const listed = async (...conditions: string[]): Promise<string[]> => {
  const query = conditions.map((condition) => `metadata=${encodeURIComponent(condition)}`).join("&");
  const { body } = await owner.get(`/api/chat-sessions?${query}`);
  return body.data.map(({ id }: { id: string }) => id);
};
const listedAs = (ids: string[], ...conditions: string[]) =>
  until(`the list of ${conditions}`, async () => (await listed(...conditions)).join() === ids.join() || null);

test("sessions are found by what they were created with and what was changed since", async () => {
  const run = randomUUID();
  const first = await owner.createSession({ title: "First", metadata: { run, part: "one" } });
  const second = await owner.createSession({ title: "Second", metadata: { run, part: "two:a" } });
  const elsewhere = await outsider.createSession({ title: "Elsewhere", metadata: { run } });
  await listedAs([second.id, first.id], `run:${run}`);
  await listedAs([second.id], `run:${run}`, "part:two:a");
  await listedAs([], `run:${run}`, "part:three");
  expect(await listed(`run:${run}`)).not.toContain(elsewhere.id);

  const { body } = await owner.put(first.path, { metadata: { part: null, more: "yes" } });
  expect(body.data.session.metadata).toEqual({ run, more: "yes" });
  expect((await owner.get(first.path)).body.data.session.metadata).toEqual({ run, more: "yes" });
  await listedAs([first.id], `run:${run}`, "more:yes");
  await listedAs([], `run:${run}`, "part:one");
  await owner.delete(first.path);
  await listedAs([second.id], `run:${run}`);
});

test.each<[what: string, metadata: object]>([
  ["a key of another form", { "a b": "x" }],
  ["a value that is no text", { a: 1 }],
  ["null on create", { a: null }],
])("%s is refused with 400", async (_, metadata) => {
  const { status, body } = await owner.post(owner.sessions, { title: "Refused", metadata });
  expect([status, body.code]).toEqual([400, "VALIDATION_ERROR"]);
});

test("a condition without a key is refused with 400", async () => {
  const { status, body } = await owner.get("/api/chat-sessions?metadata=nothing");
  expect([status, body.code]).toEqual([400, "VALIDATION_ERROR"]);
});
