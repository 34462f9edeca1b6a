// Fields that several nouns share on the wire.
import * as z from "zod";
import { pageSizeDefault, pageSizeMax } from "../rules/limits.ts";

export const uuid = z.uuid();
export const timestamp = z.iso.datetime();

/** Milliseconds as the wire's ISO 8601 UTC text. */
export function time(ms: number): string {
  return new Date(ms).toISOString();
}

export function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : time(ms);
}

const wholeFromOne = z.coerce.number().int().min(1);

/** `page` and `pageSize` of a list; a page size above the limit reads as the limit. */
export const pageQuery = z.object({
  page: wholeFromOne.default(1),
  pageSize: wholeFromOne.default(pageSizeDefault).transform((size) => Math.min(size, pageSizeMax)),
});
