// A double of the part of a code host that the practice one lacks: the comments of pull requests.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

export interface CommentsHost {
  url: string;
  /** The comments by their ids, with what each of them said, oldest first. */
  comments: Map<number, string[]>;
  close(): void;
}

/** Starts the double for one pull request, such as `acme/demo` and 7. It wants the token. */
export async function startCommentsHost(repository: string, number: number, token: string): Promise<CommentsHost> {
  const comments = new Map<number, string[]>();
  let last = 0;
  const issues = `/repos/${repository}/issues`;
  const server = createServer(async (request, response) => {
    const { body = "" } = (await json(request)) as { body?: string };
    const answer = (status: number, id: number) => response.writeHead(status).end(JSON.stringify({ id }));
    if (request.headers.authorization !== `Bearer ${token}` || !request.headers["user-agent"]) return answer(403, 0);
    if (request.method === "POST" && request.url === `${issues}/${number}/comments`) {
      last += 1;
      comments.set(last, [body]);
      return answer(201, last);
    }
    const [, id] = /\/comments\/(\d+)$/.exec(request.url ?? "") ?? [];
    const said = comments.get(Number(id));
    if (request.method !== "PATCH" || request.url !== `${issues}/comments/${id}` || !said) return answer(404, 0);
    said.push(body);
    return answer(200, Number(id));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    comments,
    close: () => server.close().closeAllConnections(),
  };
}
