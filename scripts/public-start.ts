// `npm start -- --public`: checks what a service for a team needs on this machine, and starts it.
import { join } from "node:path";
import type { Engine } from "../practice/container-engine/engine.ts";
import type { PublicService, PublicServiceOptions } from "../practice/public-service.ts";
import { findIsolation } from "../practice/sandbox-host/isolation.ts";
import { checkStateFolder } from "../practice/state-folder.ts";
import type { StartFlags } from "./flags.ts";
import type { PublicFacts } from "./public-settings.ts";
import type { StartSettings } from "./settings.ts";

type Output = Pick<PublicServiceOptions, "report" | "reportLog">;

export interface PreparedStart {
  start(engine: Engine | null, output: Output): Promise<PublicService & { welcome: string }>;
}

/**
 * Reads all that the service needs. Changes nothing, and returns a message with all that is missing
 * if something is. `engine` is what was found of the engine of `--containers`.
 */
export async function loadPublicStart(
  { publicUrl, previews, usesContainers }: Pick<StartFlags, "previews" | "usesContainers"> & { publicUrl: string },
  settings: StartSettings,
  env: PublicFacts["env"],
  engine: Engine | string | null,
): Promise<PreparedStart | string> {
  const { port, stateDir } = settings;
  // Loads wrangler, which a practice world does not need here.
  const { addDrawnSecrets, listMissingWalls, readPublicFiles, readPublicSettings } = await import(
    "./public-settings.ts"
  );
  const files = readPublicFiles(join(import.meta.dirname, ".."), stateDir, env);
  if (typeof files === "string") return files;
  const read = readPublicSettings({ publicUrl, previews, settings, env, ...files });
  const missing = [
    ...(Array.isArray(read) ? read : []),
    ...(usesContainers ? [engine] : listMissingWalls(await findIsolation())),
    await checkStateFolder(stateDir, true),
  ].filter((one) => typeof one === "string");
  if (Array.isArray(read) || missing.length > 0)
    return ["This is missing for a team. Nothing was changed.", ...missing.map((one) => `- ${one}`)].join("\n");
  return {
    async start(engine, output) {
      const { startPublicService } = await import("../practice/public-service.ts");
      const secrets = addDrawnSecrets(read.secrets);
      const service = await startPublicService({ ...read, secrets, port, stateDir, engine, ...output });
      return { ...service, welcome: formatPublicWelcome(service, port) };
    },
  };
}

/** It has no secret, because a system's journal keeps it. */
function formatPublicWelcome({ baseUrl, operatorKeyFile, isolationNotice }: PublicService, port: number): string {
  return `
Switchyard is ready for ${baseUrl}

Your proxy connects to:  http://127.0.0.1:${port}
The operator's key:      ${operatorKeyFile}
${process.getuid?.() === 0 ? "It runs as root. Give it a user of its own, as docs/guide/one-machine.md says.\n" : ""}${isolationNotice}
Ctrl-C ends everything.
`;
}
