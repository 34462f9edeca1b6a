// Event streams of sessions and turns: one writer and many readers, who subscribe late, disconnect
// and return, and all receive the same events.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { signIn } from "../support/browser.ts";
import { createClient, script } from "../support/client.ts";
import { openStream, type Stream } from "../support/event-stream.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const owner = createClient(world);
const bearer = { authorization: `Bearer ${world.users.owner.apiKey}` };
const open = (path: string, lastEventId?: string, headers: Record<string, string> = bearer) =>
  openStream(world.baseUrl, path, headers, lastEventId);
const listData = (stream: Stream, name: string) =>
  stream.events.filter(({ event }) => event === name).map(({ data }) => JSON.parse(data));

const reconnectEveryMs = 200;

/**
 * All but the output of running tools and the start of a sandbox, which depend on when a reader
 * connects.
 */
const listNumberedJobs = ({ events }: Stream) =>
  events.filter(({ id, event }) => id !== "" && event === "job").map(({ data }) => JSON.parse(data));
const listNumbered = ({ events }: Stream) => events.filter(({ id }) => id !== "");

test("ten subscribers of a turn, three of which reconnect every 200 ms, receive the same events in the same order", async () => {
  const { path } = await owner.createSession({ title: "Watched" });
  const streams = await Promise.all(Array.from({ length: 10 }, () => open(`${path}/events`)));
  await Promise.all(streams.map((stream) => stream.received("queue")));

  const steps = Array.from({ length: 8 }, (_, place) => [
    { say: `Now number ${place}. `.repeat(40) },
    { bash: `sleep 0.1; echo ${place}` },
  ]);
  const { body } = await owner.send(path, script(...steps.flat(), { say: "All done." }));
  const jobId = body.data.chatJobId;
  const restless = streams.slice(0, 3).map(async (stream) => {
    while (!stream.events.some(({ event }) => event === "end")) {
      await sleep(reconnectEveryMs);
      await stream.reconnect();
    }
  });
  await Promise.all([...restless, ...streams.map((stream) => stream.received("end"))]);

  const [first, ...others] = streams;
  const last = first?.events.at(-1)?.id ?? "";
  await until("all to have heard all", () => streams.every(({ events }) => events.at(-1)?.id === last));
  const numbered = first ? listNumbered(first) : [];
  for (const stream of others) expect(listNumbered(stream)).toEqual(numbered);
  expect(first && listData(first, "end")).toEqual([{ jobId, status: "completed", error: null, errorCode: null }]);
  expect(new Set(numbered.map(({ id }) => id)).size).toBe(numbered.length);

  // The concatenated events are what the conversation contains.
  const told: Record<string, unknown>[] = [];
  for (const { event, data } of first?.events ?? []) {
    const { role, index, block, delta } = JSON.parse(data);
    if (event === "block" && role === "assistant") told[index] = block;
    if (event === "delta") told[index] = { ...told[index], content: told[index]?.content + delta };
  }
  expect(told).toEqual(await owner.listBlocks(path, jobId));

  const late = await open(`${path}/events`);
  await late.received("end");
  expect(late.events).toEqual(numbered.slice(2));
  for (const stream of [...streams, late]) stream.leave();
});

test("the stream of a turn is available to the sender immediately, and ends with the turn", async () => {
  const { jobId } = await owner.createSession({ content: script({ say: "Hello." }) });
  const stream = await open(`/api/streams/${jobId}`);
  expect(stream.status).toBe(200);
  expect(stream.headers).toMatchObject({
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
  await until("the stream to end", stream.isOver);
  expect(stream.events.at(-1)?.event).toBe("end");
  expect(listNumberedJobs(stream).map(({ job }) => job.status)).toEqual(["pending", "running", "completed"]);

  const late = await open(`/api/streams/${jobId}`);
  await until("the late stream to end", late.isOver);
  expect(late.events).toEqual(listNumbered(stream));

  const known = stream.events.at(-2)?.id;
  const resumed = await open(`/api/streams/${jobId}?lastEventId=${known}`);
  await until("the resumed stream to end", resumed.isOver);
  expect(resumed.events).toEqual(stream.events.slice(-1));
  expect((await open(`/api/streams/${jobId}`, stream.events.at(-1)?.id)).status).toBe(204);
});

test("a browser subscribes with its cookie", async () => {
  const { path } = await owner.createSession({ title: "In a browser" });
  const { cookie } = await signIn(world, "owner");
  const stream = await open(`${path}/events`, undefined, { cookie });
  await stream.received("session");
  await owner.put(path, { title: "Renamed" });
  await until("the new title", () => listData(stream, "session").some(({ session }) => session.title === "Renamed"));
  stream.leave();
});

test("an agent can subscribe to its session until the end of its own turn", async () => {
  const { path, jobId } = await owner.createSession({
    content: script({ bash: "echo -n $SWITCHYARD_API_TOKEN | base64 -w0 > part; mv part token" }, { sleep: 600_000 }),
  });
  const token = await until("the token", async () => {
    const { status, body } = await owner.get(`${path}/preview/files/content?path=token`);
    return status === 200 && Buffer.from(body.data.content, "base64").toString();
  });
  const headers = { authorization: `Bearer ${token}` };
  const streams = await Promise.all(
    [`${path}/events`, `/api/streams/${jobId}`].map((of) => open(of, undefined, headers)),
  );
  expect(streams.map(({ status }) => status)).toEqual([200, 200]);
  await owner.post(`${path}/jobs/chat/${jobId}/cancel`);
  await owner.send(path, script({ say: "The next one." }));
  for (const stream of streams) {
    await until("the stream to end", stream.isOver);
    expect(listData(stream, "end")).toMatchObject([{ jobId, status: "cancelled" }]);
    expect(stream.events.at(-1)?.event).toBe("end");
  }
});

test("an unknown stream is not found, one of another workspace is refused", async () => {
  const { jobId } = await owner.createSession({ content: script({ say: "Hello." }) });
  const stranger = { authorization: `Bearer ${world.users.outsider.apiKey}` };
  const mine = await open(`/api/streams/${jobId}`);
  await until("the turn to end", mine.isOver);
  expect((await open(`/api/streams/${jobId}`, undefined, stranger)).status).toBe(403);
  expect((await open("/api/streams/01234567-89ab-7def-8123-456789abcdef")).status).toBe(404);
  expect((await open("/api/streams/nothing")).status).toBe(404);
});

test("subscribers of a deleted session receive its deletion", async () => {
  const { path } = await owner.createSession({ title: "Short-lived" });
  const stream = await open(`${path}/events`);
  await stream.received("queue");
  expect((await owner.delete(path)).status).toBe(204);
  await until("the stream to end", stream.isOver);
  expect(listData(stream, "end")).toEqual([{ deleted: true }]);
});

test("who waits for a sandbox sees how far its start is, until the turn runs", async () => {
  const { id, path } = await owner.createSession({ title: "Boot", status: "backlog", prompt: script({ say: "Up." }) });
  const stream = await open(`${path}/events`);
  await stream.received("session");
  const { chatJobId } = (await owner.post(`${path}/activate`)).body.data;
  await owner.jobUntil(path, chatJobId);
  await stream.received("end");
  const jobs = stream.events
    .filter(({ event }) => event === "job")
    .map(({ id, data }) => ({ id, ...JSON.parse(data).job }));
  const booting = jobs.filter(({ boot }) => boot !== null);
  expect(booting.length).toBeGreaterThan(0);
  for (const { id, status } of booting) expect({ id, status }).toEqual({ id: chatJobId, status: "pending" });
  expect(jobs.at(-1)).toMatchObject({ boot: null });
  stream.leave();
  await owner.delete(`/api/projects/${world.projectId}/chat-sessions/${id}`);
});

test("who waits for a setup sees its last lines, without the project's secrets", async () => {
  const other = createClient({ ...world, projectId: world.siblingProjectId });
  const settings = `/api/projects/${world.siblingProjectId}/settings`;
  const canary = "canary-5d20f7-secret";
  await other.put(settings, { setup: ['echo "one $CANARY"; sleep 600'], services: [], env: { CANARY: canary } });
  const { path } = await other.createSession({ title: "Setup", status: "backlog", prompt: script({ say: "Up." }) });
  const stream = await open(`${path}/events`);
  await stream.received("session");
  const { chatJobId } = (await other.post(`${path}/activate`)).body.data;
  const listEnds = () => listData(stream, "job").map(({ job }) => job.boot?.logEnd ?? null);
  await until("the output of the setup", () => listEnds().includes("one [redacted]\n"));
  const late = await open(`${path}/events`);
  const ofTurn = await open(`/api/streams/${chatJobId}`);
  for (const { events } of [late, ofTurn])
    await until("the output for a later reader", () => events.some(({ data }) => data.includes("one [redacted]")));
  const read = await other.get(`${path}/jobs/chat/${chatJobId}`);
  expect(read.body.data.job.boot.logEnd).toBe("one [redacted]\n");
  expect(JSON.stringify(stream.events)).not.toContain(canary);
  await other.delete(path);
  for (const one of [stream, late, ofTurn]) await until("the stream to end", one.isOver);
  await other.put(settings, { setup: [], services: [], env: {} });
});
