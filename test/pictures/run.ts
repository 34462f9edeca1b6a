// `npm run pictures`: the pictures of the console in its guide, taken from a service of its own.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConsole } from "../../practice/console.ts";
import { claimFreePort } from "../../practice/free-port.ts";
import { startWorld } from "../../practice/local-service.ts";
import { signIn } from "../support/browser.ts";
import { startBrowser } from "../support/chromium.ts";
import { createClient, type Step } from "../support/client.ts";

const folder = join(import.meta.dirname, "../../docs/console");
const stateDir = await mkdtemp(join(tmpdir(), "switchyard-pictures-"));
await Promise.all([mkdir(folder, { recursive: true }), loadConsole()]);
const world = await startWorld({ port: await claimFreePort(), stateDir, rateLimits: "off" });
const owner = createClient(world);
const opened = await startBrowser();

function write(task: string, ...steps: Step[]): string {
  return `${task}\n\`\`\`practice\n${steps.map((step) => JSON.stringify(step)).join("\n")}\n\`\`\``;
}

/** Starts a session, and waits until its turn ends unless it is to be seen running. */
async function start(task: string, ...steps: Step[]) {
  const session = await owner.createSession({ content: write(task, ...steps) });
  if (!steps.some(({ sleep }) => sleep)) await owner.jobUntil(session.path, session.jobId);
  return session;
}

const option = (title: string, description: string, isRecommended = false) => ({ title, description, isRecommended });
const question = {
  topic: "Order",
  question: "Which order should the map have?",
  options: [option("By distance", "The nearest station comes first.", true), option("By name", "As in the timetable.")],
};

try {
  const sorted = await start(
    "Sort the departures by time.",
    { bash: "ls public && cat package.json | head -5" },
    {
      write: {
        path: "public/order.js",
        content:
          "// Departures in the order in which they leave.\nexport function sortByTime(rows) {\n  return rows.toSorted((one, other) => one.time.localeCompare(other.time));\n}\n",
      },
    },
    { bash: "node --check public/order.js && echo it is valid" },
    { say: "The departures are sorted by time. `public/order.js` has the order, and nothing else changed." },
  );
  await start("Check the links of the imprint.", { say: "All 14 links work." });
  await start("Bump the dependencies.", { bash: "npm test; exit 1" }, { fail: "overloaded" });
  await start("Fix the map of stations.", { ask: { questions: [question] } });
  await start("Show platform changes in red.", { bash: "echo looking" }, { sleep: 120_000 }, { say: "Done." });

  const context = await opened.browser.newContext({ viewport: { width: 1_280, height: 800 }, colorScheme: "light" });
  const [name = "", value = ""] = (await signIn(world, "owner")).cookie.split("=");
  await context.addCookies([{ name, value, url: world.baseUrl, secure: true }]);
  const page = await context.newPage();
  const take = async (path: string, shown: string, file: string) => {
    await page.goto(world.baseUrl + path);
    await page.getByText(shown).filter({ visible: true }).first().waitFor();
    await page.evaluate("document.fonts.ready");
    await page.screenshot({ path: join(folder, file), animations: "disabled" });
    console.log(join(folder, file));
  };
  await take("/", "Which order should the map have?", "inbox.png");
  await take(`/s/${sorted.id}?panel=changes`, "viewed", "session.png");
  await page.setViewportSize({ width: 390, height: 800 });
  await take(`/s/${sorted.id}`, "are sorted by time", "phone.png");
} finally {
  await opened.close();
  await world.close();
  await rm(stateDir, { recursive: true, force: true });
}
process.exit(0);
