// The key in the path of a stand-in's private address, which `dev.json` contains. Under that
// address, a stand-in lists what it received from everyone. Programs in a sandbox reach the same
// port, but do not know the key.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Draws a key. The same secret gives the same key after a restart. */
export function createPathKey(standIn: string, secret: string = randomBytes(32).toString("hex")): string {
  return createHmac("sha256", secret).update(`the private path of the ${standIn}`).digest("base64url");
}

/** Strips the key from the start of a request's path. */
export function readPrivatePath(path: string, key: string): { path: string; isPrivate: boolean } {
  const prefix = Buffer.from(`/${key}/`);
  const start = Buffer.from(path).subarray(0, prefix.length);
  const isPrivate = start.length === prefix.length && timingSafeEqual(start, prefix);
  return { path: isPrivate ? path.slice(prefix.length - 1) : path, isPrivate };
}
