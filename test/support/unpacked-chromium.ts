// Unpacks the browser before the tests, because files that start at the same time would overwrite
// each other's copy.
import chromium from "@sparticuz/chromium";

export default async function setup(): Promise<void> {
  await chromium.executablePath();
}
