// The price of a model call. Amounts are whole nano-dollars, so that sums are exact.

/** The tokens of one call, each counted once. */
export interface CallTokens {
  /** Input that was neither read from the provider's cache nor written to it. */
  input: number;
  cacheRead: number;
  cacheWrite: number;
  /** Output, including reasoning. */
  output: number;
}

/** US dollars per million tokens. */
export type Price = CallTokens;

/** A price per million tokens in nano-dollars per token. */
const nanosPerToken = 1e3;

/** The cost of a call at the catalog's price, in nano-dollars. */
export function getCost(tokens: CallTokens, price: Price): number {
  const ofKind = (kind: keyof CallTokens) => tokens[kind] * price[kind];
  return Math.round((ofKind("input") + ofKind("cacheRead") + ofKind("cacheWrite") + ofKind("output")) * nanosPerToken);
}
