// Pages of the console in a real browser, for people of a world.
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { signIn } from "./browser.ts";
import { accessibilityViolations, dropRequestsAtClose, type OpenedBrowser, startBrowser } from "./chromium.ts";
import type { Person } from "./client.ts";
import type { WorldAddress } from "./world-address.ts";

interface Visit {
  context: BrowserContext;
  page: Page;
}

/**
 * Opens a browser for the tests of a file. Returns how a person, or nobody, opens a path of the
 * console. No page may breach its policy.
 */
export function openConsole(world: Pick<WorldAddress, "baseUrl" | "users">) {
  let opened: OpenedBrowser;
  const breaches: string[] = [];
  beforeAll(async () => {
    opened = await startBrowser();
  });
  afterAll(async () => opened?.close());
  afterEach(() => expect(breaches.splice(0)).toEqual([]));

  return async (path: string, person: Person | null, options: BrowserContextOptions = {}): Promise<Visit> => {
    // The lamp of a running turn would have the page painted as often as a screen shows it.
    const context = dropRequestsAtClose(await opened.browser.newContext({ reducedMotion: "reduce", ...options }));
    // Also for the pages that a test opens beside the first one.
    context.setDefaultTimeout(120_000);
    if (person !== null) {
      const [name = "", value = ""] = (await signIn(world, person)).cookie.split("=");
      await context.addCookies([{ name, value, url: world.baseUrl, secure: true }]);
    }
    const page = await context.newPage();
    page.on("console", (said) => /Content Security Policy|TrustedHTML/.test(said.text()) && breaches.push(said.text()));
    page.on("pageerror", (error) => breaches.push(error.message));
    await page.goto(world.baseUrl + path);
    return { context, page };
  };
}

/** Puts a page out of sight, or back. */
export const show = (page: Page, state: "hidden" | "visible") =>
  page.evaluate(`Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true }),
    document.dispatchEvent(new Event("visibilitychange"))`);

/** How tall a page of the console is: only its lists scroll. Other pages of the service scroll. */
const readHeight = "document.getElementById('root') ? document.documentElement.scrollHeight : 0";

/** Looks at a page wide and narrow, light and dark: it is accessible, and nothing is cut off. */
export async function expectFit(page: Page): Promise<void> {
  for (const width of [1_280, 360])
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      // The styles of a narrow page are there a frame before its elements. While a dialog is open,
      // the rest of the page is hidden from roles.
      await page.getByRole("main", { includeHidden: true }).filter({ visible: true }).first().waitFor();
      await expect.poll(() => accessibilityViolations(page, { onlyColors: colorScheme === "dark" })).toEqual([]);
      await expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
      await expect.poll(() => page.evaluate(readHeight)).toBeLessThanOrEqual(800);
    }
  await page.setViewportSize({ width: 1_280, height: 800 });
}
