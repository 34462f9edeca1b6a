// The world of the driver tests outside of the Worker: the sandbox host with the real program, and
// a repository with a service.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startListening } from "../../../practice/listening.ts";
import { startSandboxHost } from "../../../practice/sandbox-host/sandbox-host.ts";
import { writeSandboxProgram } from "../../../practice/sandbox-program.ts";
import { startGitRemote } from "../../sandbox-program/support/git-remote.ts";
import { createGitService, getGitUrl } from "../../support/git-service.ts";
import { unreachableUrl } from "../../support/unreachable.ts";
import "./provided.ts";

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-drivers-"));
  const programFile = await writeSandboxProgram(folder);
  const text = (path: string) => readFile(join(import.meta.dirname, path), "utf8");
  const remote = await startGitRemote({
    "package.json": '{"type":"module"}',
    "service.js": await text("service.js"),
    "websocket.js": await text("../../../practice/demo-app/websocket.js"),
  });
  const service = createGitService(remote);
  const servicePort = await startListening(service, 0, "127.0.0.1");
  const host = await startSandboxHost({ folder: join(folder, "sandboxes"), programFile, outside: { servicePort } });
  project.provide("drivers", {
    hostUrl: host.url,
    nowhereUrl: unreachableUrl,
    remoteUrl: getGitUrl(remote, servicePort),
    remoteToken: remote.token,
    serviceCommand: `exec ${JSON.stringify(process.execPath)} service.js`,
  });
  return async () => {
    await Promise.all([host.close(), remote.stop()]);
    service.close();
    service.closeAllConnections();
    await rm(folder, { recursive: true, force: true });
  };
}
