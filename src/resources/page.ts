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
  page: wholeFromOne.default(1),
  pageSize: wholeFromOne.default(pageSizeDefault).transform((size) => Math.min(size, pageSizeMax)),
});
