// What the service and the sandbox program say to each other: the program's HTTP calls, and the turn link that it dials back on.
// Types and constants alone, so that both programs can import it.
import type { AgentProfile } from "../rules/chat/agent-profile.ts";
import type { Block } from "../rules/chat/block.ts";
import type { ChosenOption } from "../rules/chat/message.ts";
import type { ServiceStatus } from "../rules/preview/preview.ts";
import type { SkillCall } from "../rules/skill/skill-call.ts";

export type * from "./checkout-query.ts";
export type * from "./git-request.ts";

/** Raised when a program and a service of different ages could misread each other. */
export const protocolVersion = 2;

/** Paths of the program's HTTP interface. Every call carries `Authorization: Bearer <the sandbox's own secret>`. */
export const programPaths = {
  /** GET → ProgramStatus. */
  status: "/status",
  /** PUT Checkout → CheckedOut. Clones when there is no checkout yet; safe to repeat. */
  checkout: "/checkout",
  /** PUT ServicesPlan → 204. Starts, replaces or restarts the project's services; does not wait until they answer. */
  services: "/services",
  /** GET ?name= → ServiceLog. */
  serviceLog: "/services/log",
  /** GET → PortMap. */
  ports: "/ports",
  /** POST TurnStart → 202. The same turn again is 202 too and runs once; 409 TURN_RUNNING while another runs. */
  turns: "/turns",
  /** POST → 204 once the turn's agent and processes are gone (or never were). */
  stopTurn: (turnId: string) => `/turns/${turnId}/stop`,
  /** POST Compaction → Compacted. Answers when the agent's conversation has been summarized. While one runs no turn does: 409 TURN_RUNNING. */
  compactions: "/compactions",
  /** GET ?path= → FileContent; PUT FileWrite → 204. */
  file: "/files/content",
  /** GET → FileTree. */
  files: "/files",
  /** GET → CheckoutSkills. */
  skills: "/skills",
  /** GET ?base=<branch> → GitReading. */
  gitState: "/git/state",
  /** GET ?base=<branch> → GitChanges. */
  gitChanges: "/git/changes",
  /** GET ?base=<branch>, and &path= for one file or folder alone → GitPatch. */
  gitPatch: "/git/patch",
  /** GET → GitPatch of what is not committed, as much of it as a model is shown. */
  gitUncommitted: "/git/uncommitted",
  /** GET ?base=<branch> → GitLog. */
  gitLog: "/git/log",
  /** POST BranchFetch → 204. Fetches a branch of the remote that the checkout does not track, so that it can be compared with. */
  gitBranch: "/git/branch",
  /** POST LineAnchors → LineReading. */
  gitLines: "/git/lines",
  /** POST GitCommit → GitCommitted. 409 TURN_RUNNING while a turn runs; one that is started meanwhile begins behind it. */
  gitCommit: "/git/commit",
  /** POST GitPush → 204. With turns as a commit. */
  gitPush: "/git/push",
  /**
   * GET ?base=<id> → the sandbox's work as one layer, on top of that base when it stands on it. PUT the same into an empty sandbox →
   * WorkRestored.
   */
  work: "/archive",
  /** GET ?id=<a new id> → all that the sandbox holds, as a base. PUT the same ?beneathWork=<boolean> → 204: the work before it, or a start from it. */
  base: "/archive/base",
} as const;

/** A refusal of the program: a non-2xx status with this body. */
export interface ProgramRefusal {
  code: ProgramRefusalCode;
  /** For people; holds no secret. */
  message: string;
}

/** Every code of a refusal. */
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
  "CONVERSATION_MISSING",
  "COMPACTION_FAILED",
  "GIT_REFUSED",
  "REMOTE_SILENT",
  "SETUP_FAILED",
  "NOTHING_TO_COMMIT",
  "ARCHIVE_UNREADABLE",
  "UNSAVABLE",
  "INTERNAL",
] as const;
export type ProgramRefusalCode = (typeof programRefusalCodes)[number];

export interface ProgramStatus {
  protocolVersion: number;
  agentVersion: string;
  /** Names what a base may depend on: the formats of this program and what it runs on. */
  programVersion: string;
  checkedOut: boolean;
  /** The turn under way, if any. */
  turnId: string | null;
  services: ServiceStatus[];
}

export interface Checkout {
  /** The git gateway's address of the repository; holds no credential. */
  remoteUrl: string;
  /** Sent as a bearer credential to the git gateway; never written to disk. */
  token: string;
  /** The session's own branch: taken from the remote when it is there, otherwise started from `baseBranch`. */
  branch: string;
  baseBranch: string;
  /** The one commit that the base branch may be at: a base is made of no other. */
  commit?: string | undefined;
  /** Shell commands that prepare a fresh checkout, in order. */
  setup: string[];
  env: Record<string, string>;
}

export interface CheckedOut {
  /** Null where git cannot tell it: work comes back in whatever state it was left. */
  head: string | null;
  /** True when this call made the checkout, and there is enough in it for a base to save time. */
  paysABase: boolean;
  /** Why the repository that was removed from a project could not be put back around its files. */
  unrepaired?: string | undefined;
}

export interface WorkRestored {
  /** The base that has to follow before anything is in force; null when nothing has to. */
  baseId: string | null;
}

export interface ServicesPlan {
  services: ServicePlan[];
  env: Record<string, string>;
  /** True restarts running services in place; false leaves an unchanged service alone. */
  restart: boolean;
}

export interface ServicePlan {
  name: string;
  /** A shell command, run in the project folder. `PORT` holds the port of its first endpoint, `PORT_<NAME>` that of a named one. */
  command: string;
  cwd?: string | undefined;
  env?: Record<string, string> | undefined;
  endpoints: { name?: string | undefined; port: number; healthPath?: string | undefined }[];
}

/** The newest output of a service, with the secrets of its environment redacted. */
export interface ServiceLog {
  log: string;
}

/** Declared port → the port it is really on. The same number in a container; another where sandboxes share one machine. */
export type PortMap = Record<string, number>;

/** How the agent speaks to a model, by the wire its provider understands. */
export const modelWires = ["anthropic-messages", "openai-responses"] as const;
export type ModelWire = (typeof modelWires)[number];

export interface ModelAccess {
  provider: string;
  wire: ModelWire;
  /** The model gateway; the token stands where a key would. */
  baseUrl: string;
  token: string;
  /** The provider's own id of the model. */
  id: string;
  effort: string;
  speed: string | null;
  contextWindow: number;
  maxOutputTokens: number;
  acceptsImages: boolean;
}

/** A file that came with a message. GET on the address, with the turn's token as a bearer credential, answers its bytes. */
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
  /** Lets the turn's git commands through the git gateway, as far as the profile says. */
  git: { token: string };
  /** What the turn tells the session's branch against. */
  targetBranch: string;
  prompt: string;
  /** The skill that the message calls; where the sandbox lacks it, the prompt is ordinary text. */
  skill: SkillCall | null;
  /** The options that the message chose of what the turn before asked: none where its text is to be read. Null where it answers nothing. */
  answers?: ChosenOption[] | null;
  /** What the agent may do and is told. */
  profile: AgentProfile;
  /** Files of the message; the agent finds them in a folder of its own, and images are shown to a model that accepts them. */
  attachments: AttachedFile[];
  /** Where a tool's output that is too long for the transcript goes: PUT `<url>/<block index>` with the turn's token. */
  outputsUrl: string;
  /** Where the turn's tools ask the service to do what is its own to do: POST `<url>/<tool>` with the turn's token; the answer is ToolAnswer. */
  toolsUrl: string;
  /** Where artifacts go: PUT `<url>?write=&slug=&title=&kind=` with the turn's token; the answer is ArtifactKept. */
  artifactsUrl: string;
  /** The service's own API as the agent of this turn may call it, through a tool or from a command. */
  api: { url: string; token: string; projectId: string };
  conversation: {
    /** Names the agent's conversation on disk. A new id starts fresh. */
    id: string;
    /** True when no turn has used this id: its absence on disk is then expected. */
    isNew: boolean;
    /** What was said so far, as text, for an agent that starts fresh in the middle of a session. */
    handover: string | null;
  };
  env: Record<string, string>;
  /** Names in `env` whose values no event may show. */
  secretNames?: string[] | undefined;
}

/** What a kept artifact is called from now on. */
export interface ArtifactKept {
  artifactId: string;
  version: number;
}

/** A request to summarize the agent's conversation, as `/compact` asks for it. */
export interface Compaction {
  /** Names the run; the gateway lets its model calls through while it is under way. */
  commandId: string;
  model: ModelAccess;
  conversationId: string;
  /** As in the turns of the conversation. */
  profile: AgentProfile;
  /** What the summary should keep, in the user's words; empty for nothing in particular. */
  focus: string;
}

export interface Compacted {
  /** False when there was nothing to summarize. */
  compacted: boolean;
}

export type FileContent = Pick<FileWrite, "content">;

export interface FileWrite {
  path: string;
  content: string;
}

// The turn link. The program dials `TurnStart.link.url` as a WebSocket with its token as a bearer credential. The service opens with
// an `ack` of the last event it holds; the program sends what comes after, in order, and keeps every event until it is acked.

/** Sent by the program as a plain text frame; the service's runtime answers `linkPong` without waking the object. */
export const linkPing = "ping";
export const linkPong = "pong";
export const linkPingEveryMs = 10_000;

export interface LinkEvent {
  /** From 1, without gaps, within one turn. */
  seq: number;
  event: TurnEvent;
}

export type TurnEvent =
  /** `targetCommit` is the newest commit of the Target Branch that the session's branch has in the checkout, where that can be told. */
  | { type: "started"; agentVersion: string; targetCommit?: string | undefined }
  /** The block at this index appears, or changes as a whole. */
  | { type: "block"; index: number; block: Block }
  /** The text block at this index grows. Small pieces are put together before they are sent. */
  | { type: "text"; index: number; delta: string }
  | { type: "steer"; steerId: string; outcome: "taken" | "returned" }
  /** The last event of a turn. By then none of its processes is left. */
  | { type: "ended"; outcome: TurnOutcome; targetCommit?: string | undefined };

export type TurnOutcome =
  | { status: "completed" }
  | { status: "awaiting_response" }
  | { status: "cancelled" }
  | { status: "failed"; error: string; errorCode: string | null };

/** From the service to the program. */
export type LinkCommand =
  | { type: "ack"; seq: number }
  /** May come again after a reconnect; the same steer is taken once. */
  | { type: "steer"; steerId: string; text: string; skill?: SkillCall | null; attachments: AttachedFile[] }
  | { type: "stop" };

/** The service closes the link with this code when the turn is none of its business any more; the program ends the turn and forgets it. */
export const linkTurnOver = 4001;
