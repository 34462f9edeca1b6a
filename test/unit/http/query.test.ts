// The query of a request: parameters that occur once, several times, or are unknown.
import { expect, test } from "vitest";
import * as z from "zod";
import { flag, repeatable, toQueryValues } from "../../../src/http/query.ts";

const schema = z.object({
  page: z.coerce.number().int().default(1),
  search: z.string().optional(),
  status: repeatable(z.enum(["active", "backlog"])).optional(),
  mine: flag(),
});
const read = (query: string) => schema.safeParse(toQueryValues(new URL(`http://localhost/?${query}`)));

test.each([
  ["", { page: 1, mine: false }],
  ["page=2&search=a%20b", { page: 2, search: "a b", mine: false }],
  ["status=active", { page: 1, status: ["active"], mine: false }],
  ["status=active&page=3&status=backlog", { page: 3, status: ["active", "backlog"], mine: false }],
  ["mine=true", { page: 1, mine: true }],
  ["other=1&other=2&__proto__=3", { page: 1, mine: false }],
])("%j is accepted", (query, values) => {
  expect(read(query)).toEqual({ success: true, data: values });
});

test.each([
  ["status=done", "status"],
  ["status=active&status=done", "status"],
  ["search=a&search=b", "search"],
  ["page=1&page=2", "page"],
  ["mine=1", "mine"],
  ["mine=", "mine"],
])("%s is refused with the parameter's name", (query, name) => {
  expect(read(query).error?.issues.map(({ path }) => path[0])).toEqual([name]);
});
