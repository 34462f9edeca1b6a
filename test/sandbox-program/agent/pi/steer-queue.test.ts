// The queue of one turn's steers, with a session that never answers.
import type { AgentSession } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import { createSteerQueue } from "../../../../sandbox-program/agent/pi/steer-queue.ts";

test("the steers of a stopped turn are returned in the order in which they came", () => {
  const outcomes: string[] = [];
  const session = { prompt: () => new Promise(() => {}), clearQueue: () => {} } as unknown as AgentSession;
  const steers = createSteerQueue(session, (event) => {
    if (event.type === "steer") outcomes.push(`${event.steerId} ${event.outcome}`);
  });
  const message = { text: "never taken", images: [] };
  steers.begin();
  steers.push("handed over", message);
  steers.hold();
  steers.push("after the stop", message);
  expect(outcomes).toEqual([]);
  steers.close();
  steers.push("after the end", message);
  expect(outcomes).toEqual(["handed over returned", "after the stop returned", "after the end returned"]);
});
