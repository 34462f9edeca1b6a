// Requests as a program of protocol version 1 reads them. A container that was started before a deployment of the service runs one until
// its next start; it finds a token under the name `pass`, and tools and instructions beside the rest.
import type { Compaction, TurnStart } from "./protocol.ts";

/** What carries a token, with the token under its older name too. */
export function withPass<Request extends { token: string }>(request: Request): Request & { pass: string } {
  return { ...request, pass: request.token };
}

export function turnStartOfBefore(start: TurnStart) {
  const { tools, instructions } = start.profile;
  const tokens = { link: withPass(start.link), model: withPass(start.model), git: withPass(start.git) };
  return { ...start, ...tokens, tools, instructions };
}

export function compactionOfBefore(compaction: Compaction) {
  return { ...compaction, model: withPass(compaction.model), instructions: compaction.profile.instructions };
}
