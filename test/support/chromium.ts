// A real browser, and an accessibility check of its pages.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

export { type OpenedBrowser, startBrowser } from "../../scripts/chromium.ts";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/**
 * Returns only the violations. All results have a selector for each element of the page, which takes
 * longer than the check itself.
 */
const listViolations = `axe
  .run(document, { iframes: false, resultTypes: ["violations"] })
  .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html)))`;

/** The accessibility violations of a page, without the content of its frames. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  // The page's Content-Security-Policy does not apply to scripts of the driver.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(await readFile(axe, "utf8"));
  return await page.evaluate<string[]>(listViolations);
}
