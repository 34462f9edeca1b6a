// Saved work as the service keeps it: layers that come out of one program and go into another.
import { request } from "node:http";
import type { Program } from "./program.ts";
import { secret } from "./program.ts";

const headers = { authorization: `Bearer ${secret}` };

async function download(program: Program, path: string): Promise<Buffer> {
  const answer = await program.raw(path, { headers });
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return Buffer.from(await answer.arrayBuffer());
}

export const saveWork = (program: Program, baseId?: string, query: Record<string, string> = {}) =>
  download(program, `/archive?${new URLSearchParams({ ...(baseId !== undefined && { base: baseId }), ...query })}`);

/** The status of a save that is skipped if the sandbox is unchanged since the known one. */
export async function saveUnlessKnown(program: Program, query: Record<string, string>): Promise<number> {
  const answer = await program.raw(`/archive?${new URLSearchParams(query)}`, { headers });
  await answer.arrayBuffer();
  return answer.status;
}

export const makeBase = (program: Program, id: string) => download(program, `/archive/base?id=${id}`);

export const restoreWork = (program: Program, layer: Buffer) =>
  program.raw("/archive", { method: "PUT", headers, body: layer });

export const restoreBase = (program: Program, layer: Buffer, beneathWork: boolean) =>
  program.raw(`/archive/base?beneathWork=${beneathWork}`, { method: "PUT", headers, body: layer });

/** Restores work and its prebuild, if it has one. */
export async function wake(program: Program, work: Buffer, base: Buffer | null): Promise<void> {
  const restored = await restoreWork(program, work);
  if (restored.status !== 200) throw new Error(`work: ${await restored.text()}`);
  const { baseId } = (await restored.json()) as { baseId: string | null };
  if (baseId === null) return;
  if (base === null) throw new Error(`the work is based on ${baseId}`);
  const completed = await restoreBase(program, base, true);
  if (completed.status !== 204) throw new Error(`base: ${await completed.text()}`);
}

/** Sends the first half of a base, which has its checkout. Returns once that is in place. */
export async function sendHalfOfBase(program: Program, base: Buffer, beneathWork = false) {
  const sent = request(`${program.url}/archive/base?beneathWork=${beneathWork}&early=true`, {
    method: "PUT",
    headers: { authorization: `Bearer ${secret}`, "content-length": base.length },
  });
  const started = new Promise<number | undefined>((resolve, reject) => {
    sent.once("response", (response) => resolve(response.statusCode)).once("error", reject);
  });
  const body = new Promise<string>((resolve, reject) => {
    sent.once("response", async (response) => {
      let text = "";
      try {
        for await (const chunk of response) text += chunk;
        resolve(text);
      } catch (error) {
        reject(error);
      }
    });
  });
  body.catch(() => {});
  sent.on("error", () => {});
  sent.write(base.subarray(0, base.length / 2));
  const status = await started;
  if (status !== 200) throw new Error(`the first half of the base was answered with ${status}`);
  return {
    body,
    sendRest: (rest = base.subarray(base.length / 2)) => void sent.end(rest),
    breakOff: () => sent.destroy(),
  };
}
