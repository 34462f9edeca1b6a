// What a response of APNs means for a device that a notification was sent to.

/** A response; a status of 0 means that there was none. */
export interface PushAnswer {
  status: number;
  reason: string | null;
}

export type Meaning =
  /** The device has it. */
  | "delivered"
  /** The token no longer names a device of this app. */
  | "forget"
  /** The provider token has expired. */
  | "new-token"
  /** Try again later. */
  | "again"
  /** It will never be accepted. */
  | "refused";

/** A device with a bad token, or one of another topic, can never be reached with it. */
const badTokens = ["BadDeviceToken", "DeviceTokenNotForTopic"];

/** What a response of a browser's push service means (RFC 8030). */
export function getWebMeaning({ status }: PushAnswer): Meaning {
  if (status >= 200 && status < 300) return "delivered";
  if (status === 404 || status === 410) return "forget";
  return status === 0 || status === 429 || status >= 500 ? "again" : "refused";
}

/**
 * What a response means. `isRenewed` is true once the provider token is new: if it is refused
 * again, another renewal does not help.
 */
export function getMeaning({ status, reason }: PushAnswer, isRenewed: boolean): Meaning {
  if (status === 200) return "delivered";
  if (status === 410) return "forget";
  if (status === 400 && reason !== null && badTokens.includes(reason)) return "forget";
  if (status === 403 && reason === "ExpiredProviderToken") return isRenewed ? "again" : "new-token";
  return status === 0 || status === 429 || status >= 500 ? "again" : "refused";
}
