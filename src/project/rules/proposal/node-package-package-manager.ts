// The package manager of a Node project, by its lockfile. npm fetches the others, which a sandbox does not have.
import type { Files } from "./found.ts";

export interface PackageManager {
  /** Installs what the lockfile names. */
  install: string;
  /** The command that runs a script; arguments can be added behind it. */
  run(script: string, args: string): string;
  because: string;
}

const npxRun = (tool: string) => (script: string, args: string) => joined(`npx --yes ${tool} run ${script}`, args);

/** Finds the package manager. `declared` is the field `packageManager`, such as `pnpm@9.1.0`. */
export function packageManagerOf({ paths }: Files, declared: string): PackageManager {
  const [name = "", version = ""] = declared.split("+", 1)[0]?.split("@") ?? [];
  const at = (tool: string, fallback: string) => `${tool}@${name === tool && version !== "" ? version : fallback}`;
  if (paths.has("pnpm-lock.yaml") || name === "pnpm") {
    const tool = at("pnpm", "latest");
    const isLocked = paths.has("pnpm-lock.yaml");
    return {
      install: `npx --yes ${tool} install${isLocked ? " --frozen-lockfile" : ""}`,
      run: npxRun(tool),
      because: isLocked ? "pnpm-lock.yaml" : "the packageManager of package.json",
    };
  }
  if (paths.has("yarn.lock") || name === "yarn") return yarn({ paths }, name === "yarn" ? version : "");
  const bun = ["bun.lock", "bun.lockb"].find((file) => paths.has(file));
  if (bun) {
    const tool = at("bun", "latest");
    return { install: `npx --yes ${tool} install --frozen-lockfile`, run: npxRun(tool), because: bun };
  }
  const lockfile = ["package-lock.json", "npm-shrinkwrap.json"].find((file) => paths.has(file));
  return {
    // A lockfile that lacks something, as one from behind a mirror does, keeps nobody from working. Neither command changes it.
    install: lockfile ? "npm ci || npm install --no-save" : "npm install",
    run: (script, args) => joined(`npm run ${script}`, args === "" ? "" : `-- ${args}`),
    because: lockfile ?? "package.json",
  };
}

/** Yarn comes along in the repository, as its own package from version 2 on, or as the classic one. */
function yarn({ paths }: Pick<Files, "paths">, version: string): PackageManager {
  const because = paths.has("yarn.lock") ? "yarn.lock" : "the packageManager of package.json";
  const release = [...paths].find((path) => /^\.yarn\/releases\/yarn-[\w.-]+\.cjs$/.test(path));
  const isModern = paths.has(".yarnrc.yml") || /^([2-9]|\d\d)/.test(version);
  const npx = isModern ? `npx --yes @yarnpkg/cli-dist@${version || "latest"}` : `npx --yes yarn@${version || "1"}`;
  const tool = release ? `node ${release}` : npx;
  const frozen = isModern || release ? "--immutable" : "--frozen-lockfile";
  return {
    install: `${tool} install ${frozen}`,
    run: (script, args) => joined(`${tool} run ${script}`, args),
    because,
  };
}

function joined(command: string, args: string): string {
  return args === "" ? command : `${command} ${args}`;
}
