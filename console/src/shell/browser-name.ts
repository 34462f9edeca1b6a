// What a browser is called in the list of a person's devices.

/** In this order: most browsers also name others. */
const browsers: [name: string, pattern: RegExp][] = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ["Safari", /\bSafari\//],
];
const systems: [name: string, pattern: RegExp][] = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b/],
  ["Linux", /\bLinux\b/],
];

/** Names a browser by its user agent, such as `Firefox on Linux`. */
export function formatBrowserName(userAgent: string): string {
  const find = (list: typeof browsers) => list.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const [browser = "Browser", system] = [find(browsers), find(systems)];
  return system === undefined ? browser : `${browser} on ${system}`;
}
