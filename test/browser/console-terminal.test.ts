// The terminal of a session, in a real browser: a command, a window that changes, and its end.
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { previewWorld } from "../support/api-world.ts";
import { createClient, type OpenedSession } from "../support/client.ts";
import { expectFit, openConsole } from "../support/console-page.ts";
import { listProcesses, readCommand } from "../support/process-tree.ts";
import { until } from "../support/until.ts";

const world = previewWorld();
const owner = createClient(world);
const visit = openConsole(world);
let session: OpenedSession;
beforeAll(async () => {
  session = await owner.createSession({ title: "Terminal", content: "Hello." });
  await owner.jobUntil(session.path, session.jobId);
});

/** The text on the screen, row by row. */
async function readScreen(page: Page): Promise<string> {
  const rows = await page.locator(".xterm-rows > div").allTextContents();
  return rows.map((row) => row.replaceAll("\u00a0", " ").trimEnd()).join("\n");
}
const waitForScreen = (page: Page, text: string) =>
  until(`${text} on the screen`, async () => (await readScreen(page)).includes(text));

async function openTerminal(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Open a terminal" }).click();
  await page.getByText("Shift+Escape leaves the terminal.").waitFor();
}

test("a member types a command and sees its output, in the tab's size, also after a look at another tab", async () => {
  const { page, context } = await visit(`/s/${session.id}?panel=terminal`, "member");
  await page.getByRole("button", { name: "Open a terminal" }).waitFor();
  await expectFit(page);
  await openTerminal(page);
  await page.keyboard.type("echo $((6*7))\n");
  await waitForScreen(page, "\n42\n");
  await page.keyboard.type("clear; stty size\n");
  const before = await until("a size", async () => /^\d+ \d+$/m.exec(await readScreen(page))?.[0]);
  await page.setViewportSize({ width: 1_100, height: 600 });
  await page.keyboard.type("clear; while sleep 0.1; do stty size; done\n");
  await until("another size", async () => {
    const sizes = (await readScreen(page)).match(/^\d+ \d+$/gm) ?? [];
    return sizes.length > 0 && sizes.at(-1) !== before;
  });
  await page.keyboard.press("Control+c");
  await page.keyboard.type("clear; echo st''ill here\n");
  await waitForScreen(page, "still here");
  await page.getByRole("tab", { name: "Files" }).click();
  await page.getByRole("searchbox", { name: "Find a file" }).waitFor();
  await page.getByRole("tab", { name: "Terminal" }).click();
  await waitForScreen(page, "still here");
  await expectFit(page);
  await context.close();
});

test("Escape is for the shell, Shift+Escape leaves it, and `exit` offers another one", async () => {
  const { page, context } = await visit(`/s/${session.id}?panel=terminal`, "owner");
  await openTerminal(page);
  await page.keyboard.type("echo be''gun; cat -v\n");
  await waitForScreen(page, "begun\n");
  await page.keyboard.press("Escape");
  await waitForScreen(page, "^[");
  await expect.poll(() => page.evaluate("document.activeElement.className")).toContain("xterm");
  await page.keyboard.press("Shift+Escape");
  await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("tab-terminal");
  await page.locator(".xterm").click();
  await page.keyboard.press("Control+c");
  await waitForScreen(page, "^C\n");
  await page.keyboard.type("exit\n");
  await page.getByText("The shell has ended.").waitFor();
  await page.getByRole("button", { name: "Start a new shell" }).click();
  await page.getByText("Shift+Escape leaves the terminal.").waitFor();
  await page.keyboard.type("echo ag''ain\n");
  await waitForScreen(page, "again");
  await page.getByRole("button", { name: "Close the terminal" }).click();
  await page.getByRole("button", { name: "Open a terminal" }).waitFor();
  await context.close();
});

test("a phone has the keys that its keyboard lacks, and they keep the keyboard open", async () => {
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const { page, context } = await visit(`/s/${session.id}?panel=terminal`, "member", phone);
  await page.getByRole("button", { name: "Open a terminal" }).click();
  await page.getByText("Ctrl, then C, stops a command.").waitFor();
  const keys = page.getByRole("group", { name: "Keys" }).getByRole("button");
  expect(await keys.count()).toBe(7);
  for (const key of await keys.all()) {
    const box = await key.boundingBox();
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
  }
  await page.keyboard.type("echo be''gun; cat -v\n");
  await waitForScreen(page, "begun\n");
  await page.getByRole("button", { name: "Esc" }).tap();
  await page.getByRole("button", { name: "Up" }).tap();
  await waitForScreen(page, "^[^[[A");
  await page.getByRole("button", { name: "Ctrl" }).tap();
  await page.keyboard.type("c");
  await waitForScreen(page, "^C\n");
  await page.getByRole("button", { name: "Ctrl", pressed: false }).waitFor();
  expect(await page.evaluate("document.activeElement.className")).toContain("xterm");
  await page.keyboard.type("clear; echo typ''ed\n");
  await waitForScreen(page, "typed");
  await expectFit(page);
  await context.close();
});

test("what runs in it ends when the person leaves the session", async () => {
  const { page, context } = await visit(`/s/${session.id}?panel=terminal`, "owner");
  const sandboxKey = await owner.getSandboxKey(session.id);
  const isRunning = () =>
    listProcesses(`${world.stateDir}/sandboxes/${sandboxKey}`).some((one) => readCommand(one).includes("sleep 7501"));
  await openTerminal(page);
  await page.keyboard.type("sleep 7501\n");
  await until("the command", isRunning);
  await page.getByRole("link", { name: "Sessions" }).first().click();
  await page.waitForURL("**/sessions");
  await until("its end", () => !isRunning());
  await page.goBack();
  await page.getByRole("button", { name: "Open a terminal" }).waitFor();
  await context.close();
});

test("it says that the sandbox has stopped, and wakes it again", async () => {
  const { page, context } = await visit(`/s/${session.id}?panel=terminal`, "owner");
  await openTerminal(page);
  await owner.post(`/api/organizations/${world.workspaceId}/stop-sandboxes`, { sessionIds: [session.id] });
  await page.getByText("The sandbox has stopped, and the shell with it.").waitFor();
  await expectFit(page);
  await page.getByRole("button", { name: "Start a new shell" }).click();
  await page.getByText("Shift+Escape leaves the terminal.").waitFor();
  await context.close();
});
