// Requests that an agent outside of the service makes by MCP, with a person's API key. That person
// did not write what it sends, so it may not do what only people may, such as ship.

const requests = new WeakSet<Request>();

/** Creates a call of the API that such an agent makes. Only code can mark it, and no header. */
export function createAgentRequest(url: URL, init: RequestInit): Request {
  const request = new Request(url, init);
  requests.add(request);
  return request;
}

/** True for a call that such an agent makes. */
export function isAgentRequest(request: Request): boolean {
  return requests.has(request);
}
