// The state of a conversation, from a read and the live events after it. `reduce` and `stateOf` are
// pure. An event that is known already changes nothing. What may be missing makes a state stale:
// read again. What is unknown is passed through.
import type { Schemas } from "./generated/api.ts";

type Block = Schemas["Block"];
type Job = Schemas["Job"];

/** How much of a running tool's output is shown: its end. */
const shownOutputCharacters = 32 * 1_024;

/** A message as it is known so far. */
export interface ShownMessage extends Omit<Schemas["Message"], "createdAt"> {
  /** Null for an answer that came by events only. */
  createdAt: string | null;
  /** The index of the first of its blocks, as events count them: over the whole turn. */
  firstBlockIndex: number;
}

export interface SessionState {
  session: Schemas["Session"] | null;
  /** Oldest first. */
  messages: readonly ShownMessage[];
  /** The turns that are known, by number. */
  jobs: readonly Job[];
  queue: Schemas["QueueEvent"] | null;
  /**
   * The newest event about the pull request at the code host; missing before the first one.
   * Read the pull request again when it changes.
   */
  pullRequestEventId?: string | null;
  /**
   * How much each running tool has printed, by message and index. The block has the end of it as
   * `output`.
   */
  printed: Readonly<Record<string, number>>;
  /** Where the events continue; null before the first one. */
  lastEventId: string | null;
  /** True if something may be missing. Read again, and begin with `stateOf`. */
  isStale: boolean;
  isDeleted: boolean;
}

/** What was read: the messages, and what else is known. */
export interface SessionRead {
  messages: readonly (Schemas["Message"] & { firstBlockIndex?: number })[];
  session?: Schemas["Session"] | null;
  jobs?: readonly Job[];
  queue?: Schemas["QueueEvent"] | null;
  /** The newest event that the messages include, where the service says so. */
  lastEventId?: string | null;
}

/** An event of the stream of a session or of a turn. */
export interface StateEvent {
  id: string | null;
  type: string;
  data: unknown;
}

/** The state that a read shows. */
export function stateOf({
  messages,
  session = null,
  jobs = [],
  queue = null,
  lastEventId = null,
}: SessionRead): SessionState {
  const counted = new Map<string, number>();
  const shown = messages.map((message) => {
    const { jobId, blocks } = message;
    const firstBlockIndex = message.firstBlockIndex ?? counted.get(jobId) ?? 0;
    if (message.role === "assistant") counted.set(jobId, firstBlockIndex + blocks.length);
    return { ...message, firstBlockIndex };
  });
  return {
    session,
    messages: shown,
    jobs: [...jobs],
    queue,
    printed: {},
    lastEventId,
    isStale: false,
    isDeleted: false,
  };
}

/** The state after an event. */
export function reduce(state: SessionState, event: StateEvent): SessionState {
  // It has no id, and its place says whether it is new.
  if (event.type === "output") return withOutput(state, event.data as Schemas["OutputEvent"]);
  // Nor has the start of a sandbox, which only a turn that still waits for it shows.
  const { job } = event.data as Partial<Schemas["JobEvent"]>;
  if (job?.boot)
    return { ...state, jobs: state.jobs.map((one) => (one.id === job.id && one.status === "pending" ? job : one)) };
  const id = event.id ?? "";
  if (state.lastEventId !== null && !isAfter(id, state.lastEventId)) return state;
  // The first event of another snapshot replaces those that the service has no longer.
  const isReset = id.endsWith(".1") && state.lastEventId?.startsWith(id.slice(0, -1)) === false;
  const known = { ...state, lastEventId: id || state.lastEventId };
  return applyEvent(isReset ? { ...known, isStale: true } : known, event);
}

function applyEvent(state: SessionState, { type, data }: StateEvent): SessionState {
  // The service says what the data of its events are; an event of another name is not looked at.
  switch (type) {
    case "job":
      return withJob(state, (data as Schemas["JobEvent"]).job);
    case "block":
      return withBlock(state, data as Schemas["BlockEvent"]);
    case "delta":
      return withDelta(state, data as Schemas["DeltaEvent"] & { at?: number });
    case "queue":
      return { ...state, queue: data as Schemas["QueueEvent"] };
    case "session": {
      const { session } = data as Schemas["SessionEvent"];
      if (state.session && state.session.updatedAt > session.updatedAt) return state;
      return { ...state, session: withSeen(session, state.session) };
    }
    case "end":
      return withEnd(state, data as Schemas["TurnEndEvent"] | Schemas["SessionEndEvent"]);
    case "reset":
      return { ...state, isStale: true };
    case "pull_request":
      return { ...state, pullRequestEventId: state.lastEventId };
    default:
      return state;
  }
}

/**
 * The session of an event. Events are for everybody, so whether the reader has seen its reason to
 * need somebody is known from what was read before. A new reason is not seen.
 */
export function withSeen(session: Schemas["Session"], before: Schemas["Session"] | null): Schemas["Session"] {
  const { needsYouSince } = session;
  if (session.isSeen !== null || needsYouSince === null) return session;
  return { ...session, isSeen: needsYouSince === before?.needsYouSince ? before.isSeen : false };
}

/** A turn that is not the next one, or the next before the last one ended, means missed events. */
function withJob(state: SessionState, job: Job): SessionState {
  const newest = state.jobs.at(-1);
  const rest = state.jobs.filter(({ id }) => id !== job.id);
  const isNext = newest !== undefined && job.jobNumber > newest.jobNumber;
  const isGap = isNext && (job.jobNumber > newest.jobNumber + 1 || isWorking(newest));
  const jobs = [...rest, job].sort((one, other) => one.jobNumber - other.jobNumber);
  return { ...state, jobs, isStale: state.isStale || isGap };
}

const isWorking = ({ status }: Job) => status === "pending" || status === "running";

function withEnd(state: SessionState, end: Schemas["TurnEndEvent"] | Schemas["SessionEndEvent"]): SessionState {
  if ("deleted" in end) return { ...state, isDeleted: true };
  const { jobId, status, error, errorCode } = end;
  const jobs = state.jobs.map((job) => (job.id === jobId ? { ...job, status, error, errorCode } : job));
  return { ...state, jobs };
}

function withBlock(state: SessionState, event: Schemas["BlockEvent"]): SessionState {
  const { jobId, messageId, role, index, block, createdAt = null } = event;
  if (role === "user") {
    const { delivery = null, author = null, attachments = [], context } = event;
    const content = block.type === "text" ? block.content : null;
    const message = { id: messageId, role, content, blocks: [], jobId, delivery, author, attachments, createdAt };
    return withMessage(state, { ...message, ...(context && { context }), firstBlockIndex: 0 });
  }
  const place = findMessage(state, messageId);
  const found = state.messages[place];
  if (!found) {
    const message = { content: null, delivery: null, author: null, attachments: [], createdAt, firstBlockIndex: index };
    return withMessage(state, { id: messageId, role, jobId, blocks: [block], ...message });
  }
  const { [`${messageId}:${index}`]: _, ...printed } = state.printed;
  return withBlocks({ ...state, printed }, place, index - found.firstBlockIndex, block);
}

function withDelta(
  state: SessionState,
  { messageId, index, delta, at }: Schemas["DeltaEvent"] & { at?: number },
): SessionState {
  const place = findMessage(state, messageId);
  const found = state.messages[place];
  const offset = index - (found?.firstBlockIndex ?? 0);
  const block = found?.blocks[offset];
  if (block?.type !== "text" || (at !== undefined && at !== block.content.length)) return { ...state, isStale: true };
  return withBlocks(state, place, offset, { ...block, content: block.content + delta });
}

/** Adds what a running tool has printed to its block. What is missing between stays missing. */
function withOutput(state: SessionState, { messageId, index, at, text }: Schemas["OutputEvent"]): SessionState {
  const place = findMessage(state, messageId);
  const message = state.messages[place];
  const offset = index - (message?.firstBlockIndex ?? 0);
  const block = message?.blocks[offset];
  if (block?.type !== "tool" || block.status !== "running") return state;
  const key = `${messageId}:${index}`;
  const before = state.printed[key] === at ? (block.output ?? "") : "";
  const output = (before + text).slice(-shownOutputCharacters);
  const changed = withBlocks(state, place, offset, { ...block, output });
  return { ...changed, printed: { ...state.printed, [key]: at + text.length } };
}

/** Replaces a block of a message, or appends the next one. */
function withBlocks(state: SessionState, place: number, offset: number, block: Block): SessionState {
  const message = state.messages[place];
  if (!message || offset < 0 || offset > message.blocks.length) return { ...state, isStale: true };
  const blocks = [...message.blocks];
  blocks[offset] = block;
  return withMessage(state, { ...message, blocks });
}

function withMessage(state: SessionState, message: ShownMessage): SessionState {
  const place = findMessage(state, message.id);
  const messages = [...state.messages];
  messages[place === -1 ? messages.length : place] = message;
  return { ...state, messages };
}

/** The newest messages change, so they are looked at first. */
function findMessage({ messages }: SessionState, id: string): number {
  return messages.findLastIndex((message) => message.id === id);
}

/** The text of a message: what a user wrote, or the texts of an answer. */
export function formatText({ content, blocks }: Pick<ShownMessage, "content" | "blocks">): string {
  const texts = blocks.map((block) => (block.type === "text" ? block.content : ""));
  return content ?? texts.filter(Boolean).join("\n\n");
}

/**
 * Compares the ids of events. Those of a snapshot count from `12.1` to its last one, which is `12`.
 */
function isAfter(id: string, last: string): boolean {
  const [whole, part] = parsePosition(id);
  const [lastWhole, lastPart] = parsePosition(last);
  const distance = whole - lastWhole;
  // An id of another form says nothing about order.
  if (Number.isNaN(distance)) return id !== last;
  return distance === 0 ? part > lastPart : distance > 0;
}

function parsePosition(id: string): [whole: number, part: number] {
  const [whole, part = Number.POSITIVE_INFINITY] = id.split(".");
  return [Number(whole || Number.NaN), Number(part)];
}
