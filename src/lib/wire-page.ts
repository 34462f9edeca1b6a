// Pagination and filters of lists.
import * as z from "zod";
import { filterValuesMax, pageSizeDefault, pageSizeMax } from "../rules/limits.ts";

/** A whole number from 1. */
export const wholeFromOne = z
  .string()
  .refine((text) => /^\d+$/.test(text), "must be a whole number")
  .meta({ type: "integer", minimum: 1 })
  .transform(Number)
  .pipe(z.int().min(1));

/** A size from 1. Any above the limit reads as the limit, also one that no number can hold exactly, such as `1e30`. */
export const sizeUpTo = (most: number) =>
  z
    .string()
    .refine((text) => /^\d+(e\+?\d+)?$/i.test(text), "must be a whole number")
    .meta({ type: "integer", minimum: 1 })
    .transform((text) => Math.min(Number(text), most))
    .pipe(z.int().min(1));

/** `page` and `pageSize` of a list. */
export const pageQuery = z.strictObject({
  page: wholeFromOne.default(1).describe("The page, from 1."),
  pageSize: sizeUpTo(pageSizeMax)
    .default(pageSizeDefault)
    .describe(`How many items a page has; a value above ${pageSizeMax} reads as ${pageSizeMax}.`),
});

/** A query parameter that may be repeated. Any of its values may match. */
export const anyOf = <Value extends z.ZodType<string, string>>(value: Value, what: string) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [...new Set([given].flat().flatMap((each) => each.split(",")))])
    .pipe(z.array(value).max(filterValuesMax, `takes at most ${filterValuesMax} values`))
    .default([])
    .describe(`${what}: up to ${filterValuesMax}, repeated or with commas between.`);

/** The position of a page in the whole list. */
export const paginationSchema = z
  .object({
    page: z.int().describe("The page that was asked for."),
    totalPages: z.int().describe("How many pages there are."),
    pageSize: z.int().describe("How many items a page has."),
    total: z.int().describe("How many items there are on all pages."),
    hasMore: z.boolean().describe("True when another page follows."),
  })
  .meta({
    id: "Pagination",
    description: "Where a page stands in the whole list.",
    examples: [{ page: 1, totalPages: 1, pageSize: pageSizeDefault, total: 1, hasMore: false }],
  });
