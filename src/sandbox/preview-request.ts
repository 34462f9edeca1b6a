// A preview request on its way from the preview host, through the sandbox's object, to the service's port.
import { type SandboxDriver, SandboxUnreachable } from "./driver.ts";

/** Names the port of the sandbox that a request is for. */
export const previewPortHeader = "x-preview-port";
const unreachableHeader = "x-sandbox-unreachable";

/** Carries an addressed request to its port. */
export async function carryPreview(driver: SandboxDriver, request: Request): Promise<Response> {
  const headers = new Headers(request.headers);
  const port = Number(headers.get(previewPortHeader));
  headers.delete(previewPortHeader);
  try {
    return await driver.fetch(port, new Request(request, { headers }));
  } catch (error) {
    if (!(error instanceof SandboxUnreachable)) throw error;
    return new Response(null, { status: 503, headers: { [unreachableHeader]: "1" } });
  }
}

/** True when nothing took the request. */
export function wasUnreachable(answer: Response): boolean {
  return answer.headers.has(unreachableHeader);
}
