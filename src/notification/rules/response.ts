// What an answer of APNs means for a device that a notice was sent to.

/** An answer; a status of 0 stands for none. */
export interface PushAnswer {
  status: number;
  reason: string | null;
}

export type Meaning =
  /** The device has it. */
  | "delivered"
  /** The token names no device of this app any more. */
  | "forget"
  /** The provider token has expired. */
  | "new-token"
  /** Try again later. */
  | "again"
  /** It will never be taken. */
  | "refused";

/** A device whose token is bad, or of another topic, can never be reached by it. */
const badTokens = ["BadDeviceToken", "DeviceTokenNotForTopic"];

/**
 * What an answer means. `isRenewed` once the provider token is a new one: a second refusal of it is
 * no reason for a third.
 */
export function meaningOf({ status, reason }: PushAnswer, isRenewed: boolean): Meaning {
  if (status === 200) return "delivered";
  if (status === 410) return "forget";
  if (status === 400 && reason !== null && badTokens.includes(reason)) return "forget";
  if (status === 403 && reason === "ExpiredProviderToken") return isRenewed ? "again" : "new-token";
  return status === 0 || status === 429 || status >= 500 ? "again" : "refused";
}
