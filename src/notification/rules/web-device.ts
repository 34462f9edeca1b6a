// A browser that gets push notifications (RFC 8030): the address at its push service, and the keys
// to which notifications are encrypted (RFC 8291).

/** A subscription as a browser gives it. */
export interface PushSubscriptionKeys {
  /** The push service's address of the browser. */
  endpoint: string;
  /** The browser's public key: an uncompressed point of P-256, in base64url. */
  p256dh: string;
  /** 16 random bytes of the browser, in base64url. */
  auth: string;
}

/** 65 bytes that begin with 4, and 16 bytes. Some browsers pad base64url. */
export const p256dhPattern = /^B[\w-]{86}=?$/;
export const pushAuthPattern = /^[\w-]{22}(?:==)?$/;
