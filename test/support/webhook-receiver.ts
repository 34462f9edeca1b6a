// A program that gets the webhooks of a test, over HTTP on loopback.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface ReceivedWebhook {
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** Starts the program. It accepts everything. */
export async function openWebhookReceiver() {
  const received: ReceivedWebhook[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    received.push({ path: request.url ?? "", headers: request.headers as Record<string, string>, body });
    response.end("thanks");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What came to a path, in order. */
    sentTo: (path: string) => received.filter((one) => one.path === path),
    close: () => void server.close(),
  };
}
