// A long conversation in a real browser: few nodes, and all of its words.
import { expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient } from "../support/client.ts";
import { expectFit, openConsole } from "../support/console-page.ts";
import { lengthenSession } from "../support/long-session.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const owner = createClient(world);
const visit = openConsole(world);

const nodesAtMost = 4_000;

/** Reads and draws a conversation from its end to its beginning. A string: it runs in the page. */
const readAll = `(async () => {
  const list = document.querySelector("[role=feed]");
  const isEarlier = ({ textContent }) => /earlier messages/i.test(textContent);
  for (let idle = 0; idle < 10; idle++) {
    list.parentElement.scrollTop = 0;
    const more = list.querySelector("[data-hidden-rows]") ?? [...list.querySelectorAll("button")].find(isEarlier);
    more?.click();
    if (more) idle = 0;
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
})()`;

test("3,000 blocks that were all read are few nodes, and nothing of them is lost", async () => {
  const session = await owner.createSession({ title: "Long" });
  await owner.run(session.path, { bash: "true" }, { say: "Done." });
  const { page, context } = await visit("/account", "owner", { viewport: { width: 1_280, height: 800 } });
  await lengthenSession(page, owner, session.path, 3_000);
  await page.goto(`${world.baseUrl}/s/${session.id}`);
  const feed = page.getByRole("feed");
  await feed.getByText("Step 2997 is done.").waitFor();
  await page.evaluate(readAll);
  await feed.getByText("Step 0 is done.").waitFor();
  await expect.poll(() => page.evaluate('document.querySelectorAll("*").length')).toBeLessThanOrEqual(nodesAtMost);
  // What is far is in the page as words, for a search and for a screen reader.
  const words = await page.evaluate<string>("document.querySelector('[role=feed]').innerText");
  for (const at of [600, 1_500, 2_400]) expect(words).toContain(`Step **${at}** is done.`);
  expect(words).toContain("echo step-1499");

  // What a person opened is still open when they come back.
  const first = feed.getByRole("button", { name: /2 steps/ }).first();
  await first.click();
  await feed.getByRole("button", { name: /echo step-1$/ }).click();
  await page.getByRole("button", { name: "To the end" }).click();
  await feed.getByRole("button", { name: /echo step-1$/ }).waitFor({ state: "detached" });
  const scroller = "document.querySelector('[role=feed]').parentElement";
  // A move up is the reader's, also in a moment in which the list becomes shorter.
  const shorten = "document.querySelector('[role=feed]').style.paddingBottom = 0";
  await page.evaluate(`document.activeElement.blur(), ${shorten}, ${scroller}.scrollTop = 0`);
  const opened = feed.getByRole("button", { name: /echo step-1$/ });
  await opened.waitFor();
  await expect.poll(() => opened.getAttribute("aria-expanded")).toBe("true");

  // Scrolled by hand, what is seen moves as far as the hand did.
  await page.evaluate(`${scroller}.scrollTop = ${scroller}.scrollHeight / 2`);
  await page.mouse.move(700, 400);
  for (let turn = 0; turn < 5; turn++) {
    // The words of a group that is far are one element, which its rows replace.
    await until("a row in the view", () =>
      page.evaluate<boolean>(`(() => {
        seen = [...document.querySelectorAll("[role=feed] [data-place]:has(li)")].find((one) => {
          const { top } = one.getBoundingClientRect();
          return top > 200 && top < innerHeight - 300;
        });
        return seen !== undefined;
      })()`),
    );
    const top = () => page.evaluate<number>("seen.getBoundingClientRect().top");
    // Rows that have just come into view may still take their heights.
    await until("the row to rest", async () => {
      const place = await top();
      await page.evaluate("new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))");
      return (await top()) === place;
    });
    const before = await top();
    await page.mouse.wheel(0, -300);
    await until("the row to have moved", async () => Math.abs((await top()) - before - 300) < 2);
  }
  await expectFit(page);
  await context.close();
});

test("a turn that is older than the newest hundred jobs has its number and its state", async () => {
  const session = await owner.createSession({ title: "Many turns" });
  await owner.run(session.path, { fail: "context_window_exceeded" });
  await owner.run(session.path, { say: "Done." });
  const { page, context } = await visit("/account", "owner");
  const jobs = (await owner.get(`${session.path}/jobs/chat`)).body.data;
  await page.route(`**${session.path}/jobs/chat?*`, async (route) => {
    const others = Array.from({ length: 100 }, (_, at) => ({ ...jobs[0], id: `other-${at}` }));
    const isSecond = new URL(route.request().url()).searchParams.get("page") === "2";
    const pagination = { page: isSecond ? 2 : 1, pageSize: 100, total: 102, hasMore: !isSecond };
    await route.fulfill({ json: { data: isSecond ? jobs : others, meta: { pagination } } });
  });
  await page.goto(`${world.baseUrl}/s/${session.id}`);
  await page
    .getByRole("article", { name: /Turn 1\b/ })
    .getByText("failed")
    .first()
    .waitFor();
  await context.close();
});

test("a link to a turn that is not there says so, and leads to the newest one", async () => {
  const session = await owner.createSession({ title: "No such turn" });
  await owner.run(session.path, { say: "The only answer." });
  for (const turn of ["01a22273-3472-763b-a4ee-341513b594bf", "nonsense"]) {
    const { page, context } = await visit(`/s/${session.id}?turn=${turn}`, "owner");
    await page.getByText("does not have the turn").waitFor();
    await page.getByText("The only answer.").first().waitFor();
    await expectFit(page);
    await page.getByRole("link", { name: "Go to the newest turn" }).click();
    await page.waitForURL(`**/s/${session.id}`);
    await page.getByText("does not have the turn").waitFor({ state: "detached" });
    await context.close();
  }
});

test("a list from right to left has its marks, and a title begins where others begin", async () => {
  const session = await owner.createSession({ title: "لوحة المغادرات" });
  const list = "- أول\n- ثان\n\n1. واحد\n\n2. اثنان\n\n> اقتباس\n\n1. First\n2. Second";
  await owner.run(session.path, { say: list });
  const { page, context } = await visit(`/s/${session.id}`, "owner", { viewport: { width: 1_280, height: 800 } });
  const feed = page.getByRole("feed");
  for (const [text, side] of [
    ["ثان", "right"],
    ["اثنان", "right"],
    ["Second", "left"],
  ] as const) {
    const item = feed.getByRole("listitem").filter({ hasText: new RegExp(`^\\s*${text}\\s*$`) });
    const [inner, outer] = [await item.boundingBox(), await item.locator("..").boundingBox()];
    if (!inner || !outer) throw new Error("It has no place.");
    const [left, right] = [inner.x - outer.x, outer.x + outer.width - inner.x - inner.width];
    expect([left, right].map((room) => room >= 16)).toEqual([side === "left", side === "right"]);
  }
  const title = page.getByRole("navigation").locator("bdi", { hasText: "لوحة المغادرات" });
  // A string: it runs in the page, which has other types.
  const measure = `(node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    const [text, box] = [range.getBoundingClientRect(), node.getBoundingClientRect()];
    return [text.left - box.left < 2, box.right - text.right > 20];
  }`;
  await title.waitFor();
  const place = await page.evaluate(
    `(${measure})([...document.querySelectorAll("nav bdi")].find((node) => node.textContent.startsWith("لوحة")))`,
  );
  expect(place).toEqual([true, true]);
  await context.close();
});

test("on a phone, words of a table are whole, and after a panel the conversation is at its end again", async () => {
  const session = await owner.createSession({ title: "On a phone" });
  const table =
    "| Departures | Platform | Delay | Reason |\n|-|-|-|-|\n| Utrecht Centraal | twenty-one | `fifteen` | Maschinenschaden |";
  await owner.run(session.path, { say: `${"Text.\n\n".repeat(40)}${table}` });
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const { page, context } = await visit(`/s/${session.id}`, "owner", phone);
  const [shown, toEnd] = [page.getByRole("table"), page.getByRole("button", { name: /To the end|new$/ })];
  // What does not fit is scrolled to.
  const box = shown.locator("..");
  await expect.poll(() => box.evaluate((node) => node.scrollWidth > node.clientWidth)).toBe(true);
  // The router moves lists back to where they were when the panel was opened.
  await page.evaluate("document.querySelector('[role=feed]').parentElement.scrollTop = 0");
  await toEnd.tap();
  await page.getByRole("button", { name: /^Changes/ }).tap();
  // The list has less room when it is back, as when a question or a waiting message is below it.
  await page.setViewportSize({ width: 390, height: 700 });
  await page.getByRole("button", { name: "Back to the chat" }).tap();
  await shown.waitFor();
  const left = "(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)";
  await expect
    .poll(() => page.evaluate(`${left}(document.querySelector("[role=feed]").parentElement)`))
    .toBeLessThan(2);
  expect(await toEnd.count()).toBe(0);
  await context.close();
});
