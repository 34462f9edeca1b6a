// Keys in the keyring of the system, with a program in its place that keeps them in files and notes
// its arguments.
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { getKeyring } from "../../packages/cli/src/keyring.ts";
import { apiWorld, openApiWorld } from "../support/api-world.ts";
import { openTerminal, type Terminal } from "./support/terminal.ts";

let terminal: Terminal;
let kept: string;
let calls: string;
let config: string;

beforeAll(openApiWorld);
beforeEach(() => {
  terminal = openTerminal(apiWorld());
  const { PATH = "" } = process.env;
  kept = join(terminal.home, "kept");
  calls = join(terminal.home, "calls");
  config = join(terminal.home, ".config/switchyard/config.json");
  terminal.env = { PATH: `${join(terminal.home, "bin")}:${PATH}`, FOLDER: terminal.home };
  mkdirSync(join(terminal.home, "bin"));
});
afterEach(() => {
  vi.unstubAllEnvs();
});

function addProgram(name: string, text: string): void {
  const file = join(terminal.home, "bin", name);
  writeFileSync(file, `#!/bin/sh\necho "$@" >> "$FOLDER/calls"\n${text}`);
  chmodSync(file, 0o755);
}

const secretTool = `case "$1" in
  store) cat > "$FOLDER/kept" ;;
  lookup) [ -e "$FOLDER/kept" ] && cat "$FOLDER/kept" ;;
  clear) rm "$FOLDER/kept" ;;
esac
`;
const key = () => apiWorld().users.owner.apiKey;
const login = (...more: string[]) =>
  terminal.sy("login", apiWorld().baseUrl, "--key", ...more, { input: `${key()}\n` });

test("a login keeps the key in the keyring, commands read it there, and a logout deletes it", async () => {
  addProgram("secret-tool", secretTool);
  expect(await login("--keyring")).toMatchObject({ code: 0, stderr: "→ sy projects, sy new, sy ls\n" });
  expect(readFileSync(kept, "utf8")).toBe(key());
  expect(readFileSync(config, "utf8")).not.toContain("svc_key");
  expect((await terminal.sy("whoami")).stdout).toContain("owner@example.com");
  expect(await terminal.sy("logout")).toMatchObject({ code: 0 });
  expect(existsSync(kept)).toBe(false);
  // Anybody on the machine sees the arguments of a process.
  expect(readFileSync(calls, "utf8")).toContain(`service switchyard host ${apiWorld().baseUrl}`);
  expect(readFileSync(calls, "utf8")).not.toContain("svc_key");
});

test("a later login without the keyring leaves no key there", async () => {
  addProgram("secret-tool", secretTool);
  await login("--keyring");
  expect(await login()).toMatchObject({ code: 0 });
  expect(existsSync(kept)).toBe(false);
  expect(readFileSync(config, "utf8")).toContain(key());
});

test.each<[string, string | null, string]>([
  ["there is none", null, "There is no `secret-tool` here, which comes with the package libsecret-tools."],
  ["it is locked", "echo 'Cannot unlock' >&2; exit 1\n", '`secret-tool` says "Cannot unlock".'],
  ["it keeps nothing", "exit 0\n", "The keyring did not keep the key."],
])("if %s, a login says so and keeps the key in the file", async (_, text, said) => {
  if (text !== null) addProgram("secret-tool", text);
  else terminal.env = { PATH: join(terminal.home, "bin") };
  const { code, stderr } = await login("--keyring");
  expect([code, stderr]).toEqual([0, expect.stringContaining(said)]);
  expect(stderr).toContain(config);
  expect(readFileSync(config, "utf8")).toContain(key());
  expect(statSync(config).mode & 0o777).toBe(0o600);
});

test("a keyring that is locked later is named, with what to do", async () => {
  addProgram("secret-tool", secretTool);
  await login("--keyring");
  addProgram("secret-tool", "exit 1\n");
  expect(await terminal.sy("ls")).toEqual({
    ...{ code: 77, stdout: "" },
    stderr: expect.stringContaining(
      `locked or has no key. Unlock the keyring, or run \`sy login ${apiWorld().baseUrl}\``,
    ),
  });
});

test("on macOS the key goes to `security` over stdin", () => {
  addProgram(
    "security",
    `case "$1" in
  -i) sed -n 's/.* -w //p' > "$FOLDER/kept" ;;
  find-generic-password) cat "$FOLDER/kept" ;;
  delete-generic-password) rm "$FOLDER/kept" ;;
esac
`,
  );
  for (const [name, value] of Object.entries(terminal.env)) vi.stubEnv(name, value);
  const keyring = getKeyring("darwin");
  keyring.save("https://switchyard.example.com", key());
  expect(keyring.read("https://switchyard.example.com")).toBe(key());
  keyring.delete("https://switchyard.example.com");
  expect(existsSync(kept)).toBe(false);
  expect(readFileSync(calls, "utf8").split("\n")).toEqual([
    "-i",
    "find-generic-password -s switchyard -a https://switchyard.example.com -w",
    "find-generic-password -s switchyard -a https://switchyard.example.com -w",
    "delete-generic-password -s switchyard -a https://switchyard.example.com",
    "",
  ]);
});

test("another system has no keyring that sy knows", () => {
  expect(() => getKeyring("win32").read("https://switchyard.example.com")).toThrow("knows no keyring");
});
