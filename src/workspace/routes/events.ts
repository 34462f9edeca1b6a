// The live streams of workspaces, as server-sent events: of one, or of all that a caller reaches.
import { getWorkspaceEventsObject } from "../../../durable-objects/address.ts";
import type { ListenRequest } from "../../../durable-objects/workspace-events/rpc.ts";
import { type Caller, findPersonId } from "../../access/rules/caller.ts";
import type { User } from "../../access/rules/membership.ts";
import { getRevalidationMs } from "../../access/rules/stream-revalidation.ts";
import type { Env } from "../../env.ts";
import { endpoint } from "../../http/endpoint.ts";
import { createEventStream, findLastEventId, lastEventIdQuery } from "../../http/event-stream.ts";
import { eventStreamType, events } from "../../http/response.ts";
import { runInLanes } from "../../lib/concurrency.ts";
import { log } from "../../lib/log.ts";
import { followedWorkspacesMax } from "../../rules/limits.ts";
import { refuse } from "../../rules/refusal.ts";
import { createJoinedStream, type WorkspaceStream } from "../create-joined-stream.ts";
import { justEndedHeader, workspaceEventSchema, workspaceEventsSchema } from "../event-wire.ts";
import { listWorkspaces } from "../queries/workspaces.ts";
import { parsePosition } from "../rules/stream-position.ts";

const tag = "Live events";
const response = {
  status: 200,
  data: workspaceEventSchema,
  events: workspaceEventsSchema,
  mediaType: eventStreamType,
} as const;
/** An invocation may open this many connections at a time. */
const openedAtOnce = 6;

const followWorkspace = endpoint({
  method: "GET",
  path: "/api/organizations/{workspaceId}/events",
  operation: "followWorkspace",
  summary: "Follow the activity, sessions, projects, crons and members of a workspace.",
  tag,
  access: "workspace.follow",
  noun: "workspace",
  query: lastEventIdQuery,
  response,
  async handle({ env, request, query, caller, found, isStillAuthorized }) {
    if (!caller.user) return refuse("FORBIDDEN");
    const stream = await readStream(
      env,
      { ...caller, user: caller.user },
      found.workspace.id,
      findLastEventId(request, query),
    );
    if (stream === null) return refuse("SERVICE_UNAVAILABLE");
    const checkEveryMs = getRevalidationMs(caller.facts.kind, !stream.isJustEnded);
    const { expiresAt } = caller;
    return events(createEventStream(stream.socket, { isStillAuthorized, checkEveryMs, expiresAt }));
  },
});

const followAll = endpoint({
  method: "GET",
  path: "/api/events",
  operation: "followWorkspaces",
  summary: "Follow your first 100 workspaces by name in one stream. It ends when they change.",
  tag,
  access: "workspace.list",
  noun: "none",
  query: lastEventIdQuery,
  response,
  async handle({ env, request, query, caller, isStillAuthorized }) {
    if (!caller.user) return refuse("FORBIDDEN");
    const member = { ...caller, user: caller.user };
    const ids = await listFollowed(env, member);
    const positions = parsePosition(ids, findLastEventId(request, query));
    const opened = new Map<string, OpenedStream>();
    const open = async (id: string, at: number) => {
      const stream = await readStream(env, member, id, positions[at]?.toString() ?? null);
      if (stream !== null) opened.set(id, stream);
    };
    await runInLanes(
      ids.map((id, at) => ({ id, at })),
      openedAtOnce,
      ({ id, at }) => open(id, at),
      ({ id }, error) => log.warn("stream.not_opened", { workspaceId: id, error }),
    );
    const streams = ids.flatMap((workspaceId, at): WorkspaceStream[] => {
      const socket = opened.get(workspaceId)?.socket;
      return socket ? [{ workspaceId, socket, position: positions[at] ?? null }] : [];
    });
    if (streams.length < ids.length) {
      for (const { socket } of streams) discard(socket);
      return refuse("SERVICE_UNAVAILABLE");
    }
    const isEnded = [...opened.values()].some(({ isJustEnded }) => isJustEnded);
    const mayFollowAll = async () =>
      (await isStillAuthorized()) && (await listFollowed(env, member)).join() === ids.join();
    const checkEveryMs = getRevalidationMs(caller.facts.kind, !isEnded);
    return events(
      createEventStream(createJoinedStream(streams), {
        isStillAuthorized: mayFollowAll,
        checkEveryMs,
        expiresAt: caller.expiresAt,
      }),
    );
  },
});

/** The workspaces that a caller follows, in the order of their ids. */
async function listFollowed(env: Pick<Env, "DB">, { user, workspaceId }: Member): Promise<string[]> {
  const reached = await listWorkspaces(env.DB, user.id, workspaceId);
  const open = reached.filter(({ suspendedAt }) => suspendedAt === null).slice(0, followedWorkspacesMax);
  return open.map(({ id }) => id).sort();
}

type Member = Caller & { user: User };

interface OpenedStream {
  socket: WebSocket;
  /** True if streams of the caller were ended a moment ago. */
  isJustEnded: boolean;
}

/** Null if the object opens none. */
async function readStream(
  env: Pick<Env, "WORKSPACE_EVENTS" | "JURISDICTION">,
  caller: Member,
  workspaceId: string,
  lastEventId: string | null,
): Promise<OpenedStream | null> {
  const { user, keyId } = caller;
  const listener: ListenRequest = { userId: user.id, personId: findPersonId(caller), keyId, lastEventId };
  const headers = { upgrade: "websocket", "x-listener": JSON.stringify(listener) };
  const answer = await getWorkspaceEventsObject(env, workspaceId).fetch("http://workspace/events", { headers });
  return answer.webSocket && { socket: answer.webSocket, isJustEnded: answer.headers.has(justEndedHeader) };
}

/** Closes the socket of a stream that is not sent. */
function discard(socket: WebSocket): void {
  socket.accept();
  socket.close(1000);
}

export const workspaceEventRoutes = [followWorkspace, followAll];
