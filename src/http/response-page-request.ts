// Tells a browser that opens an address from a client of the API, where both have the same address.

/** True if a browser is to show the answer as a page. A client with a key gets what the API answers. */
export function wantsPage({ method, headers }: Request): boolean {
  if (method !== "GET" || headers.has("authorization")) return false;
  const mode = headers.get("sec-fetch-mode");
  if (mode !== null && mode !== "navigate" && !headers.has(partHeader)) return false;
  return headers.get("accept")?.includes("text/html") === true;
}

/** Sent by a page that asks for itself again. */
export const partHeader = "x-switchyard-page";
