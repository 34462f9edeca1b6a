// Takes the place of the service in tests of sandboxes: below `/internal/git`, it leads to a git
// remote.
import { createServer, type Server } from "node:http";
import { createRelay } from "../../sandbox-program/http/relay.ts";
import type { GitRemote } from "../sandbox-program/support/git-remote.ts";

const gitPath = "/internal/git";

/** Creates the service, which does not listen yet. */
export function createGitService(remote: GitRemote): Server {
  const relay = createRelay();
  const port = Number(new URL(remote.url).port);
  return createServer((request, response) => {
    const { url = "/", headers } = request;
    if (!url.startsWith(gitPath)) return void response.end(`the service at ${url}`);
    const answerHeaders = (answered: object) => ({ ...answered });
    const fail = () => response.destroy();
    relay.request({ port, path: url.slice(gitPath.length), headers, answerHeaders, fail }, request, response);
  });
}

/** The URL of the remote at the service. */
export const getGitUrl = (remote: GitRemote, servicePort: number): string =>
  `http://127.0.0.1:${servicePort}${gitPath}${new URL(remote.url).pathname}`;
