// A preview request on its way from the preview host, through the sandbox's object, to the service's port.
import { brokenHeader, type SandboxDriver, SandboxUnreachable, unreachableHeader } from "../sandbox/driver.ts";

/** Names the port of the sandbox that a request is for. */
export const previewPortHeader = "x-preview-port";

/** Carries an addressed request to its port. */
export async function carryPreview(driver: SandboxDriver, request: Request): Promise<Response> {
  const headers = new Headers(request.headers);
  const port = Number(headers.get(previewPortHeader));
  headers.delete(previewPortHeader);
  try {
    const answer = await driver.fetch(port, new Request(request, { headers }));
    if (!answer.headers.has(brokenHeader) && canBePassedOn(answer)) return answer;
    await answer.body?.cancel();
    return unreachable();
  } catch (error) {
    if (!(error instanceof SandboxUnreachable)) throw error;
    return unreachable();
  }
}

/** True when nothing took the request, or it was dropped without an answer. */
export function wasUnreachable(answer: Response): boolean {
  return answer.headers.has(unreachableHeader);
}

/** False for what HTTP knows no such answer of, and no platform hands on. */
function canBePassedOn({ status, webSocket }: Response): boolean {
  return Boolean(webSocket) || (status >= 200 && status <= 599);
}

function unreachable(): Response {
  return new Response(null, { status: 503, headers: { [unreachableHeader]: "1" } });
}
