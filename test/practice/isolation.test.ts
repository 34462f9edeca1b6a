// The isolation between the sandboxes of one machine. If bubblewrap is installed, it is tested for
// real; if it is not, the test says so.
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findIsolation, getBubblewrapArguments, type SandboxCommand } from "../../practice/sandbox-host/isolation.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "isolation-test-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const command: SandboxCommand = {
  argv: ["/node/bin/node", "/state/sandbox.cjs"],
  root: "/state/sandboxes/s1",
  readable: ["/state/sandbox.cjs"],
  env: { PATH: "/usr/bin", SANDBOX_SECRET: "the secret", EMPTY: "" },
};
const flags = getBubblewrapArguments(command, ["/home/me/node/bin"]);
/** The paths after each of these options. */
const pathsAfter = (...options: string[]) => flags.filter((_, at) => options.includes(flags[at - 1] ?? ""));

describe("the arguments of bubblewrap", () => {
  it("let a sandbox write only to its own folder, where it starts", () => {
    expect(pathsAfter("--bind", "--bind-try", "--dev-bind")).toEqual(["/state/sandboxes/s1"]);
    expect(pathsAfter("--chdir")).toEqual(["/state/sandboxes/s1"]);
    expect(flags.slice(flags.indexOf("--remount-ro"), flags.indexOf("--remount-ro") + 2)).toEqual([
      "--remount-ro",
      "/",
    ]);
  });

  it("show the program, Node and npm, and no user's files", () => {
    const shown = pathsAfter("--ro-bind", "--ro-bind-try");
    expect(shown).toEqual(expect.arrayContaining(["/usr", "/node/bin", "/state/sandbox.cjs", "/home/me/node/bin"]));
    const theirs = [
      "/",
      "/home",
      "/root",
      "/etc",
      "/var",
      "/run",
      "/tmp",
      "/state",
      "/state/sandboxes",
      "/proc",
      "/sys",
    ];
    expect(shown.filter((path) => theirs.includes(path))).toEqual([]);
  });

  it("hide other processes, drop every privilege and end with the host", () => {
    expect(flags).toEqual(
      expect.arrayContaining(["--unshare-user", "--unshare-pid", "--unshare-ipc", "--proc", "--die-with-parent"]),
    );
    expect(pathsAfter("--cap-drop")).toEqual(["ALL"]);
    expect(flags).not.toContain("--unshare-net");
  });

  it("give a sandbox the network that it has, and no way to the machine's resolver around it", () => {
    const open = { entering: ["nsenter"] as [string], resolverFile: "/tmp/sy-1/resolv.conf", close: async () => {} };
    const folder = "/tmp/sy-1";
    const [held, ofOpen] = [{ folder }, { folder, open }].map((network) =>
      getBubblewrapArguments({ ...command, network }, []),
    );
    expect(held).toContain("--unshare-net");
    expect(ofOpen).not.toContain("--unshare-net");
    expect(ofOpen?.slice(ofOpen.lastIndexOf("--ro-bind"))).toEqual(
      expect.arrayContaining(["/tmp/sy-1/resolv.conf", "/etc/resolv.conf"]),
    );
    expect([flags, held, ofOpen].map((all) => all?.includes("/run/systemd/resolve"))).toEqual([true, false, false]);
  });

  it("contain the environment, in a way that the sandbox cannot read", () => {
    const named = flags.flatMap((option, at) => (option === "--setenv" ? [[flags[at + 1], flags[at + 2]]] : []));
    expect(Object.fromEntries(named)).toEqual(command.env);
  });
});

describe("without a working bubblewrap", () => {
  it.each([
    ["none is there", null],
    ["it fails", "#!/bin/sh\nexit 1\n"],
  ])("sandboxes are plain processes, with a warning: %s", async (_, script) => {
    const bin = join(folder, script === null ? "empty" : "broken");
    await mkdir(bin);
    if (script !== null) {
      await writeFile(join(bin, "bwrap"), script);
      await chmod(join(bin, "bwrap"), 0o755);
    }
    const isolation = await findIsolation(bin);
    expect([isolation.isIsolated, isolation.notice]).toEqual([
      false,
      expect.stringMatching(/^Sandboxes run as plain .+$/),
    ]);
    expect(await run(isolation, "echo here; pwd")).toBe(`here\n${folder}\n`);
  });
});

describe("on this machine", () => {
  it("a sandbox sees only its own folder and processes, or the warning says that it sees more", async () => {
    const isolation = await findIsolation();
    if (!isolation.isIsolated) {
      expect(isolation.notice).toMatch(/plain processes, which can read what you can/);
      return;
    }
    expect(isolation.notice).toBe("Sandboxes are isolated by bubblewrap.");
    await mkdir(join(folder, "sandboxes/other"), { recursive: true });
    await mkdir(join(folder, "sandboxes/own"));
    await writeFile(join(folder, "secrets.json"), "state of the service");
    const seen = await run(
      isolation,
      [
        "echo mine > file && cat file",
        "ls .. ../..",
        `cat ${JSON.stringify(join(folder, "secrets.json"))} ${JSON.stringify(import.meta.filename)} || echo unread`,
        "touch ../x /x /usr/x /etc/x || echo unwritten",
        `[ -d /proc/${process.pid} ] || echo unseen`,
        "tr '\\0' '\\n' < /proc/1/environ | grep -c ^SECRET=",
        "node --version > /dev/null && git --version > /dev/null && echo tools",
      ].join("; "),
      join(folder, "sandboxes/own"),
    );
    // Bubblewrap's own process has no secret in its environment.
    expect(seen.split("\n")).toEqual([
      "mine",
      "..:",
      "own",
      "",
      "../..:",
      "sandboxes",
      "unread",
      "unwritten",
      "unseen",
      "0",
      "tools",
      "",
    ]);
  });

  it("the processes of a sandbox end with it", async () => {
    const isolation = await findIsolation();
    const child = isolation.spawn({ ...shell("sleep 600 & echo $!; wait"), root: folder });
    const [pid] = await once(child.stdout, "data");
    child.kill("SIGKILL");
    const [, signal] = await once(child, "exit");
    expect(signal).toBe("SIGKILL");
    if (isolation.isIsolated) return expect(await text(child.stdout)).toBe("");
    // A plain process leaves the pipe to what it started, which its host finds by its mark.
    child.stdout.destroy();
    process.kill(Number(pid));
  });
});

function shell(script: string): SandboxCommand {
  const env = { PATH: process.env.PATH ?? "", SECRET: "the-secret" };
  return { argv: ["/bin/sh", "-c", script], root: folder, readable: [dirname(process.execPath)], env };
}

async function run(
  isolation: Awaited<ReturnType<typeof findIsolation>>,
  script: string,
  root = folder,
): Promise<string> {
  const child = isolation.spawn({ ...shell(`exec 2>/dev/null; ${script}`), root });
  child.stdin.end();
  return await text(child.stdout);
}
