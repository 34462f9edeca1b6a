// A session of one short turn that a page reads as one of thousands of blocks. Running those would
// take minutes.
import type { Page } from "playwright-core";
import type { createClient } from "./client.ts";

interface Block {
  type: string;
  [field: string]: unknown;
}
interface Message {
  role: string;
  blocks: Block[];
}

const stepOf = (at: number): Block => ({ type: "text", content: `Step **${at}** is done.\n\n- one\n- two` });

/**
 * Answers the page's reads of the session's messages with a longer answer: of three blocks, one is
 * a text and two are tools.
 */
export async function lengthenSession(
  page: Page,
  owner: ReturnType<typeof createClient>,
  sessionPath: string,
  count: number,
): Promise<void> {
  const { messages, lastEventId } = (await owner.get(`${sessionPath}/messages?limit=200`)).body.data;
  const [question, answer] = ["user", "assistant"].map((role) =>
    messages.find((message: Message) => message.role === role),
  );
  const tool = answer.blocks.find(({ type }: Block) => type === "tool");
  const blocks = Array.from({ length: count }, (_, at) =>
    at % 3 === 0 ? stepOf(at) : { ...tool, title: `echo step-${at}` },
  );
  await page.route(`**${sessionPath}/messages?*`, async (route) => {
    const asked = new URL(route.request().url()).searchParams;
    const end = Number(asked.get("before") ?? count);
    const begin = Math.max(0, end - Number(asked.get("limit")));
    const part = { ...answer, firstBlockIndex: begin, blocks: blocks.slice(begin, end) };
    const page = begin > 0 ? { messages: [part], before: `${begin}` } : { messages: [question, part] };
    await route.fulfill({ json: { data: { ...page, lastEventId } } });
  });
}
