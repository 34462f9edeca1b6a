// A real browser, which can reach only this machine, and an accessibility check of its pages.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import type { AxeResults } from "axe-core";
import { type Browser, chromium as driver, type Page } from "playwright-core";

export interface OpenedBrowser {
  browser: Browser;
  /** The browser's own folder, which is removed with it. */
  folder: string;
  close(): Promise<void>;
}

/** Starts a new browser. */
export async function openBrowser(): Promise<OpenedBrowser> {
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

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** The accessibility violations of a page, without the content of its frames. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  // The page's Content-Security-Policy does not apply to scripts of the driver.
  await page.evaluate(await readFile(axe, "utf8"));
  const results = (await page.evaluate("axe.run(document, { iframes: false })")) as AxeResults;
  return results.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
