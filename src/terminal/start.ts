// Starts a terminal: wakes the session's sandbox, and connects the browser with its object. A
// browser hides from a page why a handshake was refused. So a terminal that the sandbox or the plan
// does not allow is opened, and ended with the reason.
import { getSandboxObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { findPreviewTarget } from "../preview/queries/targets.ts";
import { checkPreview, findPreviewSandboxOwner, getSandboxKey, wakePreview, withSpare } from "../preview/wake.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import { type Program, throwIfAnother } from "../sandbox/program/client.ts";
import { SandboxBroke, type SandboxDriver } from "../sandbox/program/driver.ts";
import type { SandboxOwner } from "../sandbox/rules/owner.ts";
import { brokenHeader } from "../sandbox-protocol/headers.ts";
import type { TerminalHolder } from "./queries.ts";
import { type TerminalEnd, toRefusedEnd } from "./rules/ends.ts";
import { type TerminalSize, terminalPath } from "./rules/frames.ts";

/**
 * The header with the grant, on a request to the sandbox's object. Previews drop it from the
 * requests of visitors.
 */
export const terminalGrantHeader = "x-sandbox-terminal";

/** What a sandbox's object needs to open a terminal. */
export interface TerminalGrant {
  holder: TerminalHolder;
  owner: SandboxOwner;
  size: TerminalSize;
}

/** A terminal, or a socket that only says why there is none. */
export interface OpenedTerminal {
  response: Response;
  isOpened: boolean;
}

/** Opens a terminal for a person. Refuses one of a session that has no sandbox. */
export async function startTerminal(
  env: Env,
  projectId: string,
  { size, ...whose }: Omit<TerminalHolder, "sandboxKey"> & { size: TerminalSize },
): Promise<OpenedTerminal | Refusal> {
  const found = await findPreviewTarget(env.DB, projectId, whose.sessionId);
  const owner = found && findPreviewSandboxOwner(found);
  if (!owner) return refuse("BAD_REQUEST", "A session in the Backlog, or one that has ended, has no terminal.");
  const unfit = checkPreview(found);
  if (unfit) return unfit;
  if (found.isBlockedOnBilling) return refuseBySocket(refuse("CREDIT_LIMIT_REACHED"));
  const target = await withSpare(env, found);
  const woken = await wakePreview(env, target, owner);
  if (isRefusal(woken)) return refuseBySocket(woken);
  const sandboxKey = getSandboxKey(target);
  const grant: TerminalGrant = { holder: { ...whose, sandboxKey }, owner, size };
  const headers = { upgrade: "websocket", [terminalGrantHeader]: JSON.stringify(grant) };
  const response = await getSandboxObject(env, sandboxKey).fetch("http://sandbox/terminal", { headers });
  return { response, isOpened: true };
}

function refuseBySocket({ message }: Refusal): OpenedTerminal {
  const { 0: client, 1: ours } = new WebSocketPair();
  ours.accept();
  endTerminal(ours, toRefusedEnd(message));
  return { response: new Response(null, { status: 101, webSocket: client }), isOpened: false };
}

/** Sends the browser why its terminal ends, and closes its socket. */
export function endTerminal(browser: WebSocket, { code, sentence }: TerminalEnd): void {
  if (browser.readyState !== WebSocket.OPEN) return;
  browser.send(JSON.stringify({ end: sentence }));
  browser.close(code);
}

const outdated = refuse(
  "SERVICE_UNAVAILABLE",
  "The sandbox was started by an earlier version of the service, which has no terminals. Stop the sandbox, and try again.",
);

/**
 * Opens a socket to a sandbox program. Throws SandboxUnreachable if nothing accepts it, and
 * SandboxBroke if it cannot be asked now.
 */
export async function connectTerminal(
  driver: SandboxDriver,
  { secret, bootId = null }: Program,
): Promise<WebSocket | Refusal> {
  const headers = { upgrade: "websocket", authorization: `Bearer ${secret}` };
  const answer = await driver.fetch(new Request(`http://program${terminalPath}`, { headers }));
  if (answer.headers.has(brokenHeader)) throw new SandboxBroke();
  await throwIfAnother(answer, bootId);
  if (answer.webSocket) return answer.webSocket;
  await answer.body?.cancel();
  return outdated;
}
