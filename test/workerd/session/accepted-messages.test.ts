// An accepted message is never lost: whatever happens between a message and its turn, it runs once
// and in its order, or it is queued.
import { expect, test } from "vitest";
import { randomSource } from "../../support/random-source.ts";
import { beginLife } from "../support/object-life.ts";

const lives = [1, 2, 3, 4, 5, 6, 7, 8];
const steps = 60;
const met = new Map<string, number>();

test.for(lives)(
  "every accepted message runs once and in order, or is queued, despite evictions and crashes (%i)",
  async (seed) => {
    const { account, driver, deeds, step, runOut } = await beginLife(randomSource(seed));
    for (let place = 0; place < steps; place++) await step();
    await runOut();
    for (const [deed, times] of deeds) met.set(deed, (met.get(deed) ?? 0) + times);
    expect([...account.said].sort()).toEqual([...account.accepted].sort());
    const orders = await driver.sandbox.requests();
    const opened = (await driver.messages()).filter(({ role }) => role === "user");
    for (const [place, turnId] of account.turnIds.entries()) {
      const first = opened.find(({ jobId }) => jobId === turnId);
      expect((await driver.session().turn(turnId))?.number).toBe(place + 1);
      // Handed over as often as necessary, but never as another turn.
      for (const order of orders) if (order.turnId === turnId) expect(order.prompt).toContain(first?.content);
    }
  },
);

test("these runs contain every kind of event", () => {
  const deeds = ["send", "work", "steer", "take", "end", "stop", "resume", "review", "compact", "sleep", "kill"];
  for (const deed of deeds) expect([deed, (met.get(deed) ?? 0) > 5]).toEqual([deed, true]);
});
