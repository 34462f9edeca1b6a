// The preview of a session that runs the probe, and requests to it under its host name.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { authTokenCookie } from "../../src/preview/host/address.ts";
import { createClient, script } from "./client.ts";
import { answerTo, type Exchange, exchange } from "./http-exchange.ts";
import { isAlive, listProcesses, readCommand, signalAll } from "./process-tree.ts";
import { until } from "./until.ts";
import type { WorldAddress } from "./world-address.ts";

export interface OpenedPreview {
  host: string;
  token: string;
  sandboxKey: string;
  /** The cookie that grants access. */
  cookie: string;
  /** Sends a request under the preview's host name, without the cookie. */
  send(asked: Exchange): ReturnType<typeof exchange>;
  get(path: string, headers?: Record<string, string>): ReturnType<typeof exchange>;
  /** The same, but resolves when the response begins. */
  answerTo(asked: Exchange): ReturnType<typeof answerTo>;
}

/**
 * Ends the app's service, which then restarts with the current files. An agent cannot do this,
 * because of the wall.
 */
export async function endService(world: WorldAddress, sessionId: string): Promise<void> {
  const sandboxKey = await createClient(world).getSandboxKey(sessionId);
  const running = listProcesses(`${world.stateDir}/sandboxes/${sandboxKey}`);
  const ended = running.filter((one) => /^\S*node server\.js$/.test(readCommand(one)));
  signalAll(ended, "SIGTERM");
  await until("the service to be ended", () => !ended.some(isAlive));
}

/** Waits until the services of a session are healthy, and returns its preview. */
export async function openPreview(world: WorldAddress, sessionId: string): Promise<OpenedPreview> {
  const owner = createClient(world);
  const preview = `/api/projects/${world.projectId}/preview`;
  const found = await until("the preview", async () => {
    const { data } = (await owner.get(`${preview}?sessionId=${sessionId}`)).body;
    return data.frontendUrls.web && data;
  });
  await until("its services", async () => {
    const { data } = (await owner.get(`${preview}/health?sessionId=${sessionId}`)).body;
    return data.state === "healthy" || null;
  });
  const url = new URL(found.frontendUrls.web);
  const { host } = url;
  const token = url.searchParams.get("svc_auth") ?? "";
  const under = (asked: Exchange) => ({ ...asked, headers: { host, ...asked.headers } });
  return {
    host,
    token,
    sandboxKey: found.sandboxKey,
    cookie: `${authTokenCookie}=${token}`,
    send: (asked) => exchange(world.baseUrl, under(asked)),
    get: (path, headers = {}) => exchange(world.baseUrl, under({ path, headers })),
    answerTo: (asked) => answerTo(world.baseUrl, under(asked)),
  };
}

/** Creates a session that runs the probe, and returns its preview. */
export async function openProbe(world: WorldAddress): Promise<OpenedPreview> {
  const owner = createClient(world);
  const write = async (path: string) => {
    return { write: { path, content: await readFile(join(import.meta.dirname, "preview-probe", path), "utf8") } };
  };
  const steps = [await write("sockets.js"), await write("server.js"), { say: "Written." }];
  const session = await owner.createSession({ title: "Preview host", content: script(...steps) });
  await owner.jobUntil(session.path, session.jobId);
  await endService(world, session.id);
  const opened = await openPreview(world, session.id);
  await until("the probe to answer", async () => {
    return (await opened.get("/probe/echo", { cookie: opened.cookie })).status === 200;
  });
  return opened;
}
