// Opens an address in the person's browser.
import { spawn } from "node:child_process";
import { findProgram } from "../practice/sandbox-host/isolation.ts";

const openers: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ["open"],
  linux: ["xdg-open", "wslview"],
};

/** Opens an address. Returns a message if this machine has no program for it. */
export function openInBrowser(
  address: string,
  { path = process.env.PATH ?? "", platform = process.platform } = {},
): string | null {
  const opener = (openers[platform] ?? []).map((name) => findProgram(name, path)).find(Boolean);
  if (!opener) return `This machine has no program that opens a browser. Open ${address} yourself.`;
  const child = spawn(opener, [address], { detached: true, stdio: "ignore" });
  child.on("error", () => {});
  child.unref();
  return null;
}
