// What can be read of the checkout of a sandbox without waking it: its files, and how they differ from the base.
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";
import { touch } from "../../src/rules/sandbox/sandbox.ts";
import type { CheckoutAnswer, CheckoutQuery } from "../../src/sandbox/checkout-query.ts";
import type { ProgramClient } from "../../src/sandbox/client.ts";
import type { ProgramAnswer } from "../../src/sandbox/program-answer.ts";
import type { SandboxContext } from "./context.ts";

/** Answers the question, or nothing when the sandbox does not run. A list of its files, or a draft from it, counts as a use. */
export async function readCheckout(
  { access, shell }: SandboxContext,
  question: CheckoutQuery,
): Promise<CheckoutAnswer | Refusal> {
  if (access.sandbox().state !== "running") return {};
  if (question.about === "files" || question.about === "uncommitted") shell.decide(touch);
  const answer = await access.inSight(() => ask(access.program(), question));
  if (!isRefusal(answer)) return answer ?? {};
  // Of a patch, the one thing that asking again does not mend.
  if (answer.code === "NOT_FOUND") return answer;
  return refuse("SERVICE_UNAVAILABLE", `The sandbox could not read its ${words[question.about]}. ${answer.message}`);
}

const words: Record<CheckoutQuery["about"], string> = {
  files: "files",
  skills: "skills",
  state: "git state",
  changes: "changes",
  patch: "patch",
  uncommitted: "changes",
  log: "commits",
  lines: "lines",
};

async function ask(program: ProgramClient, question: CheckoutQuery): Promise<ProgramAnswer<CheckoutAnswer>> {
  switch (question.about) {
    case "files":
      return read(await program.files(), (files) => ({ files }));
    case "skills":
      return read(await program.skills(), (skills) => ({ skills }));
    case "state":
      return read(await program.gitState(question.base), (state) => ({ state }));
    case "changes":
      return read(await program.gitChanges(question.base), (changes) => ({ changes }));
    case "patch":
      return read(await program.gitPatch(question.base, question.path), (patch) => ({ patch }));
    case "uncommitted":
      return read(await program.gitUncommitted(), (patch) => ({ patch }));
    case "log":
      return read(await program.gitLog(question.base), (log) => ({ log }));
    case "lines": {
      const { base, anchors } = question;
      return read(await program.gitLines({ base, anchors }), (lines) => ({ lines }));
    }
  }
}

function read<Value>(
  answer: ProgramAnswer<Value>,
  as: (value: Value) => CheckoutAnswer,
): ProgramAnswer<CheckoutAnswer> {
  return answer.ok ? { ok: true, value: as(answer.value) } : answer;
}
