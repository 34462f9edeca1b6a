// A real browser, and an accessibility check of its pages.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { RunOptions } from "axe-core";
import type { BrowserContext, Page } from "playwright-core";

export { type OpenedBrowser, startBrowser } from "../../scripts/chromium.ts";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/**
 * Only the violations are made into results. All others would have selectors of every element,
 * which take longer than the check itself.
 */
const options: RunOptions = { iframes: false, resultTypes: ["violations"] };
const colors: RunOptions = { ...options, runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } };
const listViolations = (of: RunOptions) => `axe
  .run(document, ${JSON.stringify(of)})
  .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html)))`;

/**
 * The accessibility violations of a page, without the content of its frames. Those of colors take
 * half the time of all, and are the only ones that another color scheme can have.
 */
export async function accessibilityViolations(page: Page, { onlyColors = false } = {}): Promise<string[]> {
  // The page's Content-Security-Policy does not apply to scripts of the driver.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(await readFile(axe, "utf8"));
  return await page.evaluate<string[]>(listViolations(onlyColors ? colors : options));
}

/**
 * A request that a test answers itself may be on its way when its page closes, and would then fail
 * the run. With this, such requests are dropped when the context closes.
 */
export function dropRequestsAtClose(context: BrowserContext): BrowserContext {
  const close = context.close.bind(context);
  context.close = async (options) => {
    for (const routed of [context, ...context.pages()]) await routed.unrouteAll({ behavior: "ignoreErrors" });
    await close(options);
  };
  return context;
}
