// The pages of a list: which page and size a query asks for, and the position that the response
// names. A size above the maximum is read as the maximum, one below 1 is refused (decisions,
// "Sessions").
import * as z from "zod";
import { pageSizeDefault, pageSizeMax } from "../rules/limits.ts";

/** An integer of at least 1. */
const wholeFromOne = z
  .string()
  .refine((text) => /^\d+$/.test(text), "must be a whole number")
  .meta({ type: "integer", minimum: 1 })
  .transform(Number)
  .pipe(z.int().min(1));

/**
 * A size of at least 1. Any value above the limit is read as the limit, even one that no number can
 * represent exactly, such as `1e30`.
 */
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
    .describe(`The number of items on a page, at most ${pageSizeMax}. A greater value counts as that.`),
});

/** The position of a page in the whole list. */
export const paginationSchema = z
  .object({
    page: z.int().describe("The page that was asked for."),
    totalPages: z.int().describe("The number of pages."),
    pageSize: z.int().describe("The number of items on a page."),
    total: z.int().describe("The number of items on all pages."),
    hasMore: z.boolean().describe("True when another page follows."),
  })
  .meta({
    id: "Pagination",
    description: "The position of a page in the whole list.",
    examples: [{ page: 1, totalPages: 1, pageSize: pageSizeDefault, total: 1, hasMore: false }],
  });
