// A turn that gates a build: the agent reviews the branch and ends with PASS, or with FAIL and why.
// Exit codes: 0 pass, 1 fail, 3 the turn failed, 4 the agent asks, 5 a limit, 124 the time is over.
import { GaveUpError, Switchyard } from "@switchyard/client";

const { SWITCHYARD_URL, SWITCHYARD_API_KEY, SWITCHYARD_PROJECT, GITHUB_REF_NAME = "main" } = process.env;
const task =
  process.argv[2] ??
  "Review the changes of this branch for mistakes that would reach users. Change nothing. End your last message with a line " +
    "that is PASS, or that begins with FAIL: and names the worst mistake.";

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
  console.log(result.text);
  switch (result.outcome) {
    case "completed":
      return result.text.trim().split("\n").at(-1) === "PASS" ? 0 : 1;
    case "asks":
      return 4;
    case "limit":
      return 5;
    default:
      return 3;
  }
}
