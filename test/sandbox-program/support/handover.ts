// The conversation of a session that the sandbox does not have.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { World } from "./world.ts";

export const conversationFile = (world: World, id: string): string =>
  join(world.program.root, `state/conversations/${id}.jsonl`);

/** A turn without a handover is refused, and accepted with one. */
export async function expectHandoverIsNeeded(world: World, id: string): Promise<void> {
  const conversation = { id, isNew: false, handover: null };
  const { start, service } = await world.newTurn([{ say: "hello again" }], { conversation });
  expect(await world.program.call("POST", "/turns", start)).toMatchObject({
    status: 409,
    body: { code: "CONVERSATION_MISSING" },
  });
  const withHandover = { ...start, conversation: { ...conversation, handover: "User: hello\nAssistant: hi" } };
  expect((await world.program.call("POST", "/turns", withHandover)).status).toBe(202);
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(await readFile(conversationFile(world, id), "utf8")).toContain("Assistant: hi");
}
