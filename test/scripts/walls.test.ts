// Which starts with real credentials are refused, and what the message says to do.
import { expect, test } from "vitest";
import { findMissingWalls, type WallFacts } from "../../scripts/walls.ts";

const bare: WallFacts = {
  credentials: ["ANTHROPIC_API_KEY"],
  isIsolated: false,
  hasBubblewrap: false,
  platform: "linux",
  isRoot: false,
  packageManagers: ["apt-get"],
};

test.each<[string, Partial<WallFacts>]>([
  ["with walls", { isIsolated: true }],
  ["without real credentials", { credentials: [] }],
])("a start %s continues", (_, facts) => {
  expect(findMissingWalls({ ...bare, ...facts })).toBeNull();
});

test.each<[string, Partial<WallFacts>, string]>([
  ["Debian", {}, "start again:  sudo apt-get install -y bubblewrap"],
  ["root's", { isRoot: true }, "start again:  apt-get install -y bubblewrap"],
  ["Fedora", { packageManagers: ["dnf", "yum"] }, "sudo dnf install -y bubblewrap"],
  ["an unknown", { packageManagers: [] }, "Install bubblewrap, and start again."],
  ["a forbidding", { hasBubblewrap: true }, "this machine does not let it work"],
  ["a Mac", { platform: "darwin" }, "only on Linux"],
])("%s machine without walls gets the remedy, and how to insist", (_, facts, remedy) => {
  const told = findMissingWalls({ ...bare, ...facts });
  expect(told).toContain("ANTHROPIC_API_KEY: with real credentials");
  expect(told).toContain(remedy);
  expect(told).toContain("npm start -- --without-walls");
});
