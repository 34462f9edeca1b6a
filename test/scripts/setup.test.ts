// What every command gets of the environment, and the Node that runs it.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "../..");

/** The environment of a command that was run with this one. */
function environmentBehind(given: Record<string, string>): Record<string, string> {
  const { stdout } = spawnSync(process.execPath, ["setup.mjs", "-p", "JSON.stringify(process.env)"], {
    cwd: root,
    encoding: "utf8",
    env: { PATH: process.env.PATH ?? "", ...given },
  });
  return JSON.parse(stdout);
}

/** The settings that only `npm start` gets. */
const ofStart = /^(GITHUB|ANTHROPIC)_/;

/** The variables of the table of settings of one machine that every command gets. */
function promisedSettings(): string[] {
  const reference = readFileSync(join(root, "docs/reference/settings.md"), "utf8");
  const [, section = ""] = reference.split("## Settings of one machine\n");
  const [table = ""] = section.split("\n#", 1);
  return [...table.matchAll(/^\| `([A-Z_]+)`/gm)].flatMap(([, name = ""]) => (ofStart.test(name) ? [] : name));
}

test("every command gets the documented settings, and nothing that could be a credential", () => {
  const names = promisedSettings();
  expect(names).toContain("RATE_LIMITS");
  const settings = Object.fromEntries(names.map((name) => [name, "set"]));
  const behind = environmentBehind({
    ...settings,
    GITHUB_TOKEN: "secret",
    ANTHROPIC_API_KEY: "secret",
    CLOUDFLARE_API_TOKEN: "secret",
    SEALING_KEYS: "secret",
    npm_config_registry: "https://secret@packages.example.com/",
  });
  expect(behind).toMatchObject({ ...settings, npm_config_registry: "https://packages.example.com/" });
  expect(Object.values(behind)).not.toContain("secret");
});

test("the Node of the packages runs a command, also where npm has made no link to it", () => {
  const folder = mkdtempSync(join(tmpdir(), "switchyard-setup-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ["scripts", "node_modules"]) mkdirSync(join(folder, name));
  for (const name of ["setup.mjs", "package.json", "package-lock.json", "scripts/machine-environment.mjs"])
    copyFileSync(join(root, name), join(folder, name));
  copyFileSync(join(root, "package-lock.json"), join(folder, "node_modules/.installed-lockfile.json"));
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const [name = ""] = Object.keys(optionalDependencies).filter((one) => existsSync(join(root, "node_modules", one)));
  symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  const { stdout } = spawnSync(process.execPath, ["setup.mjs", "-p", "process.argv0"], {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env.PATH ?? "" },
  });
  expect(stdout).toMatch(join(folder, "node_modules", name, "bin/node"));
});
