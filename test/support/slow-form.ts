// A slow form upload. The test decides when the last bytes are sent, so that the session can change
// meanwhile.
import { request } from "node:http";
import { json } from "node:stream/consumers";
import type { Reply } from "./client.ts";
import { until } from "./until.ts";
import type { WorldAddress } from "./world-address.ts";
import { createInside } from "./world-inside.ts";

const boundary = "slow-form";

export interface SlowForm {
  /** Sends the rest. Returns the response. */
  finish(): Promise<Pick<Reply, "status" | "body">>;
}

/**
 * Sends a message with two files. Resolves when the first has arrived and the second is in flight.
 */
export async function sendSlowly(
  world: Pick<WorldAddress, "baseUrl" | "insideUrl">,
  credential: string,
  sessionPath: string,
  fields: Record<string, string>,
): Promise<SlowForm> {
  const parts = [
    ...Object.entries({ ...fields, attachmentCount: "2" }).map(([name, value]) => part(`name="${name}"`, value)),
    part('name="attachment_0"; filename="first.txt"', "The first file."),
    part('name="attachment_1"; filename="second.txt"', "The second "),
  ];
  const head = parts.join("\r\n");
  const rest = `file.\r\n--${boundary}--\r\n`;
  const { storedKeys } = createInside(world);
  const kept = getAttachmentsPrefix(sessionPath);
  const before = (await storedKeys(kept)).length;
  const { port } = new URL(world.baseUrl);
  const sent = request({
    host: "127.0.0.1",
    port,
    method: "POST",
    path: `${sessionPath}/jobs/chat`,
    headers: {
      authorization: `Bearer ${credential}`,
      "content-type": `multipart/form-data; boundary=${boundary}`,
      "content-length": Buffer.byteLength(head) + Buffer.byteLength(rest),
    },
  });
  const answer = new Promise<Pick<Reply, "status" | "body">>((resolve, reject) => {
    sent.once("error", reject);
    sent.once("response", (response) => {
      json(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
  });
  sent.write(head);
  // The first file is stored after the session's state was checked.
  await Promise.race([
    until("the first file of the form to be kept", async () => (await storedKeys(kept)).length > before),
    answer,
  ]);
  return {
    finish() {
      sent.end(rest);
      return answer;
    },
  };
}

/** The storage prefix of a session's attachments. */
export function getAttachmentsPrefix(sessionPath: string): string {
  return `sessions/${sessionPath.split("/").at(-1)}/attachments/`;
}

function part(disposition: string, content: string): string {
  return `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}`;
}
