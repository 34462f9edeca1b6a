// Proposes from the files of a repository how it is set up and what runs in it. Nothing of the
// repository is run for that.
import { servicesMax, setupCommandsMax } from "../../../rules/limits.ts";
import { checkSettings } from "../check-settings.ts";
import { toHostLabel } from "../frontends.ts";
import type { ProjectSettings, ServiceSettings } from "../settings.ts";
import { findCompose } from "./compose.ts";
import type { Files, Found, FoundService } from "./found.ts";
import { findNodePackage } from "./node-package.ts";
import { findDjango, findGo, findMakefile, findProcfile, findRust } from "./other-stacks.ts";

export interface Proposal {
  settings: ProjectSettings;
  /** The reasons, one per line. */
  reasons: string[];
}

const composeFiles = ["docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml"];
const markers = ["package.json", "Procfile", "Procfile.dev", "Makefile", "manage.py", "go.mod", "Cargo.toml"];
const lockfiles = ["pnpm-lock.yaml", "yarn.lock", ".yarnrc.yml", "bun.lock", "bun.lockb", "package-lock.json"];
/** Of one repository. */
const foldersMax = 8;

/** The files whose text a proposal needs, out of all paths of a repository. */
export function listProposalFiles(paths: readonly string[]): string[] {
  const folders = ["", ...foldersWithin(paths).map((folder) => `${folder}/`)];
  const wanted = [...markers, ...composeFiles, "main.go"];
  const mains = paths.filter((path) => /^cmd\/[\w.-]+\/main\.go$/.test(path)).slice(0, foldersMax);
  const there = new Set(paths);
  return [...folders.flatMap((folder) => wanted.map((name) => folder + name)), ...mains].filter((path) =>
    there.has(path),
  );
}

/**
 * Proposes settings. `texts` contains the files that `listProposalFiles` names. Without any hints
 * in the repository, the settings are empty.
 */
export function proposeSettings(paths: readonly string[], texts: ReadonlyMap<string, string>): Proposal {
  const whole = findIn({ paths: new Set(paths), text: (path) => texts.get(path) ?? null });
  const parts = whole.services.length > 0 ? [] : foldersWithin(paths).map((folder) => ofFolder(folder, paths, texts));
  // If the top folder has setup commands, the setup of the other folders is not run.
  const isInstalledAtTop = whole.setup.length > 0;
  const setup = [whole.setup, ...(isInstalledAtTop ? [] : parts.map((part) => part.setup))].flat();
  const services = named([
    ...whole.services.map((service) => ({ ...service, cwd: undefined })),
    ...parts.flatMap((part) => part.services),
  ]);
  const settings = {
    setup: setup.map(({ command }) => command).slice(0, setupCommandsMax),
    services: services.map(toSettings),
    env: {},
  };
  const notes = [whole, ...parts].flatMap((part) => part.notes);
  // An invalid name or port leaves the proposal to people.
  if (checkSettings(settings)) return { settings: { setup: [], services: [], env: {} }, reasons: notes };
  const reasons = [
    ...setup.map(({ command, because }) => `setup: ${command}  (${because})`),
    ...services.map(
      ({ name, command, cwd, because }) => `${name}: ${command}${cwd ? `  in ${cwd}` : ""}  (${because})`,
    ),
  ];
  return { settings, reasons: [...reasons, ...notes] };
}

/** Uses the services of the first source that has any, and the setup commands of all. */
function findIn(files: Files): Found {
  const compose = composeFiles.find((path) => files.paths.has(path)) ?? "";
  const sources = [
    findProcfile("Procfile.dev", files.text("Procfile.dev")),
    findNodePackage(files),
    findDjango(files),
    findProcfile("Procfile", files.text("Procfile")),
    findCompose(compose, files.text(compose)),
    findGo(files),
    findRust(files),
    findMakefile(files.text("Makefile")),
  ];
  const serving = sources.find(({ services }) => services.length > 0);
  const isSpoken = (source: Found) => source === serving || !serving || source.services.length > 0;
  return {
    setup: sources.flatMap(({ setup }) => setup),
    services: serving?.services ?? [],
    notes: sources.filter(isSpoken).flatMap(({ notes }) => notes),
  };
}

interface PlacedService extends FoundService {
  cwd: string | undefined;
}

function ofFolder(folder: string, paths: readonly string[], texts: ReadonlyMap<string, string>) {
  const start = `${folder}/`;
  const within = paths.filter((path) => path.startsWith(start)).map((path) => path.slice(start.length));
  const isLocked = within.some((path) => lockfiles.includes(path));
  // The packages of a workspace are installed, and their scripts run, with the package manager of
  // the whole workspace.
  const shared = isLocked ? [] : paths.filter((path) => lockfiles.includes(path));
  const found = findIn({ paths: new Set([...within, ...shared]), text: (path) => texts.get(start + path) ?? null });
  const name = folder.split("/").at(-1) ?? folder;
  return {
    setup: found.setup.map(({ command, because }) => ({
      command: `cd ${folder} && (${command})`,
      because: `${start}${because}`,
    })),
    services: found.services.map(
      (service): PlacedService => ({
        ...service,
        name: found.services.length === 1 ? name : `${name}-${service.name}`,
        cwd: folder,
        because: `${start}${service.because}`,
      }),
    ),
    notes: found.notes.map((note) => `${start}${note}`),
  };
}

/** The folders, up to two levels below the top, that have something to run. */
function foldersWithin(paths: readonly string[]): string[] {
  const folders = paths.flatMap((path) => {
    const [, folder, name = ""] = /^([\w.@-]+(?:\/[\w.@-]+)?)\/([^/]+)$/.exec(path) ?? [];
    const isOurs = folder && !/(^|\/)(\.|node_modules|vendor|examples?|fixtures?|tests?|docs?)/.test(folder);
    return isOurs && [...markers, ...composeFiles].includes(name) ? [folder] : [];
  });
  return [...new Set(folders)].sort().slice(0, foldersMax);
}

/** Gives each service a unique name and port. */
function named(services: PlacedService[]): PlacedService[] {
  const [labels, ports] = [new Set<string>(), new Set<number>()];
  return services.slice(0, servicesMax).map((service) => {
    let name = service.name.replace(/[^A-Za-z0-9_-]+/g, "-") || "web";
    for (let count = 2; labels.has(toHostLabel(name)); count++) name = `${service.name}-${count}`;
    labels.add(toHostLabel(name));
    let { port } = service;
    while (port !== null && ports.has(port)) port += 1;
    if (port !== null) ports.add(port);
    return { ...service, name, port };
  });
}

function toSettings({ name, command, cwd, env, port }: PlacedService): ServiceSettings {
  const endpoints = port === null ? [] : [{ port, public: true }];
  return { name, command, ...(cwd && { cwd }), ...(env && { env }), endpoints };
}
