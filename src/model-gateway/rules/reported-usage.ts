// The tokens of a response, as its provider counts them. A stream reports them in several events,
// each with the total so far.
import type { CallTokens } from "../../usage/rules/price.ts";

const noTokens: CallTokens = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

/** The wires have different names for the same counts. */
export type UsageWire = "anthropic-messages" | "openai-responses";

/**
 * The tokens after another report. Counts that the report omits keep their previous value. Anything
 * that is not a report changes nothing.
 */
export function addTokens(wire: UsageWire, before: CallTokens | null, report: unknown): CallTokens | null {
  if (!isObject(report)) return before;
  return readers[wire](report, before ?? noTokens);
}

const readers: Record<UsageWire, (report: Report, before: CallTokens) => CallTokens> = {
  "anthropic-messages": (report, before) => ({
    input: parseCount(report.input_tokens) ?? before.input,
    cacheRead: parseCount(report.cache_read_input_tokens) ?? before.cacheRead,
    cacheWrite: parseCount(report.cache_creation_input_tokens) ?? before.cacheWrite,
    output: parseCount(report.output_tokens) ?? before.output,
  }),
  // On this wire, the input includes tokens that were read from the cache and written to it.
  "openai-responses": (report, before) => {
    const details = isObject(report.input_tokens_details) ? report.input_tokens_details : {};
    const cacheRead = parseCount(details.cached_tokens) ?? before.cacheRead;
    const cacheWrite = parseCount(details.cache_write_tokens) ?? before.cacheWrite;
    const input = parseCount(report.input_tokens);
    return {
      input: input === null ? before.input : Math.max(0, input - cacheRead - cacheWrite),
      cacheRead,
      cacheWrite,
      output: parseCount(report.output_tokens) ?? before.output,
    };
  },
};

type Report = Record<string, unknown>;

function parseCount(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function isObject(value: unknown): value is Report {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
