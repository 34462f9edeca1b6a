// Requests that an agent outside of the service makes by MCP, with a person's API key. That person
// did not write what it sends, so it may not do what only people may, such as ship.

const clients = new WeakMap<Request, string | null>();

/**
 * Creates a call of the API that such an agent makes. `client` is the name that its program gives.
 * Only code can mark a request, and no header.
 */
export function createAgentRequest(url: URL, init: RequestInit, client: string | null): Request {
  const request = new Request(url, init);
  clients.set(request, client);
  return request;
}

/** True for a call that such an agent makes. */
export function isAgentRequest(request: Request): boolean {
  return clients.has(request);
}

/** The name of the program that makes such a call; null without one. */
export function findAgentClient(request: Request): string | null {
  return clients.get(request) ?? null;
}
