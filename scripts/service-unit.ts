// `npm start -- --public … --install`: the systemd unit of a service for a team.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { findProgram } from "../practice/sandbox-host/isolation.ts";
import { getMachine } from "../practice/sandbox-host/machine.ts";
import { metadataAddresses } from "../practice/sandbox-host/network/blocked-addresses.ts";

export interface UnitFacts {
  /** The checkout. */
  root: string;
  stateDir: string;
  /** The user of the service. */
  user: string;
  /** The path of Node, which runs `setup.mjs`. */
  node: string;
  path: string;
  /** The flags of the start. */
  flags: string[];
  /** The settings that the start was given as variables. None is a secret. */
  settings: Record<string, string>;
  usesContainers: boolean;
  /** The addresses that neither the service nor a sandbox in bubblewrap reaches. */
  deniedAddresses: string[];
}

/** Secrets, and settings that `.env` does not have. */
const environmentFile = "/etc/switchyard.env";
const stopSeconds = 90;
/** The home in the unit. A new version's packages are installed at its start, and npm needs one. */
const cacheFolder = "switchyard";

/**
 * Formats the unit. PrivateUsers, RestrictNamespaces, ProtectProc and ProtectKernelTunables are
 * missing, because with them bubblewrap cannot give a sandbox a /proc of its own.
 */
export function formatServiceUnit(facts: UnitFacts): string {
  const { root, stateDir, user, node, path, flags, settings, usesContainers, deniedAddresses } = facts;
  const isAtHome = [root, stateDir].some((folder) => /^\/(home|root|run\/user)(\/|$)/.test(`${folder}/`));
  const lines = [
    getUnitMark(root),
    "[Unit]",
    "Description=Switchyard",
    `After=network-online.target${usesContainers ? " docker.service" : ""}`,
    "Wants=network-online.target",
    "",
    "[Service]",
    `User=${user}`,
    ...(usesContainers ? ["SupplementaryGroups=docker"] : []),
    `WorkingDirectory=${escapeSpecifiers(root)}`,
    `ExecStart=${[node, "setup.mjs", "scripts/start.ts", ...flags].map(quote).join(" ")}`,
    ...Object.entries({ PATH: path, HOME: `/var/cache/${cacheFolder}`, ...settings }).map(
      ([name, value]) => `Environment=${quote(`${name}=${value}`)}`,
    ),
    `EnvironmentFile=-${environmentFile}`,
    "# Only the first process gets SIGTERM. It saves the sandboxes, and then ends the others.",
    "KillMode=mixed",
    `TimeoutStopSec=${stopSeconds}`,
    "Restart=always",
    "RestartSec=2",
    "# Otherwise a build in a sandbox that takes too much memory would end the service.",
    "OOMPolicy=continue",
    "LimitNOFILE=524288",
    "UMask=0077",
    "NoNewPrivileges=yes",
    "CapabilityBoundingSet=",
    "ProtectSystem=strict",
    `ReadWritePaths=${[root, stateDir].map(quote).join(" ")}`,
    `CacheDirectory=${cacheFolder}`,
    "CacheDirectoryMode=0700",
    ...(isAtHome ? [] : ["ProtectHome=yes"]),
    ...(deniedAddresses.length === 0 ? [] : [`IPAddressDeny=${deniedAddresses.join(" ")}`]),
    "PrivateTmp=yes",
    "LockPersonality=yes",
    "# No namespace isolates other families, such as the sockets between a machine and its host.",
    "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
    "SystemCallArchitectures=native",
    "SystemCallFilter=~io_uring_setup:ENOSYS",
    "",
    "[Install]",
    "WantedBy=multi-user.target",
  ];
  return `${lines.join("\n")}\n`;
}

/** Lists the metadata addresses of clouds, without one that resolves names for the machine. */
export function listMetadataAddresses(resolverFile = "/etc/resolv.conf"): string[] {
  const text = existsSync(resolverFile) ? readFileSync(resolverFile, "utf8") : "";
  const resolvers = [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, address]) => address);
  return metadataAddresses.filter((address) => !resolvers.includes(address));
}

/** The first line of a unit of this checkout. */
const getUnitMark = (root: string) => `# Written by \`npm start -- --install\` in ${root}.`;

/** In a unit, `%` begins a specifier. */
const escapeSpecifiers = (text: string) => text.replaceAll("%", "%%");
const quote = (text: string) =>
  /^[\w@+=:,./-]+$/.test(text)
    ? text
    : `"${escapeSpecifiers(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("$", "$$$$")}"`;

/** Writes the unit. Returns why it is not written, or null. A unit of anybody else stays. */
export function writeServiceUnit(file: string, root: string, text: string): string | null {
  if (existsSync(file) && readFileSync(file, "utf8").split("\n")[0] !== getUnitMark(root))
    return `${file} is there and not from this checkout, so it stays as it is. Move it away, or write the unit above yourself.`;
  try {
    writeFileSync(file, text, { mode: 0o644 });
    return null;
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    return `The unit cannot be written: ${why}. Run the command as root, or write the unit above yourself.`;
  }
}

/** Finds the user whose state folder it is. Returns a message if there is none that may run it. */
export function findServiceUser(stateDir: string): { user: string } | string {
  if (!existsSync(stateDir))
    return `${stateDir} is not there yet. Start the service once without --install, as its user.`;
  const { uid } = statSync(stateDir);
  if (uid === 0)
    return `${stateDir} belongs to root. Give it and this checkout to a user of its own, with chown -R: a sandbox that breaks out would be root.`;
  return { user: execFileSync("id", ["-un", String(uid)], { encoding: "utf8" }).trim() };
}

/** The Node and the PATH of this machine, without what npm adds for a script. */
export function getServicePrograms(env: NodeJS.ProcessEnv): Pick<UnitFacts, "node" | "path"> {
  const { path } = getMachine(env);
  return { node: findProgram("node", path) ?? process.execPath, path };
}
