// Decides whether agents with real models may run on this machine. A model can follow instructions
// that it reads anywhere, so it must not reach anything that can read the user's credentials.

import { findProgram, type Isolation } from "../practice/sandbox-host/isolation.ts";

export interface WallFacts {
  /** The names of the given credentials. */
  credentials: string[];
  isIsolated: boolean;
  /** True if bubblewrap is on the PATH. */
  hasBubblewrap: boolean;
  platform: string;
  isRoot: boolean;
  /** The package managers on the PATH. */
  packageManagers: string[];
}

const installs: Record<string, string> = {
  "apt-get": "apt-get install -y bubblewrap",
  dnf: "dnf install -y bubblewrap",
  yum: "yum install -y bubblewrap",
  pacman: "pacman -S --noconfirm bubblewrap",
  zypper: "zypper install -y bubblewrap",
  apk: "apk add bubblewrap",
  "xbps-install": "xbps-install -y bubblewrap",
};

/** Reads the facts of this machine. */
export function readWallFacts(
  credentials: string[],
  { isIsolated }: Isolation,
  path = process.env.PATH ?? "",
): WallFacts {
  return {
    credentials,
    isIsolated,
    hasBubblewrap: findProgram("bwrap", path) !== undefined,
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    packageManagers: Object.keys(installs).filter((name) => findProgram(name, path) !== undefined),
  };
}

/** Returns what is missing and what to do; null if nothing is missing. */
export function findMissingWalls(facts: WallFacts): string | null {
  if (facts.credentials.length === 0 || facts.isIsolated) return null;
  const names = facts.credentials.join(", ");
  return [
    `${names}: with real credentials, agents need walls. Without them they can read what you can, these credentials included.`,
    formatRemedy(facts),
    "Without the credentials, the practice stand-ins respond. To start anyway:  npm start -- --without-walls",
  ].join("\n");
}

function formatRemedy({ hasBubblewrap, platform, isRoot, packageManagers }: WallFacts): string {
  if (platform !== "linux") {
    return "Walls need bubblewrap, which runs only on Linux: start Switchyard on a Linux machine.";
  }
  if (hasBubblewrap) {
    return "bubblewrap is installed, but this machine does not let it work: `bwrap --unshare-user --ro-bind / / true` says why.";
  }
  const [manager] = packageManagers;
  if (!manager) return "Install bubblewrap, and start again.";
  return `Install bubblewrap, and start again:  ${isRoot ? "" : "sudo "}${installs[manager]}`;
}
