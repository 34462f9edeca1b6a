// Requests as a program of protocol version 1 reads them. A container that was started before a deployment of the service runs one until
// its next start; it finds a token under the name `pass`.
import type { Compaction, TurnStart } from "./protocol.ts";

/** What carries a token, with the token under its older name too. */
export function withPass<Request extends { token: string }>(request: Request): Request & { pass: string } {
  return { ...request, pass: request.token };
}

export function turnStartOfBefore(start: TurnStart) {
  return { ...start, link: withPass(start.link), model: withPass(start.model), git: withPass(start.git) };
}

export function compactionOfBefore(compaction: Compaction) {
  return { ...compaction, model: withPass(compaction.model) };
}
