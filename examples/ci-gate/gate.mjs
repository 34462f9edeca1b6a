// A turn that gates a build: the agent reviews the branch and submits a verdict with its reasons.
// Exit codes: 0 pass, 1 fail, 3 the turn failed, 4 the agent asks, 5 a limit, 124 the time is over.
import { GaveUpError, Switchyard } from "@switchyard/client";

const { SWITCHYARD_URL, SWITCHYARD_API_KEY, SWITCHYARD_PROJECT, GITHUB_REF_NAME = "main" } = process.env;
const task =
  process.argv[2] ??
  "Review the changes of this branch for mistakes that would reach users. Change nothing. It passes if there are none.";
const resultSchema = {
  type: "object",
  properties: {
    pass: { type: "boolean" },
    reasons: { type: "array", items: { type: "string" }, description: "The worst mistake first; none if it passes" },
  },
  required: ["pass", "reasons"],
  additionalProperties: false,
};

if (!SWITCHYARD_URL || !SWITCHYARD_API_KEY || !SWITCHYARD_PROJECT) {
  console.error("Set SWITCHYARD_URL, SWITCHYARD_API_KEY and SWITCHYARD_PROJECT.");
  process.exit(2);
}

const sy = new Switchyard({ baseUrl: SWITCHYARD_URL, apiKey: SWITCHYARD_API_KEY, client: "ci-gate/1.0" });
const session = await sy.sessions.create({
  project: SWITCHYARD_PROJECT,
  title: `Review of ${GITHUB_REF_NAME}`,
  targetBranch: GITHUB_REF_NAME,
  content: task,
  resultSchema,
  spendLimitUsd: 2,
});
console.log(session.data.sessionUrl);

try {
  const result = await session.wait({ timeoutMs: 20 * 60_000 });
  process.exitCode = judge(result);
} catch (error) {
  if (!(error instanceof GaveUpError)) throw error;
  await session.stop();
  console.error(error.message);
  process.exitCode = 124;
}

function judge(result) {
  switch (result.outcome) {
    case "completed":
      for (const reason of result.result.reasons) console.log(`- ${reason}`);
      return result.result.pass ? 0 : 1;
    case "asks":
      return 4;
    case "limit":
      return 5;
    default:
      console.error(result.error ?? "The turn was stopped.");
      return 3;
  }
}
