// Forwards a preview request from the sandbox's object to the service's port.

import type { Program } from "../../sandbox/client.ts";
import { type SandboxDriver, SandboxUnreachable } from "../../sandbox/driver.ts";
import { brokenHeader, unreachableHeader } from "../../sandbox/program-headers.ts";
import { fetchFromService } from "./forward-carried-request.ts";

/** The header that names the port of the sandbox. */
export const previewPortHeader = "x-preview-port";
/** The header with the grant of the request, as JSON. */
export const previewGrantHeader = "x-preview-grant";

/** Sends a request to the port that its header names. The response has `unreachableHeader` if no service answered. */
export async function forwardToPort(driver: SandboxDriver, program: Program, request: Request): Promise<Response> {
  const headers = new Headers(request.headers);
  const port = Number(headers.get(previewPortHeader));
  headers.delete(previewPortHeader);
  headers.delete(previewGrantHeader);
  try {
    const answer = await fetchFromService(driver, program, port, new Request(request, { headers }));
    if (!answer.headers.has(brokenHeader)) return answer;
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

/** The answer where no service has one. */
export function unreachable(): Response {
  return new Response(null, { status: 503, headers: { [unreachableHeader]: "1" } });
}
