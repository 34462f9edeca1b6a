// When the agent's library is loaded: not with the program, and once.
import { expect, test, vi } from "vitest";
import { createPiAgent } from "../../../../sandbox-program/agent/pi/agent.ts";
import { getFolders } from "../../../../sandbox-program/folders.ts";

const created = vi.hoisted(() => vi.fn<(...given: unknown[]) => void>());
const warmUp = vi.hoisted(() => vi.fn(async () => {}));
vi.mock("../../../../sandbox-program/agent/pi/driver.ts", () => ({
  createPiDriver: (...given: unknown[]) => {
    created(...given);
    return { warmUp };
  },
}));

test("the agent's library is loaded when it is first needed, and once", async () => {
  const folders = getFolders("/nowhere");
  const agent = createPiAgent(folders, "No network.");
  expect(agent.version).toMatch(/^pi \d/);
  expect(agent.hasConversation("unknown")).toBe(false);
  expect(created).not.toHaveBeenCalled();

  await Promise.all([agent.warmUp(), agent.warmUp()]);
  expect(created.mock.calls).toEqual([[folders, `${folders.state}/conversations`, "No network."]]);
  expect(warmUp).toHaveBeenCalledTimes(2);
});
