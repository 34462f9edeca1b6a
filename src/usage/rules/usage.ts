// The usage of model calls: their tokens, and what these cost. `price.ts` computes the cost.
import type { Payer } from "../../provider-login/rules/payer.ts";
import { type CallTokens, getCost, type Price } from "./price.ts";

export interface Usage {
  /** Input that was not read from the provider's cache. */
  inputTokens: number;
  /** Input that was read from it. */
  cachedTokens: number;
  outputTokens: number;
  /** Null on a subscription, which is not paid per token. */
  nanoUsd: number | null;
  payer: Payer["type"];
}

const nanosPerUsd = 1e9;
/** The usage of one call. A model that left the catalog has no price. */
export function getCallUsage(tokens: CallTokens, price: Price | null, payer: Payer): Usage {
  return {
    inputTokens: tokens.input + tokens.cacheWrite,
    cachedTokens: tokens.cacheRead,
    outputTokens: tokens.output,
    nanoUsd: payer.type === "member" ? null : price === null ? 0 : getCost(tokens, price),
    payer: payer.type,
  };
}

/** Adds one more call to the earlier usage, if there is any. */
export function addUsage(before: Usage | null, more: Usage): Usage {
  if (before === null) return more;
  const isUnpaid = before.nanoUsd === null && more.nanoUsd === null;
  return {
    inputTokens: before.inputTokens + more.inputTokens,
    cachedTokens: before.cachedTokens + more.cachedTokens,
    outputTokens: before.outputTokens + more.outputTokens,
    nanoUsd: isUnpaid ? null : (before.nanoUsd ?? 0) + (more.nanoUsd ?? 0),
    payer: more.payer,
  };
}

/** Nano-dollars in US dollars, as the API shows amounts. */
export function toUsd(nanoUsd: number): number {
  return nanoUsd / nanosPerUsd;
}

/** The start of the UTC month of a time. */
export function getMonth(time: number): number {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

/** A completed call, as it was counted. */
export interface CountedCall extends Omit<Usage, "payer"> {
  model: string | null;
  payer: Payer;
  /** When its response arrived. */
  at: number;
}

/** The usage of a piece of work on one UTC day. */
export interface UsageDay extends Omit<Usage, "payer"> {
  /** Such as `2026-01-31`. */
  day: string;
  model: string | null;
  /** The member whose subscription paid; null for the workspace. */
  payerId: string | null;
  calls: number;
  /** When the response to its first call of the day arrived. */
  at: number;
}

/** The calls of a piece of work by the UTC day of their response. */
export function listUsageByDay(calls: readonly CountedCall[]): UsageDay[] {
  const days = Map.groupBy(calls, ({ at }) => new Date(at).toISOString().slice(0, 10));
  return [...days].flatMap(([day, ofDay]) => {
    const [first] = ofDay;
    if (!first) return [];
    const sum = ofDay.reduce<Usage | null>(
      (before, call) => addUsage(before, { ...call, payer: call.payer.type }),
      null,
    );
    const payerId = first.payer.type === "member" ? first.payer.userId : null;
    const at = Math.min(...ofDay.map((call) => call.at));
    const { inputTokens = 0, cachedTokens = 0, outputTokens = 0, nanoUsd = null } = sum ?? {};
    return {
      day,
      model: first.model,
      payerId,
      calls: ofDay.length,
      inputTokens,
      cachedTokens,
      outputTokens,
      nanoUsd,
      at,
    };
  });
}
