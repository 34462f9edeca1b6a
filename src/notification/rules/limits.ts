// The limits of notifications, which `limits.ts` exports with all others.

const hourMs = 3_600_000;

/** Of a device token, which is written with two hexadecimal digits per byte. */
export const deviceTokenBytesMin = 16;
export const deviceTokenBytesMax = 100;
/** A notification that has not reached a device within this time is dropped. */
export const notificationLifetimeMs = 1 * hourMs;
