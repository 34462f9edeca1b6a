// Conversations that pi 0.87.1 wrote, which a session may have kept while it was paused.
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RecordingGateway, startRecordingGateway } from "../../support/recording-gateway.ts";
import { getOutput, getText } from "../../support/transcript.ts";
import { startWorld, type World } from "../../support/world.ts";

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
  ["killed", "touch killed; sleep 600"],
  ["compacted", "The practice model wrote this summary"],
])("a conversation of pi 0.87.1 that was %s continues and can be summarized", async (name, kept) => {
  const folder = join(world.program.root, "state/conversations");
  await mkdir(folder, { recursive: true });
  await copyFile(join(import.meta.dirname, `conversations/${name}.jsonl`), join(folder, `${name}.jsonl`));
  gateway.requests.length = 0;
  const { start } = await world.newTurn([]);
  const model = { ...start.model, baseUrl: `${gateway.url}/anthropic` };
  const conversation = { id: name, isNew: false, handover: null };
  const { service } = await world.runTurn([{ bash: "echo two" }, { say: "Done." }], { model, conversation });
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(getOutput(service.received)).toBe("two\n");
  expect(getText(service.received)).toBe("Done.");
  expect(gateway.requests[0]?.body).toContain(kept);
  const compaction = { commandId: name, model, conversationId: name, profile: start.profile, focus: "" };
  expect(await world.program.call("POST", "/compactions", compaction)).toEqual({
    status: 200,
    body: { compacted: true },
  });
});
