// Requests with the fields that a program of protocol version 1 reads. A container that was started
// before a deployment of the service runs that version until its next start. It reads a token as
// `pass`, and tools and instructions outside the profile.
import type { Compaction, TurnStart } from "../sandbox-protocol/protocol.ts";

/** Repeats the token of a request under its older name. */
export function withPass<Request extends { token: string }>(request: Request): Request & { pass: string } {
  return { ...request, pass: request.token };
}

export function turnStartForVersion1(start: TurnStart) {
  const { tools, instructions } = start.profile;
  const tokens = { link: withPass(start.link), model: withPass(start.model), git: withPass(start.git) };
  return { ...start, ...tokens, tools, instructions };
}

export function compactionForVersion1(compaction: Compaction) {
  return { ...compaction, model: withPass(compaction.model), instructions: compaction.profile.instructions };
}
