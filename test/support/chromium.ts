// A real browser, and an accessibility check of its pages.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

export { type OpenedBrowser, startBrowser } from "../../scripts/chromium.ts";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** The accessibility violations of a page, without the content of its frames. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  // The page's Content-Security-Policy does not apply to scripts of the driver.
  await page.evaluate(await readFile(axe, "utf8"));
  const results = (await page.evaluate("axe.run(document, { iframes: false })")) as AxeResults;
  return results.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
