// What a sandbox shares with the machine: the folders of its programs, certificates, and the URLs
// of registries. A sandbox gets no other environment variables.
import { basename, delimiter, dirname, join } from "node:path";
import { getMachineEnvironment, listCertificateFiles } from "../../scripts/machine-environment.mjs";

export interface Machine {
  /** The PATH. */
  path: string;
  /** Variables of every command in a sandbox. */
  variables: Record<string, string>;
  /** Files that those variables name. */
  files: string[];
}

const root = join(import.meta.dirname, "../..");
const usualPath = "/usr/local/bin:/usr/bin:/bin";

/** Selects the parts of an environment that sandboxes share. */
export function getMachine(env: NodeJS.ProcessEnv): Machine {
  const variables = getMachineEnvironment(env);
  return { path: pathWithoutOurs(env.PATH ?? usualPath), variables, files: listCertificateFiles(variables) };
}

/**
 * Drops the folders that npm adds for a script. With them, a project would run Switchyard's `tsc`
 * instead of its own.
 */
function pathWithoutOurs(path: string): string {
  const ours = new Set(selfAndParents(root).map((folder) => join(folder, "node_modules/.bin")));
  const folders = path.split(delimiter);
  return folders.filter((folder) => !ours.has(folder) && basename(folder) !== "node-gyp-bin").join(delimiter);
}

function selfAndParents(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...selfAndParents(parent)];
}
