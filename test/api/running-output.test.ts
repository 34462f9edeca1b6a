// The output of a running command, from the sandbox to the readers of the service, without the
// secrets of the project.
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { openStream, type Stream } from "../support/event-stream.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const projectId = world.siblingProjectId;
const owner = createClient({ ...world, projectId });
const canary = "canary-8e21b0d4c9-secret";
const settings = `/api/projects/${projectId}/settings`;
const streams: Stream[] = [];
let session: string;
let jobId: string;

async function follow(path: string): Promise<Stream> {
  const stream = await openStream(world.baseUrl, path, { authorization: `Bearer ${world.users.owner.apiKey}` });
  streams.push(stream);
  return stream;
}

const listOutputs = ({ events }: Stream) =>
  events.filter(({ event }) => event === "output").map(({ id, data }) => ({ id, ...JSON.parse(data) }));

/** What a reader shows of the output: what does not continue it replaces it. */
const getShown = (stream: Stream): string =>
  listOutputs(stream).reduce(
    ({ end, shown }, { at, text }) => ({ end: at + text.length, shown: at === end ? shown + text : text }),
    { end: 0, shown: "" },
  ).shown;

beforeAll(async () => {
  await owner.put(settings, { setup: [], services: [], env: { CANARY: canary } });
  session = (await owner.createSession({ title: "Slow tests" })).path;
  const sent = await owner.send(
    session,
    script({
      bash: 'echo one; for i in $(seq 1 24); do printf %s "$(printf %s "$CANARY" | cut -c$i)"; sleep 0.05; done; echo " two"; sleep 600',
    }),
  );
  jobId = sent.body.data.chatJobId;
});
afterAll(async () => {
  for (const stream of streams) stream.leave();
  await owner.put(settings, { setup: [], services: [], env: {} });
});

test("readers of a session and of a turn see what a command prints while it runs, also from the middle on", async () => {
  const whole = "one\n[redacted] two\n";
  const ofSession = await follow(`${session}/events`);
  await until("the output", () => getShown(ofSession) === whole);
  const ofTurn = await follow(`/api/streams/${jobId}`);
  await until("the output for the second reader", () => getShown(ofTurn) === whole);
  for (const stream of streams) {
    expect(listOutputs(stream)[0]).toMatchObject({ id: "", jobId, index: 0, at: 0 });
    expect(stream.events.map(({ data }) => data).join("")).not.toContain(canary);
  }
  // A page of the conversation does not have it: the output is null while the tool runs.
  const { body } = await owner.get(`${session}/messages`);
  expect(body.data.messages.at(-1).blocks[0]).toMatchObject({ status: "running", output: null });
  await owner.post(`${session}/jobs/chat/${jobId}/cancel`);
  expect((await owner.jobUntil(session, jobId)).status).toBe("cancelled");
  expect((await owner.listBlocks(session, jobId))[0]).toMatchObject({ status: "cancelled" });
});
