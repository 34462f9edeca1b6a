// A turn whose model calls meet an absence of the service.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RecordingGateway, startRecordingGateway } from "../support/recording-gateway.ts";
import { listBlocks } from "../support/transcript.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let gateway: RecordingGateway;
beforeAll(async () => {
  world = await startWorld();
  gateway = await startRecordingGateway(world.provider.url);
});
afterAll(async () => {
  await world?.end();
  await gateway?.stop();
});

test.each([
  ["anthropic", "anthropic-messages", ["reset", 503, "reset", 530, 500]],
  ["openai", "openai-responses", [502, "reset", 504, 503, "reset"]],
  // The model is producing text when the service becomes unavailable: the text is requested again,
  // and is in the conversation once.
  ["anthropic", "anthropic-messages", ["cut", "reset", 503, 530, "reset"]],
] as const)("a turn of %s on %s continues after %j", async (provider, wire, absences) => {
  const { start, service } = await world.newTurn([
    { say: "First the words." },
    { bash: "echo once" },
    { say: "Done." },
  ]);
  Object.assign(start.model, { provider, wire, baseUrl: `${gateway.url}/${provider}` });
  gateway.requests.length = 0;
  gateway.absences.push(...absences);
  expect((await world.program.call("POST", "/turns", start)).status).toBe(202);
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(listBlocks(service.received)).toMatchObject([
    { type: "text", content: "First the words." },
    { type: "tool" },
    { type: "text", content: "Done." },
  ]);
  // Two answers were wanted, and the first was asked for until it came.
  expect(gateway.requests).toHaveLength(absences.length + 2);
});
