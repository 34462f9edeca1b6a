// Same-origin requests: a browser sends its cookie with requests of any site, so a request that
// changes something with the cookie must come from a page of the service (decisions, "Callers").
import { type Refusal, refuse } from "../rules/refusal.ts";

const safeMethods = ["GET", "HEAD", "OPTIONS"];

/** True if the browser's headers show that a page of the service sent the request. */
export function isFromOwnPage(request: Request, publicUrl: string): boolean {
  return request.headers.get("origin") === new URL(publicUrl).origin;
}

/** Refuses a request with a cookie that changes something and comes from another site. */
export function checkSameOrigin(request: Request, publicUrl: string): Refusal | null {
  if (safeMethods.includes(request.method) || isFromOwnPage(request, publicUrl)) return null;
  return refuse("FORBIDDEN", "The request comes from another site. Send it from a page of this service.");
}
