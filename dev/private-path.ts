// The key in the path of a stand-in's private address, as `dev.json` has it. Below it a stand-in
// lists what it took of everybody. What runs in a sandbox reaches the same port, and does not know
// the key.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Draws a key. From the same secret it is the same after a restart. */
export function drawPathKey(standIn: string, secret: string = randomBytes(32).toString("hex")): string {
  return createHmac("sha256", secret).update(`the private path of the ${standIn}`).digest("base64url");
}

/** Takes the key off the front of a request's path. */
export function readPrivatePath(path: string, key: string): { path: string; isPrivate: boolean } {
  const prefix = Buffer.from(`/${key}/`);
  const start = Buffer.from(path).subarray(0, prefix.length);
  const isPrivate = start.length === prefix.length && timingSafeEqual(start, prefix);
  return { path: isPrivate ? path.slice(prefix.length - 1) : path, isPrivate };
}
