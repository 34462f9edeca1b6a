// The open network of a sandbox: which addresses it blocks, how names resolve in it, and how it
// ends. Where pasta is missing or does not work, sandboxes share the machine's network.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { findIsolation, findProgram } from "../../practice/sandbox-host/isolation.ts";
import {
  formatBlocking,
  formatResolvers,
  type MachineInterface,
} from "../../practice/sandbox-host/network/blocked-addresses.ts";
import { createUserNetwork, type UserNetwork } from "../../practice/sandbox-host/network/user-network.ts";
import { until } from "../support/until.ts";

const address = (family: string, local: string, prefixlen: number) => ({ family, local, prefixlen });
const bridge = { linkinfo: { info_kind: "bridge" } };
const machine: MachineInterface[] = [
  { ifname: "lo", addr_info: [address("inet", "127.0.0.1", 8), address("inet6", "::1", 128)] },
  { ifname: "eth0", addr_info: [address("inet", "10.1.2.3", 20), address("inet6", "2001:db8::7", 64)] },
  {
    ...{ ifname: "docker0", ...bridge },
    addr_info: [address("inet", "172.17.34.1", 20), address("inet6", "fd00:1:2:3:4::1", 60)],
  },
  { ifname: "tun0", linkinfo: { info_kind: "tun" }, addr_info: [{ family: "inet", prefixlen: 32 }] },
];
/** The addresses and ranges of the rules of a family, by the condition of each. */
const blockedBy = (rules: string, family: string) =>
  [...rules.matchAll(/^ *(.*)\b(ip6?) daddr \{ (.*) \} goto refuse$/gm)]
    .filter((match) => match[2] === family)
    .map(([, condition, , addresses]) => [condition, addresses?.split(", ")]);

test("the machine, the networks of its bridges, the link and the metadata are blocked", () => {
  const rules = formatBlocking(machine);
  expect(blockedBy(rules, "ip")).toEqual([
    [
      "",
      [
        ...["127.0.0.1", "10.1.2.3", "172.17.34.1", "169.254.169.254", "100.100.100.200", "168.63.129.16"],
        ...["127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "255.255.255.255"],
      ],
    ],
    ['oifname != "docker0" ', ["172.17.32.0/20"]],
  ]);
  expect(blockedBy(rules, "ip6")).toEqual([
    [
      "",
      [
        ...["::1", "0:0:0:0:0:0:0:1", "2001:db8::7", "2001:db8:0:0:0:0:0:0"],
        ...["fd00:1:2:3:4::1", "fd00:1:2:0:0:0:0:0", "fd00:ec2::254", "fd20:ce::254", "fe80::/10", "ff00::/8"],
      ],
    ],
    ['oifname != "docker0" ', ["fd00:1:2:0:0:0:0:0/60"]],
  ]);
});

test.each([
  ["nameserver 10.9.9.9\nnameserver 10.9.9.8\n", "nameserver 10.9.9.9\nnameserver 10.9.9.8\n", []],
  ["nameserver 127.0.0.53\noptions edns0\n", "nameserver 192.0.0.8\noptions edns0\n", ["192.0.0.8"]],
  ["nameserver 10.9.9.9\nnameserver 172.17.34.1", "nameserver 192.0.0.8\nnameserver 192.0.0.8", ["192.0.0.8"]],
  ["nameserver 169.254.169.254\nnameserver 2001:db8::1", "nameserver 192.0.0.8\nnameserver 2001:db8::1", ["192.0.0.8"]],
  ["nameserver ::1\n", "nameserver 100::8\n", ["100::8"]],
])("of the resolvers %j, pasta replaces those of a version with a blocked address", (text, expected, forwarded) => {
  expect(formatResolvers(text, machine)).toEqual({ text: expected, forwarded });
});

/** The process that the network belongs to, and pasta, its parent. */
async function listProcesses({ entering }: Pick<UserNetwork, "entering">): Promise<string[]> {
  const first = entering.find((part) => part.startsWith("--target="))?.slice("--target=".length) ?? "";
  const status = await readFile(`/proc/${first}/status`, "utf8");
  return [first, /^PPid:\s+(\d+)$/m.exec(status)?.[1] ?? ""];
}

const untilGone = (processes: string[]) =>
  until("pasta to end", () => processes.every((id) => !existsSync(`/proc/${id}/exe`)));

/** Connects from a socket that SO_BINDTODEVICE (25) bound to the interface that leads out. */
const boundSocket = `
use Socket;
open(my $devices, "<", "/proc/self/net/dev");
my ($device) = grep { defined && $_ ne "lo" } map { /^\\s*(\\S+):/ ? $1 : undef } <$devices>;
for my $address (@ARGV) {
  socket(my $socket, PF_INET, SOCK_STREAM, 0);
  setsockopt($socket, SOL_SOCKET, 25, "$device\\0") or die "$device: $!";
  print connect($socket, sockaddr_in(80, inet_aton($address))) ? "connected" : $!{ECONNREFUSED} ? "refused" : $!, "\\n";
}`;

test("a socket that is bound to an interface does not pass what is blocked", async () => {
  const { openNetwork, isIsolated, pastaFailure } = await findIsolation();
  if (openNetwork === null) {
    // Only where pasta is installed, there is a reason why it does not work.
    const bare = await findIsolation(await mkdtemp(join(tmpdir(), "open-network-")));
    expect([bare.pastaFailure, isIsolated && pastaFailure !== null]).toEqual([
      null,
      isIsolated && findProgram("pasta", process.env.PATH ?? "") !== undefined,
    ]);
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), "open-network-"));
  const open = await openNetwork(folder);
  const [file, ...args] = open.entering;
  const blocked = ["169.254.169.254", "169.254.170.2", "100.100.100.200", "127.0.0.2"];
  const perl = ["perl", "-MErrno", "-e", boundSocket, ...blocked];
  const { stdout } = await promisify(execFile)(file, [...args, ...perl]);
  await open.close();
  await rm(folder, { recursive: true, force: true });
  expect(stdout.trim().split("\n")).toEqual(blocked.map(() => "refused"));
});

test("a pasta that fails leaves no process", async () => {
  const folder = await mkdtemp(join(tmpdir(), "open-network-"));
  const program = async (name: string, text: string) => {
    await writeFile(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return join(folder, name);
  };
  const programs = {
    pasta: await program("pasta", "sleep 600 > /dev/null 2>&1 & echo left $! >&2; exit 1"),
    ip: await program("ip", "echo []"),
    unshare: await program("unshare", 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"'),
    ...{ nft: "/bin/false", nsenter: "/bin/false" },
  };
  const failure: Error = await createUserNetwork(programs, folder).then(
    () => new Error("it opened"),
    (error) => error,
  );
  const [, left = ""] = /left (\d+)/.exec(failure.message) ?? [];
  expect(left).not.toBe("");
  await untilGone([left]);
  await rm(folder, { recursive: true, force: true });
});

test("a network and pasta end when it is closed, when its process is killed, and when its host is", async () => {
  const { openNetwork, isIsolated } = await findIsolation();
  if (openNetwork === null) {
    const bare = await findIsolation(await mkdtemp(join(tmpdir(), "open-network-")));
    expect([bare.openNetwork, bare.isIsolated]).toEqual([null, false]);
    return;
  }
  expect(isIsolated).toBe(true);
  const folder = await mkdtemp(join(tmpdir(), "open-network-"));
  const closed = await openNetwork(folder);
  const ofClosed = await listProcesses(closed);
  await closed.close();
  await untilGone(ofClosed);

  const killed = await openNetwork(folder);
  const ofKilled = await listProcesses(killed);
  process.kill(Number(ofKilled[0]), "SIGKILL");
  await untilGone(ofKilled);
  await killed.close();

  const isolation = JSON.stringify(join(import.meta.dirname, "../../practice/sandbox-host/isolation.ts"));
  const script = `
    const { findIsolation } = await import(${isolation});
    const { openNetwork } = await findIsolation();
    const { entering } = await openNetwork(${JSON.stringify(folder)});
    console.log(JSON.stringify({ entering }));
    setInterval(() => {}, 1_000);`;
  const host = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(host.stdout, "data");
  const ofHost = await listProcesses(JSON.parse(String(line)));
  host.kill("SIGKILL");
  await untilGone(ofHost);
  await rm(folder, { recursive: true, force: true });
});
