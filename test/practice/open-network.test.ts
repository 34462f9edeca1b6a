// The open network of a sandbox: which addresses it blocks, how names resolve in it, and how it
// ends. Where pasta is missing or does not work, sandboxes share the machine's network.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findIsolation } from "../../practice/sandbox-host/isolation.ts";
import {
  formatBlocking,
  formatResolvers,
  type MachineInterface,
} from "../../practice/sandbox-host/network/blocked-addresses.ts";
import type { UserNetwork } from "../../practice/sandbox-host/network/user-network.ts";
import { until } from "../support/until.ts";

const address = (family: string, local: string, prefixlen: number) => ({ family, local, prefixlen });
const machine: MachineInterface[] = [
  { addr_info: [address("inet", "127.0.0.1", 8), address("inet6", "::1", 128)] },
  { addr_info: [address("inet", "10.1.2.3", 20), address("inet6", "2001:db8::7", 64)] },
  {
    linkinfo: { info_kind: "bridge" },
    addr_info: [address("inet", "172.17.34.1", 20), address("inet6", "fd00:1:2:3:4::1", 60)],
  },
  { linkinfo: { info_kind: "tun" }, addr_info: [{ family: "inet", prefixlen: 32 }] },
];
/** The addresses and ranges of the routes. */
const blockedBy = (commands: string[]) =>
  commands.flatMap((line) => /^route add unreachable (\S+) metric 4096$/.exec(line)?.[1] ?? []);

test("the machine, the networks of its bridges, the link and the metadata are blocked", () => {
  expect(blockedBy(formatBlocking(machine, "IPv4"))).toEqual([
    ...["127.0.0.1", "10.1.2.3", "172.17.34.1", "172.17.32.0/20"],
    ...["169.254.169.254", "169.254.0.0/16", "224.0.0.0/4"],
  ]);
  const commands = formatBlocking(machine, "IPv6");
  expect(blockedBy(commands)).toEqual([
    ...["::1", "2001:db8::7", "fd00:1:2:3:4::1", "fd00:1:2:0:0:0:0:0/60"],
    ...["fd00:ec2::254", "fe80::/10", "ff00::/8"],
  ]);
  expect(commands).toContain("rule add pref 1 iif lo to fe80::/10 unreachable");
});

test("without addresses of a version of IP, nothing is set for it", () => {
  const only4 = [{ addr_info: [address("inet", "127.0.0.1", 8)] }];
  expect([formatBlocking(only4, "IPv4").length > 0, formatBlocking(only4, "IPv6")]).toEqual([true, []]);
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
