// One HTTP exchange as it stands on the wire: any host name, any path, any body, where `fetch` would tidy up or refuse.
import { type IncomingHttpHeaders, request } from "node:http";
import { text } from "node:stream/consumers";

export interface Exchange {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  /** A list goes out in chunks, without a Content-Length. */
  body?: string | string[];
}

export interface Exchanged {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Sends a request to a server of this machine. */
export function exchange(baseUrl: string, { method = "GET", path, headers = {}, body }: Exchange): Promise<Exchanged> {
  const { port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const sent = request({
      host: "127.0.0.1",
      port,
      method,
      path,
      headers: { host: new URL(baseUrl).host, ...headers },
    });
    sent.once("error", reject);
    sent.once("response", (response) => {
      text(response).then(
        (answer) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text: answer }),
        reject,
      );
    });
    if (typeof body === "string") {
      sent.setHeader("content-length", Buffer.byteLength(body));
      sent.end(body);
      return;
    }
    for (const chunk of body ?? []) sent.write(chunk);
    sent.end();
  });
}
