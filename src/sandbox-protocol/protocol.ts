// The protocol between the service and the sandbox program: the program's HTTP interface, and the
// turn link, which the program opens. The file has only types and constants, so that both sides can
// import it.
import type { AgentProfile } from "../chat/rules/agent-profile.ts";
import type { Block } from "../chat/rules/block.ts";
import type { ChosenOption } from "../chat/rules/message.ts";
import type { ServiceStatus } from "../preview/rules/preview.ts";
import type { SkillCall } from "../skill/rules/skill-call.ts";
import type { GivenPlugin, GivenSkill } from "./requests.ts";

export type * from "./checkout-query.ts";
export type * from "./requests.ts";

/**
 * Paths of the program's HTTP interface. Every call carries `Authorization: Bearer <the sandbox's
 * own secret>`. The paths for the status, the services, the work and the stop of a turn mean the
 * same in every version, so that a program of any other version can finish, be saved and be ended.
 */
export const programPaths = {
  /** GET → ProgramStatus. */
  status: "/status",
  /** PUT Checkout → CheckedOut. Clones if there is no checkout yet. Idempotent. */
  checkout: "/checkout",
  /** GET → SetupOutput. Responds while a checkout runs. */
  setupOutput: "/checkout/setup-output",
  /**
   * POST Checkout → Followed. Moves the checkout to the newest commit of its base branch. Excludes
   * turns, as a commit does.
   */
  followTargetBranch: "/checkout/follow",
  /**
   * PUT ServicesPlan → 204. Starts, replaces or restarts the project's services. Does not wait
   * until they respond.
   */
  services: "/services",
  /** GET ?name=&after=<offset> → ServiceLog. */
  serviceLog: "/services/log",
  /**
   * POST TurnStart → 202. Idempotent. 409 TURN_RUNNING while another turn may change the checkout,
   * or while 16 read-only turns run.
   */
  turns: "/turns",
  /** POST → 204 once the turn has no agent and no processes. */
  stopTurn: (turnId: string) => `/turns/${turnId}/stop`,
  /**
   * POST Compaction → Compacted, once the agent's conversation is summarized. No turn may run
   * meanwhile: 409 TURN_RUNNING.
   */
  compactions: "/compactions",
  /** GET ?path= → FileContent; PUT FileWrite → 204. */
  file: "/files/content",
  /** GET → FileTree. */
  files: "/files",
  /** GET → CheckoutSkills. */
  skills: "/skills",
  /** GET ?base=<branch> → GitState. */
  gitState: "/git/state",
  /** GET ?base=<branch> → GitChanges. */
  gitChanges: "/git/changes",
  /** GET ?base=<branch> → GitPatch; with &path=, of only one file or folder. */
  gitPatch: "/git/patch",
  /** GET → GitPatch of the uncommitted changes, cut to the length that a model reads. */
  gitUncommitted: "/git/uncommitted",
  /** GET ?base=<branch> → GitLog. */
  gitLog: "/git/log",
  /** POST BranchFetch → 204. Fetches a remote branch that the checkout does not track. */
  gitBranch: "/git/branch",
  /** POST LineAnchors → AnchoredLines. */
  gitLines: "/git/lines",
  /**
   * POST GitCommit → GitCommitted. 409 TURN_RUNNING while a turn may change the checkout. A turn
   * that starts meanwhile waits for the commit.
   */
  gitCommit: "/git/commit",
  /**
   * GET ?have=<commit>&known=<id> → a git bundle with `workRef`, its id in `etag`; 304 if the id is
   * the known one. PUT the bundle ?expected=<id> → WorkState. Excludes turns, as a commit does.
   */
  gitWork: "/git/work",
  /** POST GitPush → 204. Excludes turns, as a commit does. */
  gitPush: "/git/push",
  /**
   * GET ?base=<id>&id=<id of this save>&known=<id of an earlier save> → the sandbox's work as one
   * layer, on top of that base if the sandbox was made from it; 304 if it is unchanged since the
   * known save. PUT the layer into an empty sandbox → WorkRestored.
   */
  work: "/archive",
  /**
   * GET ?id=<a new id> → the sandbox's contents as a base. PUT the base ?beneathWork=<boolean> →
   * 204; true if the work was restored before. With `early`, 200 once the checkout is in place, and
   * a body once the rest is: null, or a ProgramRefusal, and the program ends.
   */
  base: "/archive/base",
} as const;

/** A refusal of the program: a non-2xx status with this body. */
export interface ProgramRefusal {
  code: ProgramRefusalCode;
  /** For people; contains no secret. */
  message: string;
}

export const programRefusalCodes = [
  "BAD_CALL",
  "UNAUTHORIZED",
  "NOT_FOUND",
  "OUTSIDE_PROJECT",
  "BINARY_CONTENT",
  "LIST_TOO_LONG",
  "WRITE_FAILED",
  "NO_CHECKOUT",
  "TURN_RUNNING",
  /** The platform has asked the program to end, so no turn can start there. */
  "LEAVING",
  /** Returned by the service itself: the program's version is not understood. */
  "OUTDATED",
  "CONVERSATION_MISSING",
  "COMPACTION_FAILED",
  "GIT_REFUSED",
  "REMOTE_SILENT",
  "SETUP_FAILED",
  "NOTHING_TO_COMMIT",
  /** The file is not as the caller has seen it. */
  "FILE_CHANGED",
  /** The work is not the one that the caller has seen. */
  "WORK_CHANGED",
  "ARCHIVE_UNREADABLE",
  "UNSAVABLE",
  "INTERNAL",
] as const;
export type ProgramRefusalCode = (typeof programRefusalCodes)[number];

export interface ProgramStatus {
  protocolVersion: number;
  agentVersion: string;
  /**
   * Identifies what a base depends on: the formats of the program and the system that it runs on.
   */
  programVersion: string;
  /** The tag of the image that it runs in; a program outside an image has none. */
  imageTag?: string | undefined;
  checkedOut: boolean;
  /** As in `bootHeader`. */
  bootId: string;
  /** The running turn that may change the checkout. */
  turnId: string | null;
  services: ServiceStatus[];
}

/** The ref of the work in a bundle. */
export const workRef = "refs/switchyard/work";

/** The work of a checkout: its HEAD, and the commit that identifies all of it. */
export interface WorkState {
  head: string;
  work: string;
}

export interface WorkRestored {
  /**
   * The base that must be restored next, before the work can be used; null if the work needs none.
   */
  baseId: string | null;
}

export interface ServicesPlan {
  services: ServicePlan[];
  env: Record<string, string>;
  /** True restarts running services; false leaves unchanged services running. */
  restart: boolean;
  /**
   * Variables that make development servers accept the hosts of previews. The project's own
   * variables take precedence. If omitted, the previous ones stay.
   */
  hostEnv?: Record<string, string> | undefined;
}

export interface ServicePlan {
  name: string;
  /**
   * A shell command, run in the project folder. `PORT` is the port of its first endpoint,
   * `PORT_<NAME>` that of a named one.
   */
  command: string;
  cwd?: string | undefined;
  env?: Record<string, string> | undefined;
  endpoints: { name?: string | undefined; port: number; healthPath?: string | undefined }[];
}

/** The newest output of a service, with the secrets of its environment redacted. */
export interface ServiceLog {
  log: string;
  /** Where it ends; missing while the service has not started. */
  offset?: string;
  /** True if output before `log` is missing, or `log` does not continue after the given offset. */
  isCut?: boolean;
}

/** The API formats of model providers. */
export const modelWires = ["anthropic-messages", "openai-responses"] as const;
export type ModelWire = (typeof modelWires)[number];

export interface ModelAccess {
  provider: string;
  wire: ModelWire;
  /** The URL of the model gateway, which accepts the token as the API key. */
  baseUrl: string;
  token: string;
  /** The provider's id of the model. */
  id: string;
  effort: string;
  speed: string | null;
  contextWindow: number;
  maxOutputTokens: number;
  acceptsImages: boolean;
}

/** A file of a message. GET `url` with the turn token as bearer credential returns its bytes. */
export interface AttachedFile {
  id: string;
  name: string;
  mediaType: string;
  byteSize: number;
  url: string;
}

export interface TurnStart {
  turnId: string;
  link: { url: string; token: string };
  model: ModelAccess;
  /** The token of the turn's git commands. The git gateway permits what the profile permits. */
  git: { token: string };
  /** The branch that the turn compares the session's branch with. */
  targetBranch: string;
  prompt: string;
  /**
   * The skill that the message calls. If the sandbox does not have it, the prompt is ordinary text.
   */
  skill: SkillCall | null;
  /**
   * The saved skills that messages of the turn may call, each name once. They take precedence over
   * the project's.
   */
  skills?: GivenSkill[] | undefined;
  /** The plugins that the turn has. */
  plugins?: GivenPlugin[] | undefined;
  /**
   * The chosen options of the previous turn's questions. Empty if the answer is in the text; null
   * if the message answers no question.
   */
  answers?: ChosenOption[] | null;
  /** The agent's permissions and instructions. */
  profile: AgentProfile;
  /**
   * The files of the message. They are in a separate folder; a model that accepts images also sees
   * the images.
   */
  attachments: AttachedFile[];
  /**
   * Stores a tool's output that is too long for the transcript: PUT `<url>/<block index>` with the
   * turn token.
   */
  outputsUrl: string;
  /** Runs the service's part of a tool: POST `<url>/<tool>` with the turn token → ToolAnswer. */
  toolsUrl: string;
  /** PUT `<url>?write=&slug=&title=&kind=` with the turn token stores it → StoredArtifact. */
  artifactsUrl: string;
  /**
   * The service's API, with the access of this turn's agent. The agent calls it through a tool or
   * from a command.
   */
  api: { url: string; token: string; projectId: string };
  conversation: {
    /** The id of the agent's conversation on disk. A new id starts a new conversation. */
    id: string;
    /** True if no turn has used this id, so the conversation is not on disk yet. */
    isNew: boolean;
    /**
     * The messages so far, as text, for an agent that starts a new conversation within a session.
     */
    handover: string | null;
  };
  env: Record<string, string>;
  /** The names in `env` whose values must not appear in an event. */
  secretNames?: string[] | undefined;
  /** More values that must not appear in an event: those of the variables of services. */
  secrets?: string[] | undefined;
}

/** The id and version of a stored artifact. */
export interface StoredArtifact {
  artifactId: string;
  version: number;
}

/** A request to summarize the agent's conversation (`/compact`). */
export interface Compaction {
  /** The id of the runtime command. The model gateway accepts its model calls while it runs. */
  commandId: string;
  model: ModelAccess;
  conversationId: string;
  /** The profile of the conversation's turns. */
  profile: AgentProfile;
  /** What the summary must keep, in the user's words; empty if the user did not say. */
  focus: string;
}

export interface Compacted {
  /** False if there was nothing to summarize. */
  compacted: boolean;
}

export type FileContent = Pick<FileWrite, "content">;

export interface FileWrite {
  path: string;
  content: string;
  /**
   * The SHA-256 of the content that is replaced, in hex. 409 FILE_CHANGED if the file has another
   * one; if it is missing, whatever the file has is replaced.
   */
  baseHash?: string | undefined;
}

/**
 * The program sends it as a text frame. The service's runtime replies `linkPong` without waking the
 * object.
 */
export const linkPing = "ping";
/**
 * The turn link. The program opens a WebSocket to `TurnStart.link.url` with its token as bearer
 * credential. The service first sends an `ack` of the last event that it has stored. The program
 * then sends the later events in order, and keeps each until it is acknowledged.
 */
export const linkPong = "pong";
export const linkPingEveryMs = 10_000;

export interface LinkEvent {
  /** Numbered from 1 without gaps within a turn. */
  seq: number;
  event: TurnEvent;
}

/**
 * A frame beside the numbered events: what a running command has printed since the last one. It is
 * neither stored nor sent again. It follows every earlier event.
 */
export interface LinkOutput {
  output: PrintedText;
}

export interface PrintedText {
  /** The index of the tool's block. */
  index: number;
  /** The length of the output before `text`, in UTF-16 units. */
  at: number;
  /** At most `toolOutputBytes`, with secrets redacted. */
  text: string;
}

export type TurnEvent =
  /**
   * `targetCommit` is the newest commit of the Target Branch that the session's branch contains, if
   * it is known.
   */
  | { type: "started"; agentVersion: string; targetCommit?: string | undefined }
  /** The block at this index is new or replaced. */
  | { type: "block"; index: number; block: Block }
  /** The text block at this index grows. Small deltas are merged before they are sent. */
  | { type: "text"; index: number; delta: string }
  | { type: "steer"; steerId: string; outcome: "taken" | "returned" }
  /** Whole lines of the program's log, each with its time, for a profile that stores it. */
  | { type: "log"; lines: string }
  /** The last event of a turn. All of its processes have ended. */
  | { type: "ended"; outcome: TurnOutcome; targetCommit?: string | undefined };

export type TurnOutcome =
  | { status: "completed" }
  | { status: "awaiting_response" }
  | { status: "cancelled" }
  | { status: "failed"; error: string; errorCode: string | null };

/** From the service to the program. */
export type LinkCommand =
  | { type: "ack"; seq: number }
  /** May be repeated after a reconnect. The program handles each steer once. */
  | { type: "steer"; steerId: string; text: string; skill?: SkillCall | null; attachments: AttachedFile[] }
  | { type: "stop" }
  /**
   * Somebody reads the turn's live events. The program sends what the running commands have printed
   * so far, and then what they add.
   */
  | { type: "show_outputs" }
  | { type: "hide_outputs" };

/**
 * The service closes the link with this code if the turn no longer belongs to it. The program then
 * ends the turn and forgets it.
 */
export const linkTurnOver = 4001;
