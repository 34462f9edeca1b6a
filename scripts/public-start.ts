// `npm start -- --public`: checks what a service for a team needs on this machine, and starts it.
import { join } from "node:path";
import type { Engine } from "../practice/container-engine/engine.ts";
import type { PublicService, PublicServiceOptions } from "../practice/public-service.ts";
import { findIsolation } from "../practice/sandbox-host/isolation.ts";
import { checkStateFolder } from "../practice/state-folder.ts";
import type { StartFlags } from "./flags.ts";
import type { PublicFacts } from "./public-settings.ts";
import {
  findServiceUser,
  formatServiceUnit,
  getServicePrograms,
  listMetadataAddresses,
  writeServiceUnit,
} from "./service-unit.ts";
import type { StartSettings } from "./settings.ts";

const root = join(import.meta.dirname, "..");
const unitFile = "/etc/systemd/system/switchyard.service";

type Output = Pick<PublicServiceOptions, "report" | "reportLog">;

export interface PreparedStart {
  /** Prints and writes a systemd unit. */
  install(): { ok: boolean; says: string };
  start(engine: Engine | null, output: Output): Promise<PublicService & { openUrl: string; welcome: string }>;
}

type PublicFlags = Pick<StartFlags, "previews" | "usesContainers" | "installs"> & { publicUrl: string };

/**
 * Reads all that the service needs. Changes nothing, and returns a message with all that is missing
 * if something is. `engine` is what was found of the engine of `--containers`.
 */
export async function loadPublicStart(
  { publicUrl, previews, usesContainers, installs }: PublicFlags,
  settings: StartSettings,
  env: PublicFacts["env"],
  engine: Engine | string | null,
): Promise<PreparedStart | string> {
  const { port, stateDir } = settings;
  // Loads wrangler, which a practice world does not need here.
  const { addDrawnSecrets, findOpenAdmin, formatSharedNetwork, listMissingWalls, readPublicFiles, readPublicSettings } =
    await import("./public-settings.ts");
  const files = readPublicFiles(root, stateDir, env);
  if (typeof files === "string") return files;
  const read = readPublicSettings({ publicUrl, previews, settings, env, ...files });
  // Root writes the unit of another user, and can start no sandbox in that user's files. The
  // service itself checks at each start.
  const isolation = usesContainers || installs ? null : await findIsolation();
  const missing = [
    ...(Array.isArray(read) ? read : []),
    ...(usesContainers ? [engine] : []),
    ...(isolation === null ? [] : [...listMissingWalls(isolation), await findOpenAdmin()]),
    await checkStateFolder(stateDir, true),
  ].filter((one) => typeof one === "string");
  if (Array.isArray(read) || missing.length > 0)
    return ["This is missing for a team. Nothing was changed.", ...missing.map((one) => `- ${one}`)].join("\n");
  return {
    install() {
      const owner = findServiceUser(stateDir);
      if (typeof owner === "string") return { ok: false, says: owner };
      const flags = ["--public", publicUrl, ...(previews === null ? [] : ["--previews", previews])];
      const named = [
        "PORT",
        "STATE_DIR",
        "ENV_FILE",
        "PREVIEW_DOMAIN",
        "SIGN_UP",
        "DOCKER_HOST",
        "WRANGLER_DOCKER_BIN",
        "NODE_EXTRA_CA_CERTS",
        "SSL_CERT_FILE",
      ];
      const text = formatServiceUnit({
        ...{ root, stateDir, usesContainers, ...owner, ...getServicePrograms(process.env) },
        deniedAddresses: listMetadataAddresses(),
        flags: [...flags, ...(usesContainers ? ["--containers"] : [])],
        settings: Object.fromEntries(named.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
      });
      console.log(text);
      const refusal = writeServiceUnit(unitFile, root, text);
      if (refusal !== null) return { ok: false, says: refusal };
      return {
        ok: true,
        says: `Written: ${unitFile}. Start it:  systemctl daemon-reload && systemctl enable --now switchyard`,
      };
    },
    async start(engine, output) {
      const { startPublicService } = await import("../practice/public-service.ts");
      const secrets = addDrawnSecrets(read.secrets);
      const service = await startPublicService({ ...read, secrets, port, stateDir, engine, ...output });
      const shared = isolation === null ? "" : formatSharedNetwork(isolation);
      return { ...service, openUrl: service.baseUrl, welcome: formatPublicWelcome(service, port, shared) };
    },
  };
}

/** It has no secret, because a system's journal keeps it. */
function formatPublicWelcome(
  { baseUrl, operatorKeyFile, isolationNotice }: PublicService,
  port: number,
  shared: string,
): string {
  return `
Switchyard is ready for ${baseUrl}

Your proxy connects to:  http://127.0.0.1:${port}
The operator's key:      ${operatorKeyFile}
${process.getuid?.() === 0 ? "It runs as root. Give it a user of its own, as docs/guide/one-machine.md says.\n" : ""}${shared}${isolationNotice}
Ctrl-C ends everything.
`;
}
