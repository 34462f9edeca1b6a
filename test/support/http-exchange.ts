// Raw HTTP exchanges with any host name, path and body, which `fetch` would normalize or refuse.
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";

export interface Exchange {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  /** A list is sent in chunks, without a Content-Length. */
  body?: string | string[];
}

export interface Exchanged {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
}

/**
 * Sends a request to a server of this machine and reads the whole response. A path in the base URL
 * is a prefix of the request's path.
 */
export async function exchange(baseUrl: string, asked: Exchange): Promise<Exchanged> {
  const answer = await answerTo(baseUrl, asked);
  const bytes = await buffer(answer);
  return { status: answer.statusCode ?? 0, headers: answer.headers, bytes, text: bytes.toString("utf8") };
}

/** Sends a request. Resolves when its response begins. */
export function answerTo(
  baseUrl: string,
  { method = "GET", path, headers = {}, body }: Exchange,
): Promise<IncomingMessage> {
  const { host, port, pathname } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const sent = request({
      host: "127.0.0.1",
      port,
      method,
      path: pathname.replace(/\/$/, "") + path,
      headers: { host, ...headers },
    });
    sent.once("error", reject);
    sent.once("response", resolve);
    if (typeof body === "string") {
      sent.setHeader("content-length", Buffer.byteLength(body));
      sent.end(body);
      return;
    }
    for (const chunk of body ?? []) sent.write(chunk);
    sent.end();
  });
}
