// Limits: every number that the product promises. Names carry units. In the comments "1" is Part 1
// of the contract, "2" Part 2 and "D" the decisions page, each followed by its section.

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const kibibyte = 1_024;
const mebibyte = 1_024 * kibibyte;

export * from "../checkout/rules/limits.ts";
export * from "../network/rules/limits.ts";
export * from "../plugin/rules/limits.ts";
export * from "../session/rules/limits.ts";
export * from "../skill/rules/limits.ts";

// Turns and Up next

/** 1 Limits, 2 Limits: of a session and of the Deploy Chat. */
export const queueSize = 20;
/** D 9. */
export const messageContentCharacters = 200_000;
/**
 * D "Sizes": of the prompt of a session or a cron in lists, searches and events. A single read
 * returns the whole prompt.
 */
export const listedPromptCharacters = 2_000;
/**
 * Of a prompt, for search. A search reads this much of every session or cron that the caller can
 * access, so it decides how long a search takes.
 */
export const searchedPromptCharacters = 4_000;
/** D "Sizes": of the events of a workspace in one frame of a socket. */
export const eventBatchBytes = mebibyte;
/** 1 Limits. */
export const attachmentCount = 10;
/** D 10: what "10 MB" means. */
export const attachmentBytes = 10_485_760;
/** 1 Limits. */
export const diffCommentsPerSend = 50;
/** The text of one review comment. */
export const reviewCommentCharacters = 20_000;
/** Of one session. */
export const reviewCommentsMax = 500;
/** The text of the lines that a review comment stores. */
export const lineSnapshotCharacters = 20_000;
/** D 9: a turn without a sign of life for this long fails. */
export const turnSilenceMs = 120 * secondMs;
/** D 9. */
export const longestTurnMs = 4 * hourMs;
/** D 10: of the read-only turns that run concurrently in one sandbox, beside the one that works. */
export const readingTurnsMax = 16;
/** The longest result of a tool for a read-only agent; longer results are cut. */
export const readingAnswerBytes = 32 * kibibyte;
/** Of the events of one turn together, each with its row of storage. */
export const turnLinkBytes = 256 * mebibyte;
/** D 5: of one tool's output in the transcript. */
export const toolOutputBytes = 32 * kibibyte;
/** Of the live pieces of one running tool's output. */
export const toolOutputPiecesPerSecond = 4;
/** Of the live pieces of a turn's running tools together. */
export const turnOutputPiecesPerSecond = 16;
/** Of one tool's output in storage, in addition to the transcript. */
export const fullToolOutputBytes = 25 * mebibyte;
/** 1 Message. */
export const clarificationOptionsMin = 2;
/** 1 Message. */
export const clarificationOptionsMax = 4;

// Sessions that agents file

/** A person's session has depth 0, and a session that its agent files depth 1. */
export const filedDepthMax = 3;
/** Of one turn. */
export const filedPerTurnMax = 20;

// Sandboxes and previews

/**
 * D 9, "Idle": after the last view, which is a preview, a file, or an event stream that a person
 * reads.
 */
export const idleBeforePauseMs = 10 * minuteMs;
/**
 * A paused main sandbox is deleted after this many days without use; a Recovery Deploy creates
 * another.
 */
export const unusedMainDays = 30;
/**
 * An ended session can no longer be woken. This many days after its end its saved work is dropped,
 * and with it the hold on its base.
 */
export const endedWorkDays = 14;
/**
 * D 9, "Idle": after its last work if nobody views it. `awayHoldMs` in the response of a preview
 * read.
 */
export const awayHoldMs = 300_000;
/** 1 Limits: a preview read responds within this time. */
export const previewWakeWaitMs = 2 * secondMs;
/**
 * 1 Limits: if another operation holds the sandbox longer, a preview read responds without
 * frontends.
 */
export const sandboxHeldWaitMs = 5 * secondMs;
/** 1 Limits. */
export const sessionsPerStopSandboxes = 50;
/** 1 Limits, D 5: of the Auth Token in a preview's URL. */
export const authTokenLifetimeMs = 15 * minuteMs;
/** 1 Limits: `lastViewedAt` is written at most this often. */
export const lastViewedAccuracyMs = 5 * minuteMs;
/** D 5: letters and digits after the `s` or `m` of a sandbox key. */
export const sandboxKeyCharacters = 16;

// Files, commits, artifacts

/** 1 Limits. */
export const filePathCharacters = 2_048;
/** 1 Limits. */
export const fileContentCharacters = 1_048_576;
/** 1 Limits. */
export const commitMessageCharactersMin = 1;
/** 1 Limits. */
export const commitMessageCharactersMax = 2_000;
/** 1 Limits. */
export const artifactUrlLifetimeMs = 24 * hourMs;
/** Of a document, a mockup or one variant of a Prototype. */
export const artifactTextBytes = 2 * mebibyte;
/** Of an image or a video. The platform's own limit of a request body is slightly higher. */
export const artifactMediaBytes = 100_000_000;
export const artifactSlugCharacters = 100;
export const artifactTitleCharacters = 200;
/** The highest version that a page may declare. */
export const artifactVersionMax = 1_000_000_000;
export const prototypeVariantsMax = 20;
/** Of a conversation on the page of its session, the newest part. */
export const pageConversationBytes = 2 * mebibyte;
export const pageConversationMessages = 100;
/** D "Sizes": of one session or run. */
export const artifactsMax = 500;
/** The newest artifacts of a session, or Prototypes of a project, that are listed. */
export const listedMax = 500;
/** How long after the start of its upload the sweep deletes a stored object without a row. */
export const unconfirmedObjectMs = 2 * hourMs;

// Usage

/** The highest limit of a workspace's month or a session, in US dollars. */
export const spendLimitUsdMax = 1_000_000;
/** The maximum number of groups in a usage report, the most expensive ones. */
export const usageGroupsMax = 1_000;

/**
 * The longest time until the usage of a response reaches the workspace. Concurrent turns may exceed
 * limits by that much.
 */
export const usageReportMs = 30 * secondMs;
/** How long a provider's report of a login's usage is cached. */
export const usageAgeMaxMs = 30 * secondMs;

// Effects of objects

/** The tries of about a quarter of an hour. After that, an effect is parked. */
export const triesBeforeParking = 20;
/** The delay before a parked effect is retried, during the first day of its failures. */
export const parkedPauseMs = 5 * minuteMs;
/** The tries of about a day. After that, a parked effect is retried less often. */
export const triesInFirstDay = 305;
/** The delay before an effect that failed for a day is retried. */
export const longParkedPauseMs = hourMs;
/** The maximum number of parked effects in a list for an operator, the oldest first. */
export const parkedListed = 100;
/** The maximum number of workspaces, or of people, in a list for an operator. */
export const operatorListed = 500;

// Requests

/** D 9. */
export const jsonBodyBytes = 2 * mebibyte;
/** D 10: of the file write route. The longest file fits in any script. */
export const fileWriteBodyBytes = 8 * mebibyte;
/**
 * The memory of an isolate of 128 MB for bodies that are read whole, and for parts on their way to
 * storage.
 */
export const bodyMemoryBytes = 64 * mebibyte;
/**
 * The maximum that the git gateway holds of a push, to see whose commits it would drop: of the
 * pack, and of the commits in it.
 */
export const pushInspectionBytes = 4 * mebibyte;
/** A push whose commits have not arrived after this time is refused. */
export const pushInspectionMs = 30 * secondMs;
/**
 * Of a fetch request, decompressed. It names the commits that the client has; this is room for
 * 160,000.
 */
export const fetchRequestBytes = 8 * mebibyte;
/** How much of a compressed git request that is refused is read and discarded, as sent. */
export const drainedBytes = 1 * mebibyte;
/**
 * The same for an uncompressed request, such as a push: git shows no reason before it has sent
 * everything.
 */
export const drainedPlainBytes = 256 * mebibyte;
/** How long such a request is read and discarded. */
export const drainMs = 60 * secondMs;
/** The timeout of a body that is read whole. */
export const bodyWaitMs = 2 * minuteMs;
/**
 * Of an error of another service, such as a code host or a model provider. The rest is not read.
 */
export const errorBodyBytes = 64 * kibibyte;
/** How long such an error is read. */
export const errorBodyMs = 10 * secondMs;
/** Of any other response of another service that is read whole. */
export const serviceResponseBytes = mebibyte;
/** Of a response of the code host. A page of 100 pull requests with the longest texts fits. */
export const codeHostResponseBytes = 16 * mebibyte;
/** The timeout of a webhook's body. Senders are programs with good network connections. */
export const webhookWaitMs = 20 * secondMs;
/** A body without a byte for this long is abandoned. */
export const bodyStallMs = 30 * secondMs;
/** D 9: of one key, and of one browser session. */
export const apiKeyRequestsPerMinute = 600;
/** Of one person, over all their API keys and browser sessions. */
export const userRequestsPerMinute = 3_000;
/**
 * Of one visitor: unknown keys, browser sessions that have expired, and webhooks with a wrong
 * signature.
 */
export const failedCredentialsPerMinute = 60;
/** Of one person: API keys of model providers that are tested before they are saved. */
export const keyTrialsPerMinute = 30;
/** 1 Limits. */
export const sharedPreviewRequestsPerMinute = 60;
/** 1 Limits. */
export const sharedArtifactRequestsPerMinute = 30;
/** D 5: how long a repeat with an `Idempotency-Key` gets the first response. */
export const idempotencyKeyLifetimeMs = 24 * hourMs;
/** 1 Limits, 2 Limits: of jobs, Deploys and crons. */
export const pageSizeDefault = 25;
/** 1 Limits, 2 Limits: larger values are reduced to this. */
export const pageSizeMax = 100;
/** D "Requests": of the end of an id, or a branch, that names a session. */
export const sessionRefCharactersMin = 6;
/** D "Pages of a conversation": user messages and blocks; larger values are reduced to this. */
export const messagePageParts = 500;
/** D "Pages of a conversation": a page with more than one part has at most this. */
export const messagePageBytes = mebibyte;
/** D "Sizes": of one filter of a list, such as the projects. */
export const filterValuesMax = 100;

// Workspaces

/** Of the workspaces that one person owns. */
export const ownedWorkspacesMax = 50;
/** Of one workspace. */
export const projectsPerWorkspace = 200;
/** Sessions of one workspace that wait in its Backlog. */
export const backlogPerWorkspace = 5_000;

/** D 11. */
export const workspaceNameCharactersMax = 100;
/** D 11. */
export const workspaceSlugCharactersMin = 2;
/** D 11. */
export const workspaceSlugCharactersMax = 40;
/** D 11: of a workspace's logo and of a user's picture. */
export const pictureBytes = 1 * mebibyte;
/** D 11. */
export const invitationLifetimeMs = 7 * dayMs;
/** D 11: of one workspace. */
export const openInvitationsMax = 500;

/**
 * Of one person, over all workspaces on the free plan that they own: session sandboxes that run
 * concurrently.
 */
export const freeSandboxesPerOwner = 6;

// Projects

/** D 11. */
export const projectNameCharactersMax = 100;
/** D 11. */
export const setupCommandsMax = 20;
/** Of the command of a setup step or of a service. */
export const projectCommandCharactersMax = 4_000;
/** D 11. */
export const servicesMax = 20;
/** Of a service, or of one of its endpoints. */
export const serviceNameCharactersMax = 40;
/** D 11: of one service. */
export const endpointsPerServiceMax = 10;
/** Of the newest output of a service that its log contains. */
export const serviceLogBytes = 256 * 1_024;
/** D 11: of a project's own environment, and of each service's. */
export const variablesMax = 200;
/** D 11: of one variable. */
export const variableValueBytes = 32 * kibibyte;
/**
 * Of all settings of a project together, as JSON. Sealed, they must fit into a row of the database.
 */
export const projectSettingsBytes = 1 * mebibyte;

// Account

/** Of one person. A new one ends the oldest. */
export const browserSessionsMax = 100;
/** How long a browser stays signed in. */
export const browserSessionMs = 30 * dayMs;
/** A shorter key of the operator could be guessed. */
export const operatorKeyCharactersMin = 32;
/** API keys of a user, and relay keys of a workspace. */
export const keysMax = 500;
/** Of the name of a user. */
export const userNameCharactersMax = 100;
/** Of an API key or a relay key. */
export const keyNameCharactersMax = 100;
/** The accuracy of an API key's `lastUsedAt`. */
export const keyUseAccuracyMs = 5 * minuteMs;
/** 2 Limits: of one provider per user. */
export const loginsPerProvider = 5;
/** 2 Limits. */
export const loginTokenLifetimeMs = 15 * minuteMs;
/** 2 Usage answer: percent. */
export const utilizationMax = 100;
/** 2 Usage answer: of the two windows. */
export const sessionUsageWindowMs = 5 * hourMs;
export const weekUsageWindowMs = 7 * dayMs;

// Push

/** Of a device token, which is written with two hexadecimal digits per byte. */
export const deviceTokenBytesMin = 16;
export const deviceTokenBytesMax = 100;
/** A notification that has not reached a device within this time is dropped. */
export const notificationLifetimeMs = 1 * hourMs;

// Crons

/** 2 Limits. */
export const cronNameCharactersMin = 1;
/** 2 Limits. */
export const cronNameCharactersMax = 100;
/** 2 Limits: the shortest time between two fires. */
export const cronFloorMs = 15 * minuteMs;
/** Of the five fields together. */
export const cronExpressionCharactersMax = 1_000;
/** D 11. */
export const cronPromptCharactersMax = 200_000;
/** D 11. */
export const cronsPerWorkspace = 1_000;
/** D "Sizes": of the rows of runs, with what belongs to them. */
export const cronRunsKeptMs = 90 * dayMs;
/** D 11: the newest missed slot still fires if it is at most this late. */
export const missedSlotRunsMs = 6 * hourMs;
/** D 11: the other missed slots within this time leave skipped runs. */
export const missedSlotRowsMs = 24 * hourMs;
/** 2 Limits: at the limit the run ends `failed`. */
export const longestCronRunMs = 60 * minuteMs;
/** A run whose object does not respond for this long is abandoned. */
export const longestCronRunOpeningMs = 2 * minuteMs;
/** A run's key expires with the run. This only limits the key of a run whose end was lost. */
export const cronRunKeyLifetimeMs = longestCronRunMs + 5 * minuteMs;
/** 2 Limits: consecutive failed runs that pause a project in a cron. */
export const failedRunsBeforePause = 5;
/** 2 Limits. */
export const runNowWaitMs = 10 * secondMs;
/** 2 Limits. */
export const diagnosticsLogBytes = 256 * kibibyte;
/** 2 Limits. */
export const diagnosticsLogLifetimeMs = 30 * dayMs;

// Activity

/** 2 Limits. */
export const activityWindowMs = 30 * dayMs;
/** 2 Limits. */
export const activityPageSizeDefault = 50;
/** 2 Limits: larger values are reduced to this. */
export const activityPageSizeMax = 200;

// Audit log

/** The default size of a page of the audit log. */
export const auditPageSizeDefault = 50;
/** The largest page of the audit log. A larger size reads as it. */
export const auditPageSizeMax = 200;
/** The number of days for which the audit log is kept. */
export const auditDays = 400;
/** The number of days for which its events are in the database. Older days are in storage. */
export const auditDaysInDatabase = 31;

// Pull requests

/** 2 Limits: an open pull request without activity for this long is stale. */
export const stalePullRequestMs = 3 * dayMs;
