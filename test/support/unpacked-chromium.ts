// The browser, unpacked before the first file that starts it: two at a time would unpack it over each other.
import chromium from "@sparticuz/chromium";

export default async function setup(): Promise<void> {
  await chromium.executablePath();
}
