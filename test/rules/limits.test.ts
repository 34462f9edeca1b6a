import { expect, it } from "vitest";
import * as limits from "../../src/rules/limits.ts";

const second = 1000;
const minute = 60_000;
const hour = 3_600_000;
const day = 86_400_000;

/** Both "Limits" tables, the decisions' numbers and those in the contract's text, each worked out by hand. */
const contract: [promise: string, name: keyof typeof limits, value: number][] = [
  ["Up next holds 20 messages", "upNextSize", 20],
  ["message content is up to 200,000 characters", "messageContentCharacters", 200_000],
  ["up to 10 files are attached", "attachmentCount", 10],
  ["an attachment is up to 10 MB, that is 10,485,760 bytes", "attachmentBytes", 10_485_760],
  ["up to 50 diff comments go with a send", "diffCommentsPerSend", 50],
  ["a review comment has up to 20,000 characters", "reviewCommentCharacters", 20_000],
  ["a session has up to 500 review comments", "reviewCommentsMax", 500],
  ["a review comment keeps up to 20,000 characters of lines", "lineSnapshotCharacters", 20_000],
  ["a turn fails after 120 seconds without any sign of life", "turnSilenceMs", 120 * second],
  ["a turn lasts 4 hours at most", "longestTurnMs", 4 * hour],
  ["tool output is capped at 32 KiB in the transcript", "toolOutputBytes", 32_768],
  ["25 MiB of a tool's output are kept beside the transcript", "fullToolOutputBytes", 26_214_400],
  ["a question has at least 2 options", "clarificationOptionsMin", 2],
  ["a question has at most 4 options", "clarificationOptionsMax", 4],
  ["a sandbox pauses after 10 idle minutes", "idleBeforePauseMs", 10 * minute],
  ["awayHoldMs is 300000", "awayHoldMs", 300_000],
  ["a preview read returns within 2 seconds", "previewWakeWaitMs", 2 * second],
  ["a sandbox held over 5 seconds makes it answer empty", "sandboxHeldWaitMs", 5 * second],
  ["up to 50 sessions are stopped per call", "sessionsPerStopSandboxes", 50],
  ["an Auth Token lives 15 minutes", "authTokenLifetimeMs", 15 * minute],
  ["lastViewedAt is accurate to 5 minutes", "lastViewedAccuracyMs", 5 * minute],
  ["a workspace's name has at most 100 characters", "workspaceNameCharactersMax", 100],
  ["a workspace's slug has at least 2 characters", "workspaceSlugCharactersMin", 2],
  ["a workspace's slug has at most 40 characters", "workspaceSlugCharactersMax", 40],
  ["a logo and a user's picture are up to 1 MiB", "pictureBytes", 1_048_576],
  ["an invitation lives 7 days", "invitationLifetimeMs", 7 * day],
  ["a workspace has up to 500 open invitations", "openInvitationsMax", 500],
  ["a project's name has at most 100 characters", "projectNameCharactersMax", 100],
  ["a project has up to 20 setup commands", "setupCommandsMax", 20],
  ["a command of a project's settings has up to 4,000 characters", "projectCommandCharactersMax", 4_000],
  ["a project has up to 20 services", "servicesMax", 20],
  ["the name of a service or an endpoint has up to 40 characters", "serviceNameCharactersMax", 40],
  ["a service has up to 10 endpoints", "endpointsPerServiceMax", 10],
  ["an environment has up to 200 variables", "variablesMax", 200],
  ["a variable has up to 32 KiB", "variableValueBytes", 32_768],
  ["a project's settings have up to 1 MiB", "projectSettingsBytes", 1_048_576],
  ["a sandbox key has 16 letters and digits", "sandboxKeyCharacters", 16],
  ["a file path is up to 2,048 characters", "filePathCharacters", 2048],
  ["file content is up to 1,048,576 characters", "fileContentCharacters", 1_048_576],
  ["a commit message has at least 1 character", "commitMessageCharactersMin", 1],
  ["a commit message has at most 2,000 characters", "commitMessageCharactersMax", 2000],
  ["an artifact URL lives 24 hours", "artifactUrlLifetimeMs", 24 * hour],
  ["a document, a mockup or a variant of a Prototype is up to 2 MiB", "artifactTextBytes", 2_097_152],
  ["an image or a video is up to 100 MB", "artifactMediaBytes", 100_000_000],
  ["the slug of an artifact has at most 100 characters", "artifactSlugCharacters", 100],
  ["the title of an artifact has at most 200 characters", "artifactTitleCharacters", 200],
  ["an artifact declares a version up to a billion", "artifactVersionMax", 1_000_000_000],
  ["a Prototype has up to 20 variants", "prototypeVariantsMax", 20],
  ["500 artifacts or Prototypes are listed", "listedMax", 500],
  ["a stored object that nothing names is gone after 2 hours", "unconfirmedObjectMs", 2 * hour],
  ["a JSON body is up to 2 MiB", "jsonBodyBytes", 2_097_152],
  ["the file write route takes 8 MiB", "fileWriteBodyBytes", 8_388_608],
  ["an API key makes 600 requests per minute", "apiKeyRequestsPerMinute", 600],
  ["a shared preview is resolved 60 times per minute", "sharedPreviewRequestsPerMinute", 60],
  ["a shared artifact is read 30 times per minute", "sharedArtifactRequestsPerMinute", 30],
  ["an Idempotency-Key holds for 24 hours", "idempotencyKeyLifetimeMs", 24 * hour],
  ["a browser stays signed in for 30 days", "browserSessionMs", 30 * day],
  ["a user, or a workspace, has up to 500 keys", "keysMax", 500],
  ["the name of a key has at most 100 characters", "keyNameCharactersMax", 100],
  ["lastUsedAt of an API key is accurate to 5 minutes", "keyUseAccuracyMs", 5 * minute],
  ["a page has 25 rows when not asked otherwise", "pageSizeDefault", 25],
  ["a page has 100 rows at most", "pageSizeMax", 100],
  ["a user holds up to 5 logins of a provider", "loginsPerProvider", 5],
  ["a login token lives 15 minutes", "loginTokenLifetimeMs", 15 * minute],
  ["a skill file is up to 100 KiB", "skillFileBytes", 102_400],
  ["a skill has up to 50 files", "skillFileCount", 50],
  ["a skill is up to 1 MiB in all", "skillTotalBytes", 1_048_576],
  ["utilization is a percentage up to 100", "utilizationMax", 100],
  ["the session window is 5 hours", "sessionUsageWindowMs", 5 * hour],
  ["the week window is 7 days", "weekUsageWindowMs", 7 * day],
  ["marketplaces are refreshed daily", "marketplaceRefreshMs", day],
  ["a cron name has at least 1 character", "cronNameCharactersMin", 1],
  ["a cron name has at most 100 characters", "cronNameCharactersMax", 100],
  ["a cron fires at most once every 15 minutes", "cronFloorMs", 15 * minute],
  ["a cron run lasts 60 minutes at most", "longestCronRunMs", 60 * minute],
  ["5 failed runs in a row pause a project", "failedRunsBeforePause", 5],
  ["run-now waits up to 10 seconds", "runNowWaitMs", 10 * second],
  ["the diagnostics log is capped at 256 KB", "diagnosticsLogBytes", 262_144],
  ["the diagnostics log is cleared after 30 days", "diagnosticsLogLifetimeMs", 30 * day],
  ["activity goes back 30 days", "activityWindowMs", 30 * day],
  ["an activity page has 50 events when not asked otherwise", "activityPageSizeDefault", 50],
  ["an activity page has 200 events at most", "activityPageSizeMax", 200],
  ["a pull request is stale after 3 days", "stalePullRequestMs", 3 * day],
];

const held = new Map<string, number>(Object.entries(limits));

it.each(contract)("%s", (_, name, value) => {
  expect(held.get(name)).toBe(value);
});

it("no limit is without a promise", () => {
  expect([...held.keys()].sort()).toEqual(contract.map(([, name]) => name).sort());
});
