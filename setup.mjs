// What every command of the project needs on a machine with Node, npm and git alone: the packages of the lockfile, and a Node that is new
// enough, which comes with them. Plain JavaScript, because it runs before anything is installed.
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = import.meta.dirname;
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Switchyard needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

/** What a child process gets of the environment: nothing that could be a credential. */
const allowed = [
  "PATH",
  "HOME",
  "LANG",
  "TERM",
  "TMPDIR",
  "CI",
  "PORT",
  "STATE_DIR",
  "OPENCODE_BIN",
  "NO_COLOR",
  "FORCE_COLOR",
];
const env = {
  ...Object.fromEntries(allowed.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
  WRANGLER_SEND_METRICS: "false",
};

install();
run(process.argv.slice(2));

/** Installs the lockfile's packages, unless that was done. */
function install() {
  const lockfile = join(root, "package-lock.json");
  const installed = join(root, "node_modules", ".installed-lockfile.json");
  if (existsSync(installed) && readFileSync(installed, "utf8") === readFileSync(lockfile, "utf8")) return;
  console.log("Installing packages …");
  // Not `npm ci`, which refuses a lockfile that lacks the packages of platforms nobody here can see. npm itself gets the whole environment,
  // for it may need this machine's proxy or registry.
  const { status } = spawnSync("npm", ["install", "--no-save", "--loglevel=error"], {
    cwd: root,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exit(status ?? 1);
  copyFileSync(lockfile, installed);
}

/** Runs a script in the Node that came with the packages, with as many open files as the machine allows, for each object holds some. */
function run(args) {
  const bundled = join(root, "node_modules", ".bin", "node");
  const node = existsSync(bundled) ? bundled : process.execPath;
  const child =
    process.platform === "win32"
      ? spawn(node, args, { cwd: root, stdio: "inherit", env })
      : spawn("/bin/sh", ["-c", 'ulimit -n "$(ulimit -Hn)" 2>/dev/null; exec "$0" "$@"', node, ...args], {
          cwd: root,
          stdio: "inherit",
          env,
        });
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  // Ctrl-C reaches the child by the terminal, and twice it breaks the tests off. The world may hear it as often as it comes.
  process.on("SIGINT", () => args[0] === "dev/start.ts" && child.kill("SIGINT"));
  child.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
}
