// A Node project, by its package.json: its packages are installed, and its development script runs
// on the given port.
import { type Files, type Found, type FoundService, findPort, nothing } from "./found.ts";

interface Framework {
  name: string;
  /** The command in a script. */
  command: RegExp;
  /** The arguments that make it listen on the given port; empty if it reads PORT. */
  args: string;
  port: number;
  env?: Record<string, string>;
}

const portFlag = '--port "$PORT"';

// biome-ignore format: a table is read by its columns.
const frameworks: readonly Framework[] = [
  { name: "Next.js",          command: /\bnext dev\b/,                           args: portFlag,                     port: 3000 },
  { name: "Nuxt",             command: /\bnux[ti] dev\b/,                         args: portFlag,                     port: 3000 },
  { name: "Astro",            command: /\bastro (dev|start)\b/,                  args: portFlag,                     port: 4321 },
  { name: "Remix",            command: /\bremix vite:dev\b/,                     args: portFlag,                     port: 5173 },
  { name: "Remix",            command: /\bremix dev\b/,                          args: "",                           port: 3000 },
  { name: "React Router",     command: /\breact-router dev\b/,                   args: portFlag,                     port: 5173 },
  { name: "SolidStart",       command: /\bvinxi dev\b/,                          args: portFlag,                     port: 3000 },
  { name: "Angular",          command: /\bng (serve|dev|s)\b/,                   args: portFlag,                     port: 4200 },
  { name: "Create React App", command: /\b(react-scripts|react-app-rewired|craco) start\b/, args: "",                port: 3000, env: { BROWSER: "none" } },
  { name: "Vue CLI",          command: /\bvue-cli-service serve\b/,              args: portFlag,                     port: 8080 },
  { name: "Gatsby",           command: /\bgatsby develop\b/,                     args: portFlag,                     port: 8000 },
  { name: "Docusaurus",       command: /\bdocusaurus start\b/,                   args: `${portFlag} --no-open`,      port: 3000 },
  { name: "Eleventy",         command: /\b(eleventy|@11ty\/eleventy)\b.{0,200}--serve/, args: '--port="$PORT"',            port: 8080 },
  { name: "Ember",            command: /\bember (serve|server|s)\b/,             args: portFlag,                     port: 4200 },
  { name: "Storybook",        command: /\bstorybook dev\b/,                      args: `${portFlag} --ci`,           port: 6006 },
  { name: "VitePress",        command: /\bvitepress dev\b/,                      args: portFlag,                     port: 5173 },
  { name: "webpack",          command: /\b(webpack serve|webpack-dev-server)\b/, args: portFlag,                     port: 8080 },
  { name: "Parcel",           command: /\bparcel( serve)?\b(?! build)/,          args: portFlag,                     port: 1234 },
  { name: "Wrangler",         command: /\bwrangler dev\b/,                       args: portFlag,                     port: 8787 },
  { name: "NestJS",           command: /\bnest start\b/,                         args: "",                           port: 3000 },
  { name: "Vite",             command: /\bvite( dev| serve)?(?= *($|[-&|;]))/,      args: `${portFlag} --strictPort`,   port: 5173 },
  { name: "http-server",      command: /\b(http-server|live-server)\b/,          args: portFlag,                     port: 8080 },
  { name: "serve",            command: /(^|\s)serve\b/,                          args: '--listen "$PORT"',           port: 3000 },
  { name: "a server",         command: /\b(node|nodemon|tsx|ts-node|ts-node-dev|bun|deno)\b/, args: "",              port: 3000 },
];

/** In order of preference. A script `start` may be for production. */
const scriptNames = ["dev", "develop", "start:dev", "serve", "start"];

interface Package {
  scripts?: Record<string, unknown>;
  dependencies?: object;
  devDependencies?: object;
  packageManager?: unknown;
  workspaces?: unknown;
}

/** Reads a package.json. */
export function findNodePackage(files: Files): Found {
  const read = readPackage(files);
  if (!read) return nothing;
  const declared = typeof read.packageManager === "string" ? read.packageManager : "";
  const manager = getPackageManager(files, declared);
  const count = Object.keys({ ...read.dependencies, ...read.devDependencies }).length;
  const isInstalled = count > 0 || read.workspaces !== undefined || files.paths.has("pnpm-workspace.yaml");
  const setup = isInstalled ? [{ command: manager.install, because: manager.because }] : [];
  const service = findService(read.scripts ?? {}, manager.run) ?? plainServer(files);
  return { setup, services: service ? [service] : [], notes: [] };
}

function findService(
  scripts: Record<string, unknown>,
  run: (script: string, args: string) => string,
): FoundService | null {
  for (const script of scriptNames) {
    const command = scripts[script];
    if (typeof command !== "string") continue;
    const framework = frameworks.find((one) => one.command.test(command));
    if (!framework) continue;
    // Arguments go to the last command of a script, which must be the framework's.
    const isLast =
      framework.command.test(command.split(/&&|\|\||[;&|]/).at(-1) ?? "") && !/\bconcurrently\b/.test(command);
    const because = `package.json: its script ${script} runs ${framework.name}`;
    const env = framework.env && { env: framework.env };
    return {
      name: "web",
      command: withoutPort(command) ?? run(script, isLast ? framework.args : ""),
      port: findPort(command) ?? framework.port,
      ...env,
      because,
    };
  }
  return null;
}

/**
 * A script that sets PORT itself would not listen on the given port, so the rest of it runs
 * instead.
 */
function withoutPort(script: string): string | null {
  return /^(?:cross-env +)?PORT=\d+ +(node [^&|;]+)$/.exec(script)?.[1] ?? null;
}

/** A server without a script. */
function plainServer({ paths }: Files): FoundService | null {
  const file = ["server.js", "server.mjs", "src/server.js", "app.js"].find((path) => paths.has(path));
  if (!file) return null;
  return { name: "web", command: `node ${file}`, port: 3000, because: `${file} looks like a server` };
}

function readPackage(files: Files): Package | null {
  try {
    const read: unknown = JSON.parse(files.text("package.json") ?? "null");
    return typeof read === "object" && read !== null && !Array.isArray(read) ? read : null;
  } catch {
    return null;
  }
}

/**
 * The package manager of a Node project, by its lockfile. npm fetches the other package managers,
 * which a sandbox does not have.
 */
export interface PackageManager {
  /** Installs the packages of the lockfile. */
  install: string;
  /** The command that runs a script, with arguments added after it. */
  run(script: string, args: string): string;
  because: string;
}

const npxRun = (tool: string) => (script: string, args: string) => joined(`npx --yes ${tool} run ${script}`, args);

/** Finds the package manager. `declared` is the field `packageManager`, such as `pnpm@9.1.0`. */
function getPackageManager({ paths }: Files, declared: string): PackageManager {
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
    // An incomplete lockfile, such as one written by a mirror, must not stop people from working.
    // Neither command changes it.
    install: lockfile ? "npm ci || npm install --no-save" : "npm install",
    run: (script, args) => joined(`npm run ${script}`, args === "" ? "" : `-- ${args}`),
    because: lockfile ?? "package.json",
  };
}

/**
 * The repository may contain Yarn. Otherwise npm fetches it: from version 2 on its own package,
 * before that the classic one.
 */
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
