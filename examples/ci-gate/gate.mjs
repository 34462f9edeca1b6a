// A turn that gates a build: the agent reviews the branch and submits a verdict with its reasons.
// Exit codes: 0 pass, 1 fail, 2 a setting is missing, 3 the turn failed, 4 the agent asks, 5 a limit,
// 6 the service refused or was not reached, 124 the time is over.
import { ConnectionError, GaveUpError, Switchyard, SwitchyardError } from "@switchyard/client";

const { SWITCHYARD_URL, SWITCHYARD_API_KEY, SWITCHYARD_PROJECT, BRANCH } = process.env;
// GitHub sets an empty one where there is no pull request.
const branch = BRANCH || "main";
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
try {
  process.exitCode = await review();
} catch (error) {
  if (!(error instanceof SwitchyardError || error instanceof ConnectionError)) throw error;
  console.error(error.message);
  process.exitCode = 6;
}

async function review() {
  const session = await sy.sessions.create({
    project: SWITCHYARD_PROJECT,
    title: `Review of ${branch}`,
    targetBranch: branch,
    content: task,
    resultSchema,
    spendLimitUsd: 2,
  });
  console.log(session.data.sessionUrl);
  try {
    return judge(await session.wait({ timeoutMs: 20 * 60_000 }));
  } catch (error) {
    if (!(error instanceof GaveUpError)) throw error;
    await session.stop();
    console.error(error.message);
    return 124;
  }
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
