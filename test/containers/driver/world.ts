// The world of the driver's tests on a real engine: a repository with a service, which containers
// reach over the engine's bridge.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { findEngine, readEngineSettings } from "../../../practice/container-engine/engine.ts";
import { startGitRemote } from "../../sandbox-program/support/git-remote.ts";
import "../../seams/drivers/provided.ts";

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const engine = await findEngine(readEngineSettings(process.env));
  if (typeof engine === "string") throw new Error(engine);
  const drivers = join(import.meta.dirname, "../../seams/drivers");
  const files = {
    "package.json": '{"type":"module"}',
    "service.js": await readFile(join(drivers, "service.js"), "utf8"),
    "websocket.js": await readFile(join(drivers, "../../../practice/demo-app/websocket.js"), "utf8"),
  };
  const remote = await startGitRemote(files, engine.bridge);
  project.provide("drivers", {
    hostUrl: "",
    nowhereUrl: "",
    remoteUrl: remote.url,
    remoteToken: remote.token,
    serviceCommand: "exec node service.js",
  });
  return () => remote.stop();
}
