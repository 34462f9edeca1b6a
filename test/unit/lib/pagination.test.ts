// The queries of lists: sizes of pages, and filters with many values.
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { toQueryValues } from "../../../src/http/query.ts";
import { check } from "../../../src/http/validation.ts";
import { pageQuery, sizeUpTo } from "../../../src/lib/pagination.ts";
import { listParameter, uuid } from "../../../src/lib/wire.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";

const query = pageQuery.extend({
  id: listParameter(z.string(), "Ids"),
  project: listParameter(uuid, "Ids"),
  limit: sizeUpTo(200).optional(),
});
const read = (text: string) => {
  const checked = check(query, toQueryValues(new URL(`http://localhost/?${text}`)), "BAD_REQUEST");
  return isRefusal(checked) ? checked.message : checked.value;
};

test.each<[string, object]>([
  ["", { page: 1, pageSize: 25, id: [] }],
  ["pageSize=1", { pageSize: 1 }],
  ["pageSize=100", { pageSize: 100 }],
  ["pageSize=101", { pageSize: 100 }],
  ["pageSize=9007199254740993", { pageSize: 100 }],
  ["pageSize=99999999999999999999", { pageSize: 100 }],
  ["pageSize=1e30", { pageSize: 100 }],
  ["pageSize=1E%2B400", { pageSize: 100 }],
  [`pageSize=${"9".repeat(1_000)}`, { pageSize: 100 }],
  ["limit=1e30", { limit: 200 }],
  ["limit=7", { limit: 7 }],
  ["id=a&id=b,a", { id: ["a", "b"] }],
  ["project=019A1C5E-4B7A-7C21-9D0E-5F3A8B6C1D20", { project: ["019a1c5e-4b7a-7c21-9d0e-5f3a8b6c1d20"] }],
])("%s is accepted", (text, values) => {
  expect(read(text)).toMatchObject(values);
});

test.each([
  ["pageSize=0", "pageSize must be at least 1"],
  ["pageSize=0e9", "pageSize must be at least 1"],
  ["pageSize=-1", "pageSize must be a whole number"],
  ["pageSize=1.5", "pageSize must be a whole number"],
  ["pageSize=1e-9", "pageSize must be a whole number"],
  ["pageSize=Infinity", "pageSize must be a whole number"],
  ["pageSize=", "pageSize must be a whole number"],
  ["limit=0", "limit must be at least 1"],
])("%s is refused", (text, message) => {
  expect(read(text)).toContain(message);
});

describe("a repeated filter", () => {
  const ids = (count: number) => Array.from({ length: count }, (_, at) => `id=${at}`).join("&");
  test("takes 100 values, and the same one more often", () => {
    expect(read(`${ids(100)}&id=5`)).toMatchObject({ id: { length: 100 } });
  });
  test("takes no more, and says so", () => {
    expect(read(ids(101))).toContain("id takes at most 100 values");
  });
});
