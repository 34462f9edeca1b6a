// Pages of a list: which one a client asks for.
import * as z from "zod";
import { pageSizeDefault, pageSizeMax } from "../rules/limits.ts";

const wholeFromOne = z
  .string()
  .refine((text) => /^\d+$/.test(text), "must be a whole number")
  .meta({ type: "integer", minimum: 1 })
  .transform(Number)
  .pipe(z.int().min(1));

/** `page` and `pageSize` of a list; a page size above the limit reads as the limit. */
export const pageQuery = z.strictObject({
  page: wholeFromOne.default(1).describe("The page, from 1."),
  pageSize: wholeFromOne
    .default(pageSizeDefault)
    .transform((size) => Math.min(size, pageSizeMax))
    .describe(`How many items a page has; a value above ${pageSizeMax} reads as ${pageSizeMax}.`),
});

/** Where a page stands in the whole list. */
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
