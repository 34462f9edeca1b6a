// Opens an address in the browser of the person, where there is one.
import { spawn } from "node:child_process";

const openers: Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens an address. It does nothing where no person looks, or no browser is; so print it, too. */
export function openAddress(address: string): void {
  if (!process.stdout.isTTY || process.env.CI) return;
  // The address comes from a service, and a browser does more with others than these.
  if (!/^https?:\/\//.test(address)) return;
  const [command, ...args] = openers[process.platform] ?? ["xdg-open"];
  spawn(command, [...args, address], { stdio: "ignore", detached: true })
    .on("error", () => {})
    .unref();
}
