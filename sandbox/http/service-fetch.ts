// Calls of the program that leave the sandbox for the service: none is redirected, and none is answered compressed.

/** Node's `fetch` leaves whoever reads a compressed answer waiting for good when the call is broken off meanwhile. */
export const uncompressed = { "accept-encoding": "identity" } as const;

type ServiceCall = Omit<RequestInit, "headers" | "redirect"> & { headers: Record<string, string> };

/** Calls the service. A redirect would carry the credential to wherever it points. */
export async function fetchFromService(url: string, { headers, ...call }: ServiceCall): Promise<Response> {
  return await fetch(url, { ...call, headers: { ...uncompressed, ...headers }, redirect: "error" });
}
