// A browser without a window, for tests and measurements. It can reach only this machine.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import { type Browser, chromium as driver } from "playwright-core";

export interface OpenedBrowser {
  browser: Browser;
  /** The browser's own folder, which is removed with it. */
  folder: string;
  close(): Promise<void>;
}

/** Starts a new browser. */
export async function startBrowser(): Promise<OpenedBrowser> {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-browser-"));
  const browser = await driver.launch({
    executablePath: await chromium.executablePath(),
    env: { PATH: process.env.PATH ?? "", HOME: folder, TMPDIR: folder },
    args: [
      "--no-sandbox",
      "--headless=shell",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-domain-reliability",
      "--disable-sync",
      "--no-first-run",
      "--no-pings",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1",
    ],
  });
  return {
    browser,
    folder,
    async close() {
      await browser.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
