// Forwards a preview request from the sandbox's object to the service's port.
import { brokenHeader, type SandboxDriver, SandboxUnreachable, unreachableHeader } from "../sandbox/driver.ts";

/** The header that names the port of the sandbox. */
export const previewPortHeader = "x-preview-port";
/** The header with the grant of the request, as JSON. */
export const previewGrantHeader = "x-preview-grant";

/** Sends a request to the port that its header names. The response has `unreachableHeader` if no service answered. */
export async function forwardToPort(driver: SandboxDriver, request: Request): Promise<Response> {
  const headers = new Headers(request.headers);
  const port = Number(headers.get(previewPortHeader));
  headers.delete(previewPortHeader);
  headers.delete(previewGrantHeader);
  try {
    const answer = await driver.fetch(port, new Request(request, { headers }));
    if (!answer.headers.has(brokenHeader) && isForwardable(answer)) return answer;
    await answer.body?.cancel();
    return unreachable();
  } catch (error) {
    if (!(error instanceof SandboxUnreachable)) throw error;
    return unreachable();
  }
}

/** True if no service accepted the request, or the connection broke before a response. */
export function wasUnreachable(answer: Response): boolean {
  return answer.headers.has(unreachableHeader);
}

/** False for a status that the platform cannot send. */
function isForwardable({ status, webSocket }: Response): boolean {
  return Boolean(webSocket) || (status >= 200 && status <= 599);
}

function unreachable(): Response {
  return new Response(null, { status: 503, headers: { [unreachableHeader]: "1" } });
}
