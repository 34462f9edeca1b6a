// The limits of notifications, which `limits.ts` exports with all others.

const hourMs = 3_600_000;

/** Of a device token, which is written with two hexadecimal digits per byte. */
export const deviceTokenBytesMin = 16;
export const deviceTokenBytesMax = 100;
/** Of one person; a further browser replaces the one that was registered longest ago. */
export const webDevicesMax = 20;
export const deviceLabelCharacters = 100;
/** Who has a session open in a browser is notified after this time, unless they have seen it. */
export const seenGraceMs = 3_000;
/** A notification that has not reached a device within this time is dropped. */
export const notificationLifetimeMs = 1 * hourMs;
