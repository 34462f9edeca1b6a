// The usage of turns: exact sums, their cost by the catalog's prices, and the times of a report.
import { describe, expect, it, test } from "vitest";
import type { Actor } from "../../../src/access/rules/actor.ts";
import { catalog } from "../../../src/model/catalog.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { getDayStart, listIntervals, type UsageInterval } from "../../../src/usage/rules/interval.ts";
import { getCost } from "../../../src/usage/rules/price.ts";
import { findUsageViewer, parseRange } from "../../../src/usage/rules/report.ts";
import { addUsage, getCallUsage, listUsageByDay, toUsd, type Usage } from "../../../src/usage/rules/usage.ts";
import { byMember, now, refusalCode } from "../../support/session-state.ts";

const tokens = { input: 1_000, cacheRead: 2_000, cacheWrite: 300, output: 40 };
const workspace = { type: "workspace" } as const;
const mia = { type: "member", userId: "usr_mia" } as const;

describe("the cost of a call", () => {
  it("has each kind of token at its price", () => {
    expect(toUsd(getCost(tokens, { input: 4, cacheRead: 0.2, cacheWrite: 5, output: 20 }))).toBe(0.0067);
  });

  it("is a whole number of nano-dollars at every price of the catalog, so that sums are exact", () => {
    for (const { price, value } of catalog)
      for (const kind of Object.keys(price) as (keyof typeof price)[])
        expect([value, Number.isInteger(Math.round(price[kind] * 1e6) / 1e3)]).toEqual([value, true]);
  });
});

describe("usage", () => {
  it("counts what was written to the cache as input, and has no cost on a subscription", () => {
    const price = { input: 1, cacheRead: 1, cacheWrite: 1, output: 1 };
    const counted = { inputTokens: 1_300, cachedTokens: 2_000, outputTokens: 40 };
    expect(getCallUsage(tokens, price, workspace)).toEqual({ ...counted, nanoUsd: 3_340_000, payer: "workspace" });
    expect(getCallUsage(tokens, price, mia)).toEqual({ ...counted, nanoUsd: null, payer: "member" });
    expect(getCallUsage(tokens, null, workspace).nanoUsd).toBe(0);
  });

  it("is added up", () => {
    const one: Usage = { inputTokens: 1, cachedTokens: 2, outputTokens: 3, nanoUsd: 4, payer: "workspace" };
    expect(addUsage(null, one)).toEqual(one);
    expect(addUsage(one, one)).toEqual({
      inputTokens: 2,
      cachedTokens: 4,
      outputTokens: 6,
      nanoUsd: 8,
      payer: "workspace",
    });
    const free = { ...one, nanoUsd: null, payer: "member" as const };
    expect([addUsage(free, free).nanoUsd, addUsage(one, free).nanoUsd]).toEqual([null, 4]);
  });

  it("is reported by the UTC days of its calls", () => {
    const call = { inputTokens: 1, cachedTokens: 0, outputTokens: 2, nanoUsd: 5, model: "m", payer: workspace };
    const at = Date.UTC(2026, 0, 31, 23, 59);
    const days = listUsageByDay([
      { ...call, at: at + 120_000 },
      { ...call, at },
      { ...call, at: at + 1 },
    ]);
    expect(days.toSorted((one, other) => one.at - other.at)).toEqual([
      {
        day: "2026-01-31",
        model: "m",
        payerId: null,
        calls: 2,
        inputTokens: 2,
        cachedTokens: 0,
        outputTokens: 4,
        nanoUsd: 10,
        at,
      },
      { ...call, day: "2026-02-01", payer: undefined, payerId: null, calls: 1, at: at + 120_000 },
    ]);
  });
});

describe("the days and months of a report", () => {
  const read = (from: string, to: string, interval: UsageInterval, zone: string) => {
    const starts = listIntervals({ from: Date.parse(from), to: Date.parse(to) }, interval, zone);
    return isRefusal(starts) ? starts.code : starts.map((at) => new Date(at).toISOString().slice(0, 16));
  };
  test.each<[string, string, string, UsageInterval, string, string[] | string]>([
    [
      "begin at local midnight",
      "2026-01-01T00:00Z",
      "2026-01-02T12:00Z",
      "day",
      "Asia/Kolkata",
      [...["2026-01-01T00:00", "2026-01-01T18:30"]],
    ],
    [
      "are 23 hours where clocks go forward",
      "2026-03-28T23:00Z",
      "2026-03-30T22:00Z",
      "day",
      "Europe/Berlin",
      [...["2026-03-28T23:00", "2026-03-29T22:00"]],
    ],
    [
      "are 25 hours where clocks go back",
      "2026-10-24T22:00Z",
      "2026-10-26T23:00Z",
      "day",
      "Europe/Berlin",
      [...["2026-10-24T22:00", "2026-10-25T23:00"]],
    ],
    // In Santiago, the clocks skip from 24:00 to 1:00.
    [
      "begin after a midnight that is skipped",
      "2026-09-05T04:00Z",
      "2026-09-07T03:00Z",
      "day",
      "America/Santiago",
      [...["2026-09-05T04:00", "2026-09-06T04:00"]],
    ],
    // In Havana, the hour after midnight comes twice.
    [
      "begin at the first of two midnights",
      "2026-10-31T04:00Z",
      "2026-11-02T05:00Z",
      "day",
      "America/Havana",
      [...["2026-10-31T04:00", "2026-11-01T04:00"]],
    ],
    [
      "are months",
      "2025-12-15T00:00Z",
      "2026-02-10T00:00Z",
      "month",
      "UTC",
      [...["2025-12-15T00:00", "2026-01-01T00:00", "2026-02-01T00:00"]],
    ],
    ["begin when there can be usage", "0001-01-01T00:00Z", "2020-01-02T00:00Z", "month", "UTC", ["2020-01-01T00:00"]],
    ["are none before that", "0001-01-01T00:00Z", "0002-01-01T00:00Z", "day", "UTC", []],
    ["are 400 at most", "2026-01-01T00:00Z", "2027-02-05T00:00:01Z", "day", "UTC", "BAD_REQUEST"],
  ])("%s", (_, from, to, interval, zone, starts) => {
    expect(read(from, to, interval, zone)).toEqual(starts);
  });

  it("are 400 at most, and 400 are allowed", () => {
    expect(read("2026-01-01T00:00Z", "2027-02-05T00:00Z", "day", "UTC")).toHaveLength(400);
  });
});

describe("a report", () => {
  const month = Date.UTC(2026, 0);
  test.each([
    ["this month until now by default", {}, { from: month, to: now + 1 }],
    ["whole days", { from: "2026-01-02", to: "2026-01-02" }, { from: month + 864e5, to: month + 2 * 864e5 }],
    ["times", { from: "2026-01-01T12:00:00Z", to: "2026-01-01T13:00+01:00" }, "BAD_REQUEST"],
    [
      "times in their order",
      { from: "2026-01-01T12:00Z", to: "2026-01-01T13:00Z" },
      { from: month + 432e5, to: month + 468e5 },
    ],
    ["the wrong order", { from: "2026-01-03", to: "2026-01-01" }, "BAD_REQUEST"],
    ["what is no time", { from: "yesterday" }, "BAD_REQUEST"],
    ["a day that there is not", { to: "2026-02-30" }, "BAD_REQUEST"],
  ])("is of %s", (_, asked, range) => {
    const found = parseRange(asked, now);
    expect(refusalCode(found) ?? found).toEqual(range);
  });

  it("shows owners and admins everybody's usage, members their own, and a caller without a user nothing", () => {
    expect(findUsageViewer(byMember("usr_a", "owner"))).toBeNull();
    expect(findUsageViewer(byMember("usr_a", "admin"))).toBeNull();
    expect(findUsageViewer(byMember("usr_a", "member"))).toBe("usr_a");
    const agent: Actor = { type: "session-agent", sessionId: "s", user: null, role: null };
    expect(refusalCode(findUsageViewer(agent))).toBe("FORBIDDEN");
  });
});

test.each([
  ["UTC", "2026-03-29T00:00:00Z", "2026-03-29T00:00:00Z"],
  ["UTC", "2026-03-29T23:59:59Z", "2026-03-29T00:00:00Z"],
  ["America/Los_Angeles", "2026-06-02T06:59:59Z", "2026-06-01T07:00:00Z"],
  ["America/Los_Angeles", "2026-06-02T07:00:00Z", "2026-06-02T07:00:00Z"],
  ["Europe/Berlin", "2026-03-29T20:00:00Z", "2026-03-28T23:00:00Z"],
  ["Europe/Berlin", "2026-10-25T22:59:59Z", "2026-10-24T22:00:00Z"],
])("in %s the day of %s began at %s", (zone, at, start) => {
  expect(new Date(getDayStart(Date.parse(at), zone)).toISOString()).toBe(start.replace("Z", ".000Z"));
});
