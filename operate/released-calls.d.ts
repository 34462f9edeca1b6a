// The calls of objects in Switchyard 1.0.0-dev. Written by `npm run record-calls`.
export interface TurnLinkClaim {
  turnId: string;
  generation: number;
}
export interface Shape {
  type: "workspace";
}
export interface Shape2 {
  type: "member";
  userId: string;
}
export interface CallPayer {
  payer: Shape | Shape2;
  provider: "anthropic" | "kimi" | "openai" | "zai";
}
export interface CallRefused {
  type: "refused";
  code: "call_not_taken" | "call_too_large" | "call_unread" | "credit_limit_reached" | "invalid_token" | "login_client_missing" | "login_client_refused" | "login_unavailable" | "model_not_granted" | "option_not_granted" | "provider_silent" | "provider_unauthorized" | "provider_unreachable" | "service_away" | "subscription_disconnected" | "subscription_limit_reached" | "subscription_needs_reauth" | "turn_over" | "unknown_path" | "unknown_provider" | "unreadable_call";
  message: string;
}
export interface Shape3 {
  accountEmail: null | string;
  authenticatedAt: number;
  exhaustedUntil: null | number;
  expiresAt: null | number;
  fingerprint: null | string;
  id: string;
  kind: "key" | "login";
  label: string;
  maskedKey: null | string;
  needsReauth: boolean;
  ownerId: string;
  ownerType: "member" | "workspace";
  place: number;
  provider: "anthropic" | "kimi" | "openai" | "zai";
  sealed: string;
}
export interface Spend {
  limitUsd: null | number;
  spentNanoUsd: number;
}
export interface PayerLogins {
  payer: Shape | Shape2;
  person: null | string;
  isMember: boolean;
  logins: Array<Shape3>;
  spend: Spend;
  toldNanoUsd: number;
  isTurnIndexed: boolean;
}
export interface CallTokens {
  input: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
}
export interface Shape4 {
  id: string;
  tokens: CallTokens;
}
export interface CallCounter extends Rpc.RpcTargetBranded {
  answered: (answer: Shape4) => Promise<void>;
  counted: (answer: Shape4) => Promise<void>;
  cacheLogins: (logins: PayerLogins) => Promise<void>;
  __RPC_TARGET_BRAND: never;
}
export interface OpenCall {
  type: "open";
  countedNanoUsd: number;
  logins: null | PayerLogins;
  counter: CallCounter;
}
export interface AnsweredCall {
  id: string;
  workId: string;
  payer: Shape | Shape2;
  tokens: CallTokens;
  model?: undefined | null | string;
  memberId?: undefined | null | string;
}
export interface Disconnection {
  userId: string;
  provider: "anthropic" | "kimi" | "openai" | "zai";
  error: string;
}
export interface BranchEvent {
  type: "branch";
}
export interface CheckEvent {
  type: "check";
  check: string;
  sha: string;
  begunAt: number;
  changedAt: number;
  hasFailed: boolean;
}
export interface CheckoutEvent {
  type: "checkout";
  targetCommit: string;
}
export interface CodeHostAccount {
  hostUserId: string;
  login: string;
}
export interface PullRequestEvent {
  type: "pull-request";
  number: number;
  url: string;
  state: "closed" | "draft" | "merged" | "open";
  base: null | string;
  sha: string;
  mergedBy?: undefined | CodeHostAccount;
  changedAt: number;
}
export interface Mistake {
  path: string;
  message: string;
}
export interface Shape5 {
  slug: string;
}
export interface Shape6 {
  usedBytes: number;
  maxBytes: number;
}
export interface Shape8 {
  id: string;
  title: string;
  projectId: string;
}
export interface Shape7 {
  sessions: Array<Shape8>;
}
export interface Shape10 {
  sha: string;
  message: string;
}
export interface Shape9 {
  files: Array<string>;
  commits: Array<Shape10>;
}
export interface Shape12 {
  id: string;
  name: string;
}
export interface Shape11 {
  crons: Array<Shape12>;
}
export interface Shape14 {
  question: string;
  options: Array<string>;
}
export interface Shape13 {
  questions: Array<Shape14>;
}
export interface Refusal {
  code: "BAD_REQUEST" | "COMMAND_IN_FLIGHT" | "CONFLICT" | "CREDIT_LIMIT_REACHED" | "CRON_RUN_STARTING" | "DEPLOY_ACTIVE" | "DEPLOY_RESUME_UNAVAILABLE" | "FORBIDDEN" | "GONE" | "IDEMPOTENCY_KEY_REUSED" | "INTERNAL_ERROR" | "JOB_ACTIVE" | "JOB_IN_PROGRESS" | "JOB_STOPPED" | "JOB_STOPPED_TEXT_RETURNED" | "METHOD_NOT_ALLOWED" | "NOT_DEPLOYED" | "NOT_FOUND" | "PAYLOAD_TOO_LARGE" | "PROVIDER_LOGIN_DUPLICATE" | "PROVIDER_LOGIN_LIMIT" | "QUEUED_MESSAGE_CHANGED" | "QUEUED_MESSAGE_GONE" | "QUEUE_FULL" | "SANDBOX_LIMIT_REACHED" | "SANDBOX_STARTING" | "SERVICE_UNAVAILABLE" | "SESSION_CHANGED" | "SESSION_STATUS_CHANGED" | "SESSION_UNDER_REVIEW" | "SESSION_UPDATING" | "SKILL_NAME_TAKEN" | "STEER_UNAVAILABLE" | "TOO_MANY_REQUESTS" | "UNAUTHORIZED" | "UNSUPPORTED_MEDIA_TYPE" | "VALIDATION_ERROR";
  message: string;
  details?: undefined | Array<Mistake> | Shape5 | Shape6 | Shape7 | Shape9 | Shape11 | Shape13;
  retryAfterSeconds?: undefined | number;
}
export interface OpenPrDraft {
  title: string;
  body: string;
  reviewers: null | Array<string>;
  base: null | string;
}
export interface Shape15 {
  tool: "open-pull-request";
  draft: OpenPrDraft;
}
export interface Shape16 {
  tool: "ship";
  sha: string;
}
export interface ClarificationOption {
  title: string;
  description: string;
  isRecommended: boolean;
}
export interface ClarificationQuestion {
  topic: string;
  question: string;
  options: Array<ClarificationOption>;
}
export interface ToolAnswer {
  text: string;
  questions: null | Array<ClarificationQuestion>;
}
export interface TurnOwnerRpc {
  isTurnLive: (claim: TurnLinkClaim) => Promise<boolean>;
  startModelCall: (claim: TurnLinkClaim, at: CallPayer) => Promise<CallRefused | OpenCall>;
  countCall: (call: AnsweredCall) => Promise<void>;
  isOpen: () => Promise<boolean>;
  lastReadAt: () => Promise<null | number>;
  endDisconnected: (gone: Disconnection) => Promise<void>;
  handleEvent: (event: BranchEvent | CheckEvent | CheckoutEvent | PullRequestEvent) => Promise<null | Refusal>;
  checkTool: (claim: TurnLinkClaim, tool: "api" | "artifact" | "ask" | "file_session" | "find_files" | "git" | "open_pull_request" | "plan" | "project_settings" | "search" | "service_logs" | "ship" | "sync_branch") => Promise<null | Refusal>;
  runTool: (turnId: string, call: Shape15 | Shape16) => Promise<Refusal | ToolAnswer>;
  wake: () => Promise<void>;
  retryParked: () => Promise<number>;
  __DURABLE_OBJECT_BRAND: never;
}
export interface RepositoryRef {
  repository: string;
  installationId: null | number;
  repositoryId: null | number;
}
export interface CodeHostTokenRpc {
  token: (ref: RepositoryRef, refused: undefined | string) => Promise<string | Refusal>;
  nameNow: (ref: RepositoryRef) => Promise<null | string>;
  __DURABLE_OBJECT_BRAND: never;
}
export interface WebhookRepository {
  repository: string;
  repositoryId: number;
}
export interface Shape17 {
  type: "report";
  repository: WebhookRepository;
  branches: Array<string>;
  event: CheckEvent | PullRequestEvent;
}
export interface Shape18 {
  type: "check-of-branch";
  repository: WebhookRepository;
  branch: string;
  event: CheckEvent;
}
export interface Shape19 {
  type: "push";
  repository: WebhookRepository;
  branch: string;
  isForced: boolean;
}
export interface Shape20 {
  type: "renamed";
  repository: WebhookRepository;
}
export interface WebhookInboxRpc {
  keep: (delivery: string, webhook: Shape17 | Shape18 | Shape19 | Shape20) => Promise<void>;
  wake: () => Promise<void>;
  __DURABLE_OBJECT_BRAND: never;
}
export interface CronWriter {
  userId: string;
  as: "agent" | "person" | "run";
}
export interface Shape21 {
  projectId: string;
  name: string;
}
export interface NewCron {
  id: string;
  workspaceId: string;
  createdBy: string;
  writtenBy: CronWriter;
  zone: string;
  name: string;
  prompt: string;
  cronExpression: string;
  model: null | string;
  projects: Array<Shape21>;
}
export interface User {
  id: string;
  name: string;
  email: string;
  imageUrl: null | string;
}
export interface Shape22 {
  type: "member";
  user: User;
  role: null | "admin" | "member" | "owner";
}
export interface Shape23 {
  type: "lead";
  user: User;
  role: null | "admin" | "member" | "owner";
}
export interface Shape24 {
  type: "session-agent";
  sessionId: string;
  user: null | User;
  role: null | "admin" | "member" | "owner";
}
export interface Shape25 {
  type: "cron-run";
  cronId: string;
  runId: string;
  user: null | User;
  role: null | "admin" | "member" | "owner";
  writer: "agent" | "creator" | "person";
}
export interface Shape26 {
  type: "relay";
}
export interface Shape27 {
  type: "service";
}
export interface CronProjectRow {
  id: string;
  name: string;
  baseBranch: string;
  pausedAt: null | number;
  pausedReason: null | string;
  lastRunStatus: null | "cancelled" | "failed" | "running" | "skipped" | "succeeded";
}
export interface CronRow {
  id: string;
  name: string;
  prompt: string;
  isPromptCut: boolean;
  cronExpression: string;
  model: null | string;
  enabled: boolean;
  disabledReason: null | string;
  createdBy: string;
  createdByName: null | string;
  lastRunAt: null | number;
  lastRunStatus: null | "cancelled" | "failed" | "running" | "skipped" | "succeeded";
  projects: Array<CronProjectRow>;
  createdAt: number;
  updatedAt: number;
}
export interface Shape29 {
  name?: undefined | string;
  prompt?: undefined | string;
  cronExpression?: undefined | string;
  model?: undefined | null | string;
  projects?: undefined | Array<Shape21>;
  enabled?: undefined | boolean;
}
export interface Shape28 {
  changes: Shape29;
  zone: string;
  by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26 | Shape27;
}
export interface Shape30 {
  projectId: string;
  zone: string;
  by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26 | Shape27;
}
export interface RunNow {
  projectIds: null | Array<string>;
  by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26 | Shape27;
}
export interface Idempotency {
  key: string;
  bodyHash: string;
}
export interface FiredRun {
  runId: string;
  projectId: string;
  status: "cancelled" | "failed" | "queued" | "running" | "skipped" | "succeeded";
}
export interface RunBounds {
  writer: null | CronWriter;
  isAskedByAgent: boolean;
}
export interface Shape31 {
  userId: string;
  name: string;
}
export interface CronRun {
  id: string;
  cronId: string;
  cronName: string;
  workspaceId: string;
  createdBy: string;
  bounds: RunBounds;
  projectId: string;
  projectName: string;
  slot: null | number;
  model: string;
  mainSandboxKey: string;
  branch: string;
  status: "cancelled" | "failed" | "running" | "succeeded";
  error: null | string;
  errorCode: null | string;
  stopSource: null | "deadline" | "host_watch" | "member_stop" | "replaced" | "runtime_error" | "sandbox_abort";
  stoppedBy: null | Shape31;
  isCounted: boolean;
  startError: null | string;
  agentVersion: null | string;
  mainWokenAt: null | number;
  credentialsReadyAt: null | number;
  agentRequestedAt: null | number;
  createdAt: number;
  completedAt: null | number;
}
export interface CronRpc {
  create: (command: NewCron, by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26 | Shape27) => Promise<null | CronRow | Refusal>;
  change: (request: Shape28) => Promise<null | Refusal>;
  resumeProject: (request: Shape30) => Promise<null | Refusal>;
  runNow: (request: RunNow, repeat: null | Idempotency) => Promise<Array<FiredRun> | Refusal>;
  fireSlot: (slot: null | number) => Promise<Array<FiredRun> | Refusal>;
  remove: (by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26 | Shape27) => Promise<null | Refusal>;
  changeZone: (zone: string) => Promise<void>;
  deleteProject: (projectId: string) => Promise<void>;
  runEnded: (run: CronRun, summary: null | string) => Promise<void>;
  wake: () => Promise<void>;
  retryParked: () => Promise<number>;
  __DURABLE_OBJECT_BRAND: never;
}
export interface RunToBegin {
  cronId: string;
  cronName: string;
  workspaceId: string;
  createdBy: string;
  prompt: string;
  messageId: string;
  runId: string;
  projectId: string;
  projectName: string;
  slot: null | number;
  model: string;
  mainSandboxKey: string;
  branch: string;
  bounds: RunBounds;
  createdAt: number;
}
export interface RunStop {
  status: "cancelled" | "failed";
  error: null | string;
  errorCode: null | string;
  source: null | "deadline" | "host_watch" | "member_stop" | "replaced" | "runtime_error" | "sandbox_abort";
  by: null | Shape31;
}
export interface RunReport {
  run: CronRun;
  reply: string;
}
export interface Usage {
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  nanoUsd: null | number;
  payer: "member" | "workspace";
}
export interface DonePayload {
  modelTurns: number;
  toolCalls: number;
  artifacts: number;
  filedSessions: number;
  usage: null | Usage;
}
export interface RunDiagnostics {
  run: CronRun;
  firstEventAt: null | number;
  donePayload: null | DonePayload;
  log: null | string;
}
export interface Shape32 {
  seq: number;
  block: null | number;
}
export interface MessagePageRequest {
  before: null | Shape32;
  parts: number;
  turnId: null | string;
  outputCharacters: null | number;
}
export interface CronRunRpc {
  begin: (run: RunToBegin) => Promise<void>;
  start: (key: string) => Promise<void>;
  stop: (stop: RunStop) => Promise<null | Refusal>;
  read: () => Promise<null | RunReport>;
  diagnostics: () => Promise<null | RunDiagnostics>;
  messages: () => Promise<ReadableStream<Uint8Array<ArrayBufferLike>>>;
  messagePage: (request: MessagePageRequest) => Promise<string>;
  remove: () => Promise<void>;
  isTurnLive: (claim: TurnLinkClaim) => Promise<boolean>;
  startModelCall: (claim: TurnLinkClaim, at: CallPayer) => Promise<CallRefused | OpenCall>;
  countCall: (call: AnsweredCall) => Promise<void>;
  isOpen: () => Promise<boolean>;
  lastReadAt: () => Promise<null | number>;
  endDisconnected: (gone: Disconnection) => Promise<void>;
  handleEvent: (event: BranchEvent | CheckEvent | CheckoutEvent | PullRequestEvent) => Promise<null | Refusal>;
  checkTool: (claim: TurnLinkClaim, tool: "api" | "artifact" | "ask" | "file_session" | "find_files" | "git" | "open_pull_request" | "plan" | "project_settings" | "search" | "service_logs" | "ship" | "sync_branch") => Promise<null | Refusal>;
  runTool: (turnId: string, call: Shape15 | Shape16) => Promise<Refusal | ToolAnswer>;
  wake: () => Promise<void>;
  retryParked: () => Promise<number>;
  __DURABLE_OBJECT_BRAND: never;
}
export interface DeletionName {
  type: "project" | "workspace";
  id: string;
}
export interface DeletionRpc {
  begin: (name: DeletionName) => Promise<void>;
  __DURABLE_OBJECT_BRAND: never;
}
export interface Shape33 {
  cronId: string;
  runId: string;
}
export interface Notification {
  id: string;
  kind: "cron_run_failed" | "job_awaiting_response" | "job_failed" | "pr_checks_failed";
  workspaceId: string;
  projectId: null | string;
  sessionId: null | string;
  turnId: null | string;
  run: null | Shape33;
  title: string;
  userId: null | string;
  at: number;
}
export interface NotificationRpc {
  begin: (notice: Notification) => Promise<void>;
  __DURABLE_OBJECT_BRAND: never;
}
export interface ApnsTokenRpc {
  token: (refused: undefined | string) => Promise<string | Refusal>;
  __DURABLE_OBJECT_BRAND: never;
}
export interface ProjectFacts {
  projectId: string;
  workspaceId: string;
  mainSandboxKey: string;
  isLive: boolean;
  runnable: ReadonlySet<"anthropic" | "kimi" | "openai" | "zai">;
  isBlockedOnBilling: boolean;
  workspaceSpend: Spend;
}
export interface Attachment {
  id: string;
  name: string;
  mediaType: string;
  byteSize: number;
}
export interface Shape34 {
  frontendName: string;
  path: string;
}
export interface ChosenOption {
  question: string;
  option: string;
}
export interface MessageContext {
  preview: null | Shape34;
  reviewCommentIds: Array<string>;
  answers?: undefined | Array<ChosenOption>;
  writtenAt?: undefined | number;
  writer?: undefined | "agent" | "agent-for-member" | "person" | "relay";
}
export interface MessageBody {
  content: string;
  attachments: Array<Attachment>;
  context: MessageContext;
}
export interface StartRequest {
  by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26;
  opening: null | MessageBody;
  onlyIfIdle: boolean;
}
export interface Started {
  status: "awaiting_user" | "cancelled" | "creating_sandbox" | "deployed" | "failed" | "promoting" | "running_agent" | "starting_services" | "updating" | "warming" | "warming_pool";
  deployId: string;
}
export interface Answered {
  answer: Started;
  isRepeat: boolean;
}
export interface Answer {
  question: string | number;
  option: string | number;
}
export interface MessageRequest {
  by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26;
  body: MessageBody;
  answers: Array<Answer>;
  seenDeployId: null | string;
}
export interface Shape35 {
  delivery: "job";
  status: "awaiting_user" | "cancelled" | "creating_sandbox" | "deployed" | "failed" | "promoting" | "running_agent" | "starting_services" | "updating" | "warming" | "warming_pool";
  deployId: string;
}
export interface Shape36 {
  delivery: "steer";
  status: "awaiting_user" | "cancelled" | "creating_sandbox" | "deployed" | "failed" | "promoting" | "running_agent" | "starting_services" | "updating" | "warming" | "warming_pool";
  deployId: string;
  instructionId: string;
}
export interface Shape37 {
  delivery: "queued";
  queuedMessageId: string;
}
export interface Answered2 {
  answer: Shape35 | Shape36 | Shape37;
  isRepeat: boolean;
}
export interface Shape38 {
  kind: "member";
  userId: string;
  name: string;
  email: string;
  imageUrl: null | string;
}
export interface Shape39 {
  kind: "cron";
  cronId: string;
  runId: string;
}
export interface Shape40 {
  kind: "session";
  sessionId: string;
}
export interface Shape41 {
  kind: "relay";
}
export interface Shape42 {
  kind: "service";
}
export interface Instruction {
  id: string;
  author: Shape38 | Shape39 | Shape40 | Shape41 | Shape42;
  createdAt: number;
  content: string;
  attachments: Array<Attachment>;
  context: MessageContext;
}
export interface StoppedDeploy {
  cancelled: 0 | 1;
  discarded: Array<Instruction>;
}
export interface Shape43 {
  steerId: string;
}
export interface Shape44 {
  type: "delete";
  messageId: string;
  by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26 | Shape27;
}
export interface Shape45 {
  type: "move";
  messageId: string;
  by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26 | Shape27;
  toIndex: number;
}
export interface Shape46 {
  type: "edit";
  messageId: string;
  by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26 | Shape27;
  version: null | number;
  content: null | string;
  retained: null | Array<string>;
  added: Array<Attachment>;
  editing: null | boolean;
}
export interface Deploy {
  id: string;
  number: number;
  trigger: "system" | "user";
  status: "awaiting_user" | "cancelled" | "creating_sandbox" | "deployed" | "failed" | "promoting" | "running_agent" | "starting_services" | "updating" | "warming" | "warming_pool";
  error: null | string;
  sandboxKey: null | string;
  isPromoted: boolean;
  isUpdate: boolean;
  hasAgentRun: boolean;
  phaseId: string;
  phaseDueAt: null | number;
  isSwitching: boolean;
  problems: Array<string>;
  startedBy: null | Shape38 | Shape39 | Shape40 | Shape41 | Shape42;
  createdAt: number;
  startedAt: number;
  completedAt: null | number;
}
export interface LeavingSandbox {
  sandboxKey: string;
  at: number;
}
export interface Shape48 {
  sealed: string;
}
export interface Shape47 {
  [key: string]: Shape48;
}
export interface Endpoint {
  name?: undefined | string;
  port: number;
  public: boolean;
  healthPath?: undefined | string;
}
export interface ServiceSettings {
  name: string;
  command: string;
  cwd?: undefined | string;
  env?: undefined | Shape47;
  endpoints: Array<Endpoint>;
}
export interface ProjectSettings {
  setup: Array<string>;
  services: Array<ServiceSettings>;
  env: Shape47;
  warmPool?: undefined | boolean;
}
export interface SettingsDraft {
  base: ProjectSettings;
  settings: ProjectSettings;
}
export interface Pool {
  warmUntil: null | number;
  failures: number;
}
export interface Turn {
  id: string;
  number: number;
  status: "awaiting_response" | "cancelled" | "completed" | "failed" | "pending" | "running";
  error: null | string;
  errorCode: null | string;
  sender: Shape38 | Shape39 | Shape40 | Shape41 | Shape42;
  model: null | string;
  payer: null | Shape | Shape2;
  usage: null | Usage;
  conversationId: string;
  isHandover: boolean;
  generation: number;
  stopRequestedAt: null | number;
  createdAt: number;
  startedAt: null | number;
  completedAt: null | number;
}
export interface Shape49 {
  userId: string;
  until: number;
}
export interface QueuedMessage {
  content: string;
  attachments: Array<Attachment>;
  context: MessageContext;
  id: string;
  author: Shape38 | Shape39 | Shape40 | Shape41 | Shape42;
  version: number;
  editing: null | Shape49;
  createdAt: number;
}
export interface Steer {
  steerId: string;
  turnId: string;
  message: QueuedMessage;
}
export interface QueuePause {
  reason: "awaiting_response" | "cancelled" | "failed" | "under_review";
  pausedAt: number;
}
export interface NewMessage {
  id: string;
  turnId: string;
  delivery: "job" | "steer";
  author: Shape38 | Shape39 | Shape40 | Shape41 | Shape42;
  createdAt: number;
  content: string;
  attachments: Array<Attachment>;
  context: MessageContext;
}
export interface ChatState {
  turn: null | Turn;
  upNext: Array<QueuedMessage>;
  steers: Array<Steer>;
  pause: null | QueuePause;
  model: null | string;
  conversationId: string;
  clearedAt: null | number;
  endedTurn: null | Turn;
  newMessages: Array<NewMessage>;
}
export interface SystemMessage {
  deployId: string;
  content: string;
  createdAt: number;
}
export interface ProjectState {
  id: string;
  workspaceId: string;
  deploy: null | Deploy;
  replacedDeploy: null | Deploy;
  liveSandboxKey: null | string;
  leaving: Array<LeavingSandbox>;
  draft: null | SettingsDraft;
  instructions: Array<Instruction>;
  savedModel: null | string;
  turnDeployId: null | string;
  pool: Pool;
  stuckCheckout: null | string;
  isMainReclaimed: boolean;
  chat: ChatState;
  says: Array<SystemMessage>;
}
export interface Shape51 {
  id: string;
  error: null | string;
}
export interface DeployChatView {
  deploy: null | Shape51;
  status: "awaiting_user" | "cancelled" | "creating_sandbox" | "deployed" | "failed" | "idle" | "promoting" | "running_agent" | "starting_services" | "updating" | "warming" | "warming_pool";
  activeTurnId: null | string;
  lastTurnId: null | string;
  sandboxKey: null | string;
  deployModel: null | string;
  instructions: Array<Instruction>;
}
export interface Shape50 {
  view: DeployChatView;
  messages: ReadableStream<Uint8Array<ArrayBufferLike>>;
}
export interface Shape52 {
  deploys: Array<Deploy>;
  total: number;
}
export interface Shape54 {
  [key: string]: string;
}
export interface ServiceSettings2 {
  name: string;
  command: string;
  cwd?: undefined | string;
  env?: undefined | Shape54;
  endpoints: Array<Endpoint>;
}
export interface Shape53 {
  env?: undefined | Shape54;
  services?: undefined | Array<ServiceSettings2>;
  setup?: undefined | Array<string>;
}
export interface Shape56 {
  name?: undefined | string;
  port: number;
  healthPath?: undefined | string;
}
export interface ServicePlan {
  name: string;
  command: string;
  cwd?: undefined | string;
  env?: undefined | Shape54;
  endpoints: Array<Shape56>;
}
export interface Shape55 {
  services: Array<ServicePlan>;
  env: Shape54;
  hostEnv?: undefined | Shape54;
  setup: Array<string>;
}
export interface SettingsForAgent {
  shown: string;
  plan: null | Shape55;
}
export interface Shape57 {
  sandboxKey: string;
  reason: null | string;
}
export interface Shape58 {
  isBlockedOnBilling: boolean;
  projectId: string;
  workspaceId: string;
  mainSandboxKey: string;
  isLive: boolean;
}
export interface Shape59 {
  projectId: string;
  workspaceId: string;
  mainSandboxKey: string;
  isLive: boolean;
}
export interface Shape60 {
  removed: true;
}
export interface Shape61 {
  removed: false;
  dueAt: number;
}
export interface ProjectRpc {
  isTurnLive: (claim: TurnLinkClaim) => Promise<boolean>;
  startModelCall: (claim: TurnLinkClaim, at: CallPayer) => Promise<CallRefused | OpenCall>;
  countCall: (call: AnsweredCall) => Promise<void>;
  isOpen: () => Promise<boolean>;
  lastReadAt: () => Promise<null | number>;
  endDisconnected: (gone: Disconnection) => Promise<void>;
  handleEvent: (event: BranchEvent | CheckEvent | CheckoutEvent | PullRequestEvent) => Promise<null | Refusal>;
  checkTool: (claim: TurnLinkClaim, tool: "api" | "artifact" | "ask" | "file_session" | "find_files" | "git" | "open_pull_request" | "plan" | "project_settings" | "search" | "service_logs" | "ship" | "sync_branch") => Promise<null | Refusal>;
  runTool: (turnId: string, call: Shape15 | Shape16) => Promise<Refusal | ToolAnswer>;
  wake: () => Promise<void>;
  retryParked: () => Promise<number>;
  start: (facts: ProjectFacts, request: StartRequest, repeat: null | Idempotency) => Promise<Answered | Refusal>;
  send: (facts: ProjectFacts, request: MessageRequest, repeat: null | Idempotency) => Promise<Answered2 | Refusal>;
  cancel: (facts: ProjectFacts, by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26 | Shape27) => Promise<Refusal | StoppedDeploy>;
  sendQueued: (facts: ProjectFacts, messageId: string, by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26 | Shape27, repeat: null | Idempotency) => Promise<Refusal | Shape35 | Shape36 | Shape37>;
  steer: (messageId: string, by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26 | Shape27, repeat: null | Idempotency) => Promise<Refusal | Shape43>;
  resumeQueue: (facts: ProjectFacts, by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26 | Shape27, repeat: null | Idempotency) => Promise<null | Refusal>;
  updateQueue: (change: Shape44 | Shape45 | Shape46) => Promise<null | Refusal>;
  chooseModel: (facts: ProjectFacts, model: string, by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26 | Shape27) => Promise<string | Refusal>;
  read: () => Promise<null | ProjectState>;
  deployChat: (facts: ProjectFacts) => Promise<Shape50>;
  deploys: (page: number, pageSize: number) => Promise<Shape52>;
  readDraft: (sandboxKey: string) => Promise<null | SettingsDraft>;
  resealDraft: () => Promise<void>;
  settingsForAgent: (claim: TurnLinkClaim, change: Shape53) => Promise<Refusal | SettingsForAgent>;
  sessionStarted: () => Promise<void>;
  spareReturned: () => Promise<void>;
  settingsChanged: () => Promise<void>;
  targetMoved: () => Promise<void>;
  recordFollowed: (outcome: Shape57) => Promise<void>;
  recover: (facts: Shape58, lostKey: string) => Promise<boolean>;
  reclaimMain: (facts: Shape59) => Promise<Shape60 | Shape61>;
  remove: () => Promise<void>;
  __DURABLE_OBJECT_BRAND: never;
}
export interface LoginOwner {
  type: "member" | "workspace";
  id: string;
}
export interface LoginName {
  owner: LoginOwner;
  provider: "anthropic" | "kimi" | "openai" | "zai";
  id: string;
}
export interface Shape62 {
  type: "refreshed";
  accessToken: string;
  sealed: string;
}
export interface Shape63 {
  type: "needs-reauth";
}
export interface Shape64 {
  type: "no-client";
}
export interface Shape65 {
  type: "client-refused";
}
export interface Shape66 {
  type: "unavailable";
}
export interface UsageWindow {
  utilization: number;
  resetsAt: null | number;
}
export interface SubscriptionUsage {
  session: UsageWindow;
  week: null | UsageWindow;
  month?: undefined | UsageWindow;
}
export interface Shape67 {
  type: "usage";
  usage: SubscriptionUsage;
  fetchedAt: number;
}
export interface Shape68 {
  type: "refused";
}
export interface Shape69 {
  type: "unavailable";
}
export interface SignInAnswer {
  authenticated: boolean;
  restart?: undefined | true;
  intervalSeconds?: undefined | number;
}
export interface ProviderLoginRpc {
  refresh: (name: LoginName, seen: string) => Promise<Shape62 | Shape63 | Shape64 | Shape65 | Shape66>;
  usage: (name: LoginName) => Promise<Shape67 | Shape68 | Shape69>;
  reseal: (name: LoginName) => Promise<null | string>;
  finishSignIn: (tokenHash: string, pasted: null | string) => Promise<Refusal | SignInAnswer>;
  __DURABLE_OBJECT_BRAND: never;
}
export interface TurnOwner {
  type: "cron-run" | "project" | "session";
  id: string;
  cronId?: undefined | string;
}
export interface SandboxOwner {
  type: "main" | "session" | "spare";
  id: string;
  workspaceId: string;
  projectId: string;
  branch: string;
  baseBranch: string;
  isFresh?: undefined | boolean;
}
export interface Shape70 {
  provider: "anthropic" | "kimi" | "openai" | "zai";
  wire: "anthropic-messages" | "openai-responses";
  id: string;
  effort: string;
  speed: null | string;
  contextWindow: number;
  maxOutputTokens: number;
  acceptsImages: boolean;
}
export interface SkillCall {
  name: string;
  argument: string;
}
export interface RequestedSkill {
  bodyKey: string;
  name: string;
  hash: string;
}
export interface RequestedPlugin {
  id: string;
  bodyKey: string;
  userId: string;
  name: string;
  hash: string;
  hasFailed: boolean;
}
export interface AgentProfile {
  tools: Array<"api" | "artifact" | "ask" | "file_session" | "find_files" | "git" | "open_pull_request" | "plan" | "project_settings" | "search" | "service_logs" | "ship" | "sync_branch">;
  writes: boolean;
  git: "fetch" | "none" | "push";
  skills: Array<"factory" | "project">;
  skillsElsewhere?: undefined | Array<string>;
  keepsLog?: undefined | boolean;
  instructions: string;
}
export interface AttachedFile {
  id: string;
  name: string;
  mediaType: string;
  byteSize: number;
  url: string;
}
export interface Shape71 {
  id: string;
  isNew: boolean;
  handover: null | string;
}
export interface TurnRequest {
  owner: TurnOwner;
  sandboxOwner: SandboxOwner;
  turnId: string;
  model: Shape70;
  payer: Shape | Shape2;
  prompt: string;
  skill: null | SkillCall;
  skills?: undefined | Array<RequestedSkill>;
  plugins?: undefined | Array<RequestedPlugin>;
  answers: null | Array<ChosenOption>;
  profile: AgentProfile;
  attachments: Array<AttachedFile>;
  agentToken: string;
  conversation: Shape71;
}
export interface HandoverPhases {
  runningAt: number;
  credentialsReadyAt: number;
  requestedAt: number;
}
export interface Shape72 {
  taken: true;
  phases: HandoverPhases;
}
export interface Shape73 {
  taken: false;
  conversationMissing: true;
}
export interface Shape74 {
  taken: false;
  conversationMissing: false;
  error: string;
}
export interface CompactionRequest {
  owner: TurnOwner;
  sandboxOwner: SandboxOwner;
  commandId: string;
  model: Shape70;
  payer: Shape | Shape2;
  conversationId: string;
  profile: AgentProfile;
  focus: string;
}
export interface Compacted {
  compacted: boolean;
}
export interface Shape75 {
  sandbox: "gone" | "running" | "starting" | "unknown";
  sandboxGeneration?: undefined | number;
  sandboxRunningSince?: undefined | null | number;
}
export interface SandboxUp {
  generation: number;
  setupFailure: null | string;
}
export interface Followed {
  head: null | string;
  moved: boolean;
  setupFailure?: undefined | string;
}
export interface Shape76 {
  name: string;
  endpoints: Array<Endpoint>;
}
export interface SandboxLayout {
  services: null | Array<Shape76>;
  isResetting: boolean;
}
export interface ServiceExit {
  code: null | number;
  how: string;
}
export interface ServiceRun {
  ageMs: null | number;
  isDone: boolean;
  restarts: number;
  lastExit: null | ServiceExit;
  logEnd: string;
}
export interface ServiceStatus {
  name: string;
  answers: null | boolean;
  answeringPorts: Array<number>;
  run: null | ServiceRun;
}
export interface SandboxStatus {
  state: "absent" | "creating" | "gone" | "paused" | "pausing" | "resuming" | "running";
  generation: number;
  resumesOnVisit: boolean;
  isResetting: boolean;
  services: null | Array<ServiceStatus>;
  layout: null | Array<Shape76>;
}
export interface NetworkInForce {
  mode: "closed" | "hosts" | "open";
  hosts: Array<string>;
  strict: boolean;
}
export interface SeenHost {
  host: string;
  port: number;
  isAllowed: boolean;
  count: number;
}
export interface HeldNetwork {
  network: NetworkInForce;
  seen: Array<SeenHost>;
}
export interface Shape77 {
  type: "files" | "skills" | "uncommitted";
}
export interface Shape78 {
  type: "changes" | "log" | "state";
  base: string;
  kept?: undefined | boolean;
}
export interface Shape79 {
  type: "patch";
  base: string;
  path: null | string;
  kept?: undefined | boolean;
}
export interface LineAnchor {
  filePath: string;
  side: "new" | "old";
  startLineNumber: number;
  endLineNumber: number;
}
export interface Shape80 {
  type: "lines";
  base: string;
  anchors: Array<LineAnchor>;
}
export interface Shape81 {
  name: string;
  type: "file";
  path: string;
  size: number;
  lastModified: string;
}
export interface Shape82 {
  name: string;
  type: "directory";
  path: string;
  children: Array<Shape81 | Shape82>;
}
export interface FileTree {
  files: Array<Shape81 | Shape82>;
}
export interface SkillListing {
  name: string;
  description: string;
  argumentHint: null | string;
}
export interface CheckoutSkills {
  skills: Array<SkillListing>;
}
export interface GitState {
  hasUncommittedChanges: boolean;
  hasUnpushedCommits: boolean;
  hasCommitsAheadOfBase: boolean;
}
export interface ChangedFile {
  path: string;
  previousPath: null | string;
  status: "added" | "deleted" | "modified" | "renamed";
  additions: number;
  deletions: number;
  isBinary: boolean;
  committed: boolean;
}
export interface GitChanges {
  files: Array<ChangedFile>;
}
export interface GitPatch {
  patch: string;
  isCut: boolean;
}
export interface Shape83 {
  sha: string;
  message: string;
  author: string;
  committedAt: string;
}
export interface GitLog {
  commits: Array<Shape83>;
}
export interface AnchoredLines {
  texts: Array<null | string>;
}
export interface CheckoutAnswer {
  files?: undefined | FileTree;
  skills?: undefined | CheckoutSkills;
  state?: undefined | GitState;
  changes?: undefined | GitChanges;
  patch?: undefined | GitPatch;
  log?: undefined | GitLog;
  lines?: undefined | AnchoredLines;
  asOf?: undefined | number;
}
export interface FileWrite {
  path: string;
  content: string;
}
export interface Shape84 {
  name: string;
  email: string;
}
export interface GitCommitted {
  sha: string;
}
export interface SandboxRpc {
  startTurn: (request: TurnRequest) => Promise<Shape72 | Shape73 | Shape74>;
  stopTurn: (turnId: string) => Promise<boolean>;
  release: (turnId: string) => Promise<void>;
  discard: (generation: number) => Promise<void>;
  compact: (request: CompactionRequest) => Promise<Compacted | Refusal>;
  stopGracefully: () => Promise<null | number>;
  hasStopped: (generation: number) => Promise<boolean>;
  destroy: () => Promise<void>;
  isGenerationAlive: (generation: number) => Promise<boolean>;
  isContainerWanted: (generation: null | number) => Promise<boolean>;
  probe: () => Promise<Shape75>;
  bringUp: (owner: SandboxOwner) => Promise<Refusal | SandboxUp>;
  isLost: () => Promise<boolean>;
  reclaim: () => Promise<Shape60 | Shape61>;
  followBase: (owner: SandboxOwner) => Promise<"asleep" | Followed | Refusal>;
  checkLife: () => Promise<void>;
  retryParked: () => Promise<number>;
  deleteWork: () => Promise<void>;
  wakeForPreview: (owner: SandboxOwner) => Promise<"held" | "lost" | "running" | "starting" | Refusal>;
  layout: () => Promise<SandboxLayout>;
  explainUnreachable: (visited: null | SandboxOwner) => Promise<"ended" | "paused" | "refused" | "silent" | "starting" | "unable" | "unknown">;
  status: () => Promise<SandboxStatus>;
  findNetwork: () => Promise<null | HeldNetwork>;
  readCheckout: (question: Shape77 | Shape78 | Shape79 | Shape80) => Promise<CheckoutAnswer | Refusal>;
  readFile: (path: string, asleep: string) => Promise<string | Refusal>;
  writeFile: (write: FileWrite, asleep: string) => Promise<null | Refusal>;
  commit: (owner: SandboxOwner, message: string, author: Shape84) => Promise<GitCommitted | Refusal>;
  push: (owner: SandboxOwner, memberId: null | string) => Promise<null | Refusal>;
  serviceLog: (name: string, asleep: string) => Promise<string | Refusal>;
  reset: () => Promise<null | Refusal>;
  refreshSettings: (owner: SandboxOwner) => Promise<null | Refusal>;
  saveSettings: (settings: ProjectSettings) => Promise<void>;
  warm: () => Promise<void>;
  saveWork: () => Promise<void>;
  __DURABLE_OBJECT_BRAND: never;
}
export interface ContainerRpc {
  startProgram: (secret: string, network: NetworkInForce) => Promise<void>;
  endProgram: () => Promise<void>;
  isRunning: () => Promise<boolean>;
  findNetwork: () => Promise<null | HeldNetwork>;
  recordSeen: (seen: SeenHost) => Promise<void>;
  __DURABLE_OBJECT_BRAND: never;
}
export interface Shape85 {
  kind: "member";
  userId: string;
  name: string;
  imageUrl: null | string;
}
export interface Shape86 {
  kind: "service";
}
export interface NewSession {
  id: string;
  workspaceId: string;
  projectId: string;
  title: string;
  prompt: null | string;
  status: "active" | "backlog";
  priority: "high" | "low" | "medium" | "none" | "urgent";
  model: null | string;
  targetBranch: string;
  sandboxKey: string;
  conversationId: string;
  assignee: null | Shape85 | Shape86;
  spendLimitUsd?: undefined | null | number;
  filedDepth?: undefined | number;
}
export interface SessionVersion {
  status: string;
  branch: null | string;
  model: null | string;
  assignee: null | string;
  conversationId: string;
  runningTurnId: null | string;
}
export interface Shape88 {
  body: MessageBody;
  model: null | string;
  answers?: undefined | Array<Answer>;
  retriedTurnId: null | string;
  runningTurnId: null | string;
  seen: null | SessionVersion;
  steers?: undefined | boolean;
}
export interface WorkFacts {
  isSandboxLimited: boolean;
  hasSpare: boolean;
  runnable: ReadonlySet<"anthropic" | "kimi" | "openai" | "zai">;
  subscribed: ReadonlySet<"anthropic" | "kimi" | "openai" | "zai">;
  assigneeDefaultModel: null | string;
  workspaceDefaultModel: null | string;
  workspaceSpend: Spend;
  sandbox: null | "running" | "starting";
  isHeldUp: boolean;
  isBlockedOnBilling: boolean;
}
export interface FirstMessage {
  request: Shape88;
  facts: WorkFacts;
}
export interface Shape87 {
  by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26;
  first: null | FirstMessage;
}
export interface Shape89 {
  id: string;
  workspaceId: string;
  projectId: string;
  title: string;
  prompt: null | string;
  status: "active" | "archived" | "backlog" | "completed" | "under-review";
  priority: "high" | "low" | "medium" | "none" | "urgent";
  spendLimitUsd: null | number;
  branch: null | string;
  targetBranch: string;
  sandboxKey: string;
  assignee: null | Shape85 | Shape86;
  createdBy: null | string;
  filedBy: null | Shape39 | Shape40 | Shape41;
  prUrl: null | string;
  prNumber: null | number;
  prState: null | "closed" | "draft" | "merged" | "open";
  prBase: null | string;
  isBehind: boolean;
  createdAt: number;
  updatedAt: number;
  startedAt: null | number;
  endedAt: null | number;
  model: null | string;
  isPromptCut: boolean;
}
export interface Shape90 {
  id: string;
  number: number;
  status: "awaiting_response" | "cancelled" | "completed" | "failed" | "pending" | "running";
}
export interface SessionSummary {
  session: Shape89;
  turn: null | Shape90;
  waiting: number;
  pause: null | QueuePause;
  needsYou: null | "awaiting_response" | "behind" | "checks_failed" | "job_failed" | "queue_paused";
}
export interface Shape91 {
  delivery: "job";
  turnId: string;
  turnNumber: number;
}
export interface Shape92 {
  delivery: "queued";
  queuedMessageId: string;
}
export interface StartResult {
  session: SessionSummary;
  delivery: null | Shape91 | Shape92;
}
export interface Shape93 {
  by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26;
  model: null | string;
  answers?: undefined | Array<Answer>;
  retriedTurnId: null | string;
  runningTurnId: null | string;
  seen: null | SessionVersion;
  steers?: undefined | boolean;
}
export interface Filing {
  turnId: string;
  filedId: string;
}
export interface Shape94 {
  filedDepth: number;
}
export interface Shape96 {
  hasFailed: boolean;
  changedAt: number;
}
export interface Shape95 {
  [key: string]: Shape96;
}
export interface PullRequestReport {
  changedAt: number;
  sha: string;
  shaAt: number;
  checks: Shape95;
  verdict?: undefined | "failed" | "passed";
  staleSince?: undefined | number;
  mergedBy?: undefined | CodeHostAccount;
}
export interface UnclearName {
  name: string;
  isShared: boolean;
  logins: Array<string>;
}
export interface Shape97 {
  from: string;
  to: string;
}
export interface PendingPullRequest {
  title: string;
  body: string;
  evidence: Array<string>;
  isDraft: boolean;
  base: null | string;
  askedAt: number;
  logins: Array<string>;
  unclear: Array<UnclearName>;
  moved: null | Shape97;
}
export interface OpenPrTask {
  turnId: string;
  isDraft: boolean;
  evidence: Array<string>;
  stage: "asking" | "opened" | "opening" | "refused";
  reason: null | string;
  pending: null | PendingPullRequest;
}
export interface Shipping {
  turnId: string;
  sha: null | string;
  hasFailedCheck?: undefined | true;
  isRefused?: undefined | true;
}
export interface RuntimeCommandRun {
  id: string;
  command: "/clear" | "/compact";
  instructions: null | string;
  status: "completed" | "failed" | "running";
  error: null | string;
  startedAt: number;
}
export interface Session {
  id: string;
  workspaceId: string;
  projectId: string;
  title: string;
  prompt: null | string;
  promptWriter: null | "agent" | "agent-for-member" | "person" | "relay";
  status: "active" | "archived" | "backlog" | "completed" | "under-review";
  priority: "high" | "low" | "medium" | "none" | "urgent";
  spendLimitUsd: null | number;
  branch: null | string;
  targetBranch: string;
  sandboxKey: string;
  assignee: null | Shape85 | Shape86;
  createdBy: null | string;
  filedBy: null | Shape39 | Shape40 | Shape41;
  filedDepth: number;
  prUrl: null | string;
  prNumber: null | number;
  prState: null | "closed" | "draft" | "merged" | "open";
  prBase: null | string;
  isBehind: boolean;
  targetCommit: null | string;
  prReport: null | PullRequestReport;
  openPr: null | OpenPrTask;
  ship: null | Shipping;
  command: null | RuntimeCommandRun;
  createdAt: number;
  updatedAt: number;
  startedAt: null | number;
  endedAt: null | number;
}
export interface SessionState {
  session: Session;
  chat: ChatState;
}
export interface SessionChanges {
  title?: undefined | string;
  prompt?: undefined | null | string;
  priority?: undefined | "high" | "low" | "medium" | "none" | "urgent";
  assignee?: undefined | null | Shape85 | Shape86;
  status?: undefined | "active" | "archived" | "backlog" | "completed" | "under-review";
  model?: undefined | string;
  targetBranch?: undefined | string;
  spendLimitUsd?: undefined | null | number;
}
export interface Shape98 {
  runnable: ReadonlySet<"anthropic" | "kimi" | "openai" | "zai">;
}
export interface SendRequest {
  steers?: undefined | boolean;
  body: MessageBody;
  by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26;
  model: null | string;
  answers?: undefined | Array<Answer>;
  retriedTurnId: null | string;
  runningTurnId: null | string;
  seen: null | SessionVersion;
}
export interface Sent {
  delivery: Shape91 | Shape92;
  steerId: null | string;
  isRepeat: boolean;
}
export interface Shape99 {
  steerId: string;
}
export interface Shape100 {
  turns: Array<Turn>;
  total: number;
}
export interface Shape101 {
  settled: boolean;
}
export interface Shape102 {
  command: "/clear" | "/compact";
  instructions: null | string;
  sandbox: null | "running" | "starting";
  isHeldUp: boolean;
  by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26 | Shape27;
}
export interface Shape103 {
  type: "list";
}
export interface CommentText {
  filePath: string;
  side: "new" | "old";
  startLineNumber: number;
  endLineNumber: number;
  body: string;
  lineSnapshot: string;
}
export interface Shape104 {
  type: "add";
  text: CommentText;
  by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26;
}
export interface CommentChange {
  body?: undefined | string;
  resolved?: undefined | boolean;
}
export interface Shape105 {
  type: "change";
  commentId: string;
  change: CommentChange;
  by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26 | Shape27;
}
export interface Shape106 {
  type: "note-lines";
  texts: Shape54;
}
export interface Shape107 {
  type: "remove";
  commentId: string;
  by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26 | Shape27;
}
export interface ReviewComment {
  id: string;
  resolved: boolean;
  outdated: boolean;
  author: Shape38 | Shape39 | Shape40 | Shape41 | Shape42;
  createdAt: number;
  updatedAt: number;
  filePath: string;
  side: "new" | "old";
  startLineNumber: number;
  endLineNumber: number;
  body: string;
  lineSnapshot: string;
}
export interface CommitRequest {
  by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26 | Shape27;
  owner: Refusal | SandboxOwner;
  message: string;
  author: Shape84;
}
export interface PushRequest {
  owner: SandboxOwner;
  userId: null | string;
}
export interface Shape108 {
  answer: string;
}
export interface BranchMove {
  oldId: string;
  newId: string;
}
export interface BranchHeads {
  own: ReadonlyArray<string>;
  others: null | string;
}
export interface SessionRpc {
  isTurnLive: (claim: TurnLinkClaim) => Promise<boolean>;
  startModelCall: (claim: TurnLinkClaim, at: CallPayer) => Promise<CallRefused | OpenCall>;
  countCall: (call: AnsweredCall) => Promise<void>;
  isOpen: () => Promise<boolean>;
  lastReadAt: () => Promise<null | number>;
  endDisconnected: (gone: Disconnection) => Promise<void>;
  handleEvent: (event: BranchEvent | CheckEvent | CheckoutEvent | PullRequestEvent) => Promise<null | Refusal>;
  checkTool: (claim: TurnLinkClaim, tool: "api" | "artifact" | "ask" | "file_session" | "find_files" | "git" | "open_pull_request" | "plan" | "project_settings" | "search" | "service_logs" | "ship" | "sync_branch") => Promise<null | Refusal>;
  runTool: (turnId: string, call: Shape15 | Shape16) => Promise<Refusal | ToolAnswer>;
  wake: () => Promise<void>;
  retryParked: () => Promise<number>;
  begin: (command: NewSession, start: Shape87, repeat: null | Idempotency) => Promise<Refusal | StartResult>;
  activate: (request: Shape93, facts: WorkFacts, repeat: null | Idempotency) => Promise<Refusal | StartResult>;
  fileSession: (filing: Filing) => Promise<Refusal | Shape94>;
  read: () => Promise<Refusal | SessionState>;
  claimSpare: () => Promise<null | string>;
  forgetLogins: () => Promise<void>;
  version: () => Promise<Refusal | SessionVersion>;
  update: (changes: SessionChanges, by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26 | Shape27, models: Shape98) => Promise<Refusal | SessionState>;
  remove: (by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26 | Shape27) => Promise<null | Refusal>;
  send: (request: SendRequest, facts: WorkFacts, repeat: null | Idempotency) => Promise<Refusal | Sent>;
  sendQueued: (messageId: string, by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26 | Shape27, facts: WorkFacts, repeat: null | Idempotency) => Promise<Refusal | Shape91 | Shape92>;
  steer: (messageId: string, by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26 | Shape27, repeat: null | Idempotency) => Promise<Refusal | Shape99>;
  resumeQueue: (by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26 | Shape27, facts: WorkFacts, repeat: null | Idempotency) => Promise<null | Refusal>;
  updateQueue: (change: Shape44 | Shape45 | Shape46) => Promise<null | Refusal>;
  turn: (turnId: string) => Promise<null | Turn>;
  turns: (page: number, pageSize: number) => Promise<Shape100>;
  cancel: (turnId: string, by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26 | Shape27) => Promise<Refusal | Shape101>;
  runCommand: (request: Shape102, repeat: null | Idempotency) => Promise<Refusal | RuntimeCommandRun>;
  messages: () => Promise<ReadableStream<Uint8Array<ArrayBufferLike>>>;
  toolOutput: (turnId: string, place: number) => Promise<null | string>;
  messagePage: (request: MessagePageRequest) => Promise<string>;
  newestMessages: () => Promise<string>;
  reviewComments: (command: Shape103 | Shape104 | Shape105 | Shape106 | Shape107, repeat: undefined | null | Idempotency) => Promise<Array<ReviewComment> | Refusal>;
  commit: (request: CommitRequest, repeat: null | Idempotency) => Promise<GitCommitted | Refusal>;
  push: (request: PushRequest, repeat: null | Idempotency) => Promise<null | Refusal>;
  findResult: (repeat: Idempotency) => Promise<null | Refusal | Shape108>;
  saveResult: (first: Idempotency, result: string) => Promise<void>;
  branchHeads: (moved: null | BranchMove) => Promise<BranchHeads>;
  stopSandbox: (by: Shape22 | Shape23 | Shape24 | Shape25 | Shape26 | Shape27) => Promise<boolean>;
  __DURABLE_OBJECT_BRAND: never;
}
export interface SweepRpc {
  tick: (name: "activity" | "alarms of crons" | "alarms of projects" | "alarms of sessions" | "changed timezones" | "creates" | "cron runs" | "crons" | "ended work" | "marketplaces" | "missed webhooks" | "notices" | "old slots" | "removals" | "sign-ins" | "silent turns" | "stale seals" | "unconfirmed objects" | "unused bases" | "unused main sandboxes", now: number) => Promise<void>;
  __DURABLE_OBJECT_BRAND: never;
}
export interface Shape110 {
  kind: "lead";
}
export interface Shape111 {
  kind: "session";
  sessionId: string;
}
export interface Shape112 {
  kind: "cron";
  cronId: string;
  runId: string;
}
export interface Shape113 {
  [key: string]: unknown;
}
export interface FeedEvent {
  seq: number;
  id: string;
  workspaceId: string;
  workspaceName: string;
  projectId: null | string;
  projectName: null | string;
  sessionId: null | string;
  isSessionThere: boolean;
  kind: "branch_behind" | "cron_created" | "cron_deleted" | "cron_run_failed" | "cron_run_succeeded" | "cron_updated" | "job_awaiting_response" | "member_invited" | "member_removed" | "member_role_changed" | "pr_checks_failed" | "pr_checks_passed" | "pr_merged" | "pr_stale" | "session_archived" | "session_assigned" | "session_deleted" | "session_message_sent" | "session_priority_changed" | "session_started" | "session_status_changed";
  actorId: null | string;
  actorName: null | string;
  actorImageUrl: null | string;
  source: null | Shape110 | Shape111 | Shape112;
  subject: null | string;
  payload: Shape113;
  createdAt: number;
  seenSeq: number;
}
export interface Shape109 {
  type: "activity";
  event: FeedEvent;
}
export interface Shape114 {
  type: "session-changed";
  summary: SessionSummary;
}
export interface Shape115 {
  type: "session-deleted";
  sessionId: string;
  projectId: string;
}
export interface Shape116 {
  userId: string;
}
export interface Shape117 {
  keyId: string;
}
export interface Shape118 {
  projectId: string;
}
export interface WorkspaceEventsRpc {
  tell: (events: Array<Shape109 | Shape114 | Shape115>) => Promise<void>;
  end: (of: "all" | Shape116 | Shape117 | Shape118) => Promise<void>;
  __DURABLE_OBJECT_BRAND: never;
}
