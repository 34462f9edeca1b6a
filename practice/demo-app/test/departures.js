import assert from "node:assert/strict";
import { test } from "node:test";
import { nextDepartures } from "../departures.js";

const now = new Date(2030, 0, 1, 12, 30);

test("the next departures come soonest first and lie ahead", () => {
  const times = nextDepartures(now).map(({ leavesAt }) => Date.parse(leavesAt));
  assert.equal(times.length, 6);
  assert.deepEqual(times, times.toSorted());
  assert.ok(times.every((time) => time > now.getTime()));
});

test("a delayed train leaves later than its timetable says", () => {
  const lakeside = nextDepartures(now).find(({ to }) => to === "Lakeside");
  assert.equal(new Date(lakeside.leavesAt).getMinutes(), 41 + lakeside.delayMinutes);
});
