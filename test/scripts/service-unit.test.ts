// The systemd unit of a service for a team.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { metadataAddresses } from "../../practice/sandbox-host/network/blocked-addresses.ts";
import {
  findServiceUser,
  formatServiceUnit,
  listMetadataAddresses,
  type UnitFacts,
  writeServiceUnit,
} from "../../scripts/service-unit.ts";

const facts: UnitFacts = {
  root: "/opt/switchyard",
  stateDir: "/var/lib/switchyard/state",
  user: "switchyard",
  node: "/usr/bin/node",
  path: "/usr/bin:/bin",
  flags: ["--public", "https://switchyard.example.com"],
  settings: {},
  usesContainers: false,
  deniedAddresses: [],
};
const formatLines = (more: Partial<UnitFacts> = {}) => formatServiceUnit({ ...facts, ...more }).split("\n");

test("the unit runs the service as its user, and lets it save its sandboxes at a stop", () => {
  expect(formatLines()).toEqual(
    expect.arrayContaining([
      "User=switchyard",
      "WorkingDirectory=/opt/switchyard",
      "ExecStart=/usr/bin/node setup.mjs scripts/start.ts --public https://switchyard.example.com",
      "Environment=PATH=/usr/bin:/bin",
      "KillMode=mixed",
      "Restart=always",
      "OOMPolicy=continue",
      "NoNewPrivileges=yes",
      "ProtectSystem=strict",
      "ReadWritePaths=/opt/switchyard /var/lib/switchyard/state",
      "Environment=HOME=/var/cache/switchyard",
      "CacheDirectory=switchyard",
      "ProtectHome=yes",
    ]),
  );
});

test("nothing in it keeps a sandbox from namespaces and a /proc of its own", () => {
  const broken =
    /^(PrivateUsers|RestrictNamespaces|ProtectProc|ProcSubset|ProtectKernel\w+|SystemCallFilter|MemoryDeny\w+)=(?!~io_uring_setup:)/;
  expect(formatLines().filter((line) => broken.test(line))).toEqual([]);
});

test("neither the service nor a sandbox has sockets that no namespace isolates, nor a way around that", () => {
  expect(formatLines()).toEqual(
    expect.arrayContaining([
      "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
      "SystemCallArchitectures=native",
      "SystemCallFilter=~io_uring_setup:ENOSYS",
    ]),
  );
});

test.each<[Partial<UnitFacts>, string]>([
  [{ usesContainers: true }, "SupplementaryGroups=docker"],
  [{ settings: { SIGN_UP: "ada, ben" } }, 'Environment="SIGN_UP=ada, ben"'],
  [{ settings: { STATE_DIR: "/a %h$b" } }, 'Environment="STATE_DIR=/a %%h$$b"'],
  [{ deniedAddresses: ["192.0.2.1", "192.0.2.2"] }, "IPAddressDeny=192.0.2.1 192.0.2.2"],
  [{ stateDir: "/var/my state" }, 'ReadWritePaths=/opt/switchyard "/var/my state"'],
])("%j gives %s", (more, line) => {
  expect(formatLines(more)).toContain(line);
});

test("a checkout or a state folder at home stays in reach", () => {
  expect(formatLines({ root: "/home/ada/switchyard" })).not.toContain("ProtectHome=yes");
});

test("a unit of this checkout is replaced, and any other stays as it is", () => {
  const file = join(mkdtempSync(join(tmpdir(), "switchyard-unit-")), "switchyard.service");
  const text = formatServiceUnit(facts);
  expect(writeServiceUnit(file, facts.root, text)).toBeNull();
  expect(writeServiceUnit(file, facts.root, text.replace("User=switchyard", "User=ada"))).toBeNull();
  expect(readFileSync(file, "utf8")).toContain("User=ada");
  expect(writeServiceUnit(file, "/opt/another", text)).toContain("not from this checkout");
  writeFileSync(file, "[Service]\n");
  expect(writeServiceUnit(file, facts.root, text)).toContain("stays as it is");
  expect(readFileSync(file, "utf8")).toBe("[Service]\n");
});

test.each([
  ["nameserver 10.0.0.2", metadataAddresses],
  ["nameserver 10.0.0.2\nnameserver 169.254.169.254", metadataAddresses.slice(1)],
])("the metadata addresses of a cloud are denied, unless names are resolved there: %j", (text, denied) => {
  const file = join(mkdtempSync(join(tmpdir(), "switchyard-unit-")), "resolv.conf");
  writeFileSync(file, text);
  expect(listMetadataAddresses(file)).toEqual(denied);
  expect(listMetadataAddresses(`${file}.none`)).toEqual(metadataAddresses);
});

test("a state folder that is not there is no user's", () => {
  const folder = mkdtempSync(join(tmpdir(), "switchyard-unit-"));
  expect(findServiceUser(join(folder, "none"))).toContain("is not there yet");
});
