// Forwards the git and API requests for one repository to the real code host, with the user's own
// token. The service has a single code host, and reaches only this repository of the real one.
import { type IncomingMessage, request as requestHttp, type ServerResponse } from "node:http";
import { request as requestHttps } from "node:https";

export interface HostedRepository {
  /** `owner/name`, with the code host's capitalization. */
  name: string;
  id: number;
  apiUrl: string;
  gitUrl: string;
  token: string;
}

export interface Relay {
  isRelayed(name: string): boolean;
  /** True for an API path of the repository. */
  isApiPath(path: string): boolean;
  forwardGit(request: IncomingMessage, response: ServerResponse, service: string): void;
  passApi(request: IncomingMessage, response: ServerResponse): void;
}

const forwarded = ["accept", "accept-encoding", "content-encoding", "content-length", "content-type", "git-protocol"];
const forwardedToApi = ["x-github-api-version", "user-agent"];
const answered = [
  ...["content-type", "content-encoding", "content-length", "cache-control", "link", "retry-after"],
  ...["x-ratelimit-remaining", "x-ratelimit-reset"],
];
/** The service's timeout of a push. */
const silenceMs = 120_000;

/** Creates the relay to a repository. */
export function createRelay({ name, apiUrl, gitUrl, token }: HostedRepository): Relay {
  const basic = `Basic ${Buffer.from(`x-access-token:${token}`).toString("base64")}`;
  return {
    isRelayed: (asked) => asked === name,
    isApiPath: (path) => path === `/repos/${name}` || path.startsWith(`/repos/${name}/`),
    forwardGit(request, response, service) {
      const { search } = new URL(request.url ?? "/", "http://code-host");
      pass(request, response, `${gitUrl}/${name}.git${service}${search}`, {
        authorization: basic,
        ...selectedHeaders(request, forwarded),
      });
    },
    passApi(request, response) {
      const { pathname, search } = new URL(request.url ?? "/", "http://code-host");
      // Relative to the REST API of github.com, or next to that of an Enterprise Server.
      const base = pathname === "/graphql" ? apiUrl.replace(/(\/api)\/v3$/, "$1") : apiUrl;
      const headers = selectedHeaders(request, [...forwarded, ...forwardedToApi]);
      pass(request, response, `${base}${pathname}${search}`, { authorization: `Bearer ${token}`, ...headers });
    },
  };
}

function selectedHeaders({ headers }: IncomingMessage, names: string[]): Record<string, string | string[]> {
  return Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));
}

/** Streams both directions. Returns 502 if the host does not respond. */
function pass(
  request: IncomingMessage,
  response: ServerResponse,
  address: string,
  headers: Record<string, string | string[]>,
): void {
  const send = address.startsWith("https:") ? requestHttps : requestHttp;
  const outward = send(address, { method: request.method, headers, timeout: silenceMs }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, selectedHeaders(answer, answered));
    answer.pipe(response);
    answer.once("error", () => response.destroy());
  });
  outward.once("timeout", () => outward.destroy());
  outward.once("error", () => {
    if (response.headersSent) response.destroy();
    else response.writeHead(502, { "content-type": "text/plain" }).end("The code host does not answer.\n");
  });
  response.once("close", () => outward.destroy());
  request.pipe(outward);
}
