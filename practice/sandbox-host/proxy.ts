// The proxy to the program of a sandbox. Headers report failures, so that the caller can
// distinguish a program that is down from a missing sandbox.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { createPlainResponse, createRelay, type Relayed } from "../../sandbox-program/http/relay.ts";
import { brokenHeader, missingHeader, unreachableHeader } from "../../src/sandbox-protocol/headers.ts";
import type { SandboxProcess } from "./sandbox-process.ts";

const relay = createRelay();

/** Forwards a request to the program, and its response back. */
export function proxyRequest(
  sandbox: SandboxProcess | undefined,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (sandbox) relay.request(toProgram(sandbox, path, request), request, response);
  else refuseMissing(response);
}

/** Forwards an upgraded connection to the program. */
export function proxyUpgrade(
  sandbox: SandboxProcess | undefined,
  path: string,
  request: IncomingMessage,
  caller: Duplex,
  head: Buffer,
): void {
  if (sandbox) relay.upgrade(toProgram(sandbox, path, request), request, caller, head);
  else refuseMissing(createPlainResponse(request, caller));
}

function toProgram({ port }: SandboxProcess, path: string, { headers }: IncomingMessage): Relayed {
  return {
    port,
    path,
    headers,
    answerHeaders: (answered) => answered,
    fail(failure, response) {
      if (failure === "unreachable") refuse(response, 502, unreachableHeader, "The program does not answer.");
      else refuse(response, 502, brokenHeader, "The connection broke before there was an answer.");
    },
  };
}

const refuseMissing = (response: ServerResponse) => refuse(response, 404, missingHeader, "The sandbox is not running.");

function refuse(response: ServerResponse, status: number, header: string, message: string): void {
  response.writeHead(status, { [header]: "1", "content-type": "application/json" }).end(JSON.stringify({ message }));
}
