// Calls from the program to the service: without redirects and without compression.

/** In Node's `fetch`, reading a compressed response never settles after the call is aborted. */
export const uncompressed = { "accept-encoding": "identity" } as const;

type ServiceCall = Omit<RequestInit, "headers" | "redirect"> & { headers: Record<string, string> };

/**
 * Calls the service. Redirects are refused, because they would send the credential to another host.
 */
export async function fetchFromService(url: string, { headers, ...call }: ServiceCall): Promise<Response> {
  return await fetch(url, { ...call, headers: { ...uncompressed, ...headers }, redirect: "error" });
}
