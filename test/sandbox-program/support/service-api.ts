// Stands in for the calls of a turn to the service apart from its link: files of a message, long
// outputs, sessions filed for later.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { AttachedFile } from "../../../src/sandbox-protocol/protocol.ts";

export interface ReceivedCall {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

export interface Answer {
  status: number;
  body?: string | Buffer;
  /** Breaks the connection off after the body. */
  breaksOff?: boolean;
  /** Never comes. */
  isSlow?: boolean;
  /** The connection goes before it comes. */
  isLost?: boolean;
}

export interface ServiceApi {
  url: string;
  calls: ReceivedCall[];
  /** Offers a file for download; `answers` come first, one a request. */
  attach(name: string, mediaType: string, content: string | Buffer, ...answers: Answer[]): AttachedFile;
  /** The next answers to other calls, which otherwise get 204. */
  answers: Answer[];
  /** How many calls wait for an answer. */
  openCalls(): number;
  /** Breaks off every running call. */
  drop(): void;
  stop(): Promise<void>;
}

/** Starts it on a free port. */
export async function startServiceApi(): Promise<ServiceApi> {
  const files = new Map<string, Answer[]>();
  const calls: ReceivedCall[] = [];
  let openCalls = 0;
  const server = createServer(async (request, response) => {
    const body = await readBody(request).catch(() => null);
    if (body === null) return;
    const { method = "", url: path = "", headers } = request;
    calls.push({ method, path, headers, body });
    const queued = files.get(path);
    const answer = queued
      ? queued.length > 1
        ? queued.shift()
        : queued[0]
      : (api.answers.shift() ?? { status: method === "GET" ? 404 : 204 });
    if (answer?.isSlow) {
      openCalls += 1;
      response.once("close", () => {
        openCalls -= 1;
      });
      return;
    }
    if (answer?.isLost) {
      response.destroy();
      return;
    }
    response.writeHead(answer?.status ?? 500);
    if (answer?.breaksOff) response.write(answer.body ?? "", () => response.destroy());
    else response.end(answer?.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const api: ServiceApi = {
    url,
    calls,
    answers: [],
    attach(name, mediaType, content, ...answers) {
      const id = `file-${files.size + 1}`;
      const body = Buffer.from(content);
      files.set(`/files/${id}`, [...answers, { status: 200, body }]);
      return { id, name, mediaType, byteSize: body.length, url: `${url}/files/${id}` };
    },
    openCalls: () => openCalls,
    drop: () => server.closeAllConnections(),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return api;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
