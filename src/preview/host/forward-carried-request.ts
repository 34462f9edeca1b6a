// A request that the sandbox program carries to a service's port.
import { type Program, throwIfAnother } from "../../sandbox/client.ts";
import type { SandboxDriver } from "../../sandbox/driver.ts";
import { bootHeader, brokenHeader, carriedPortHeader, carrierHeader } from "../../sandbox/program-headers.ts";

/**
 * Sends a request or a WebSocket handshake to a service of the sandbox, by its declared port. Throws SandboxUnreachable if nothing accepts it.
 * Returns 502 with `brokenHeader` if the connection breaks before a response, or for a status that nobody can be sent.
 */
export async function fetchFromService(
  driver: SandboxDriver,
  { secret, bootId = null }: Program,
  port: number,
  request: Request,
): Promise<Response> {
  const headers = new Headers(request.headers);
  headers.set(carriedPortHeader, String(port));
  headers.set(carrierHeader, secret);
  const answer = await driver.fetch(new Request(request, { headers }));
  await throwIfAnother(answer, bootId);
  const { status, webSocket } = answer;
  if (!webSocket && !isForwardable(status)) {
    await answer.body?.cancel();
    return new Response(null, { status: 502, headers: { [brokenHeader]: "1" } });
  }
  const own = new Response(answer.body, webSocket ? { status, webSocket, headers: answer.headers } : answer);
  own.headers.delete(bootHeader);
  return own;
}

/** False for a status that the platform cannot send. */
const isForwardable = (status: number) => status >= 200 && status <= 599;
