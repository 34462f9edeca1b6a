// Puts a project's secrets into a request that leaves a sandbox, and removes them from the
// response.
import type { Env } from "../env.ts";
import { log } from "../lib/log.ts";
import { createRedaction, type Redaction } from "../rules/redaction.ts";
import { listEchoes, withSecretValues } from "./rules/network-secret.ts";
import { listSecretsForHost } from "./secrets.ts";

/** Sends a request to a host that secrets of the project are for. */
export async function withSecrets(
  env: Pick<Env, "DB" | "SEALING_KEYS">,
  { projectId, host }: { projectId: string; host: string },
  request: Request,
  send: (request: Request) => Promise<Response>,
): Promise<Response> {
  // Nothing would remove a secret from what a WebSocket says.
  if (request.headers.has("upgrade")) return await send(request);
  const secrets = await listSecretsForHost(env, projectId, host).catch((error: unknown) => {
    log.error("network.secrets_unreadable", { projectId, error });
    return null;
  });
  if (secrets === null)
    return new Response("Switchyard: the project's secrets could not be read. Try again.\n", { status: 503 });
  const { url, headers, shownAs } = withSecretValues({ url: request.url, headers: [...request.headers] }, secrets);
  const changed = new Headers(headers);
  // A secret cannot be found in a compressed response.
  changed.set("accept-encoding", "identity");
  // Part of a response may begin within a secret.
  changed.delete("range");
  const response = await send(new Request(new Request(url, request), { headers: changed }));
  return withoutSecrets(response, createRedaction(listEchoes(secrets, shownAs).map(toByteText)));
}

/** A text of one character for each byte. */
const toByteText = (text: string) => Buffer.from(text).toString("latin1");

function withoutSecrets(response: Response, redaction: Redaction): Response {
  const { status, statusText, body } = response;
  const headers = new Headers([...response.headers].map(([name, value]) => [name, redaction.whole(value)]));
  // The runtime has decompressed a response that came compressed all the same.
  headers.delete("content-encoding");
  headers.delete("content-length");
  const stream = redaction.stream();
  const bytes = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const shown = stream.push(Buffer.from(chunk).toString("latin1"));
      if (shown !== "") controller.enqueue(Buffer.from(shown, "latin1"));
    },
    flush(controller) {
      const rest = stream.flush();
      if (rest !== "") controller.enqueue(Buffer.from(rest, "latin1"));
    },
  });
  return new Response(body?.pipeThrough(bytes) ?? null, { status, statusText, headers });
}
