// The client of Switchyard: every operation of the API, typed by its method and path, and sessions
// that can be sent to, waited for and followed.
import type { OperationName } from "./errors.ts";
import type { Event, WorkspaceEvents } from "./events.ts";
import type { Operations } from "./generated/api.ts";
import { type Answer, type AnyInput, createHttp, type Http, type Input, type Inputs, type Settings } from "./http.ts";
import { type LineOptions, listLiveEvents } from "./live.ts";
import { listPages, type PagedName, type PageItem } from "./pages.ts";
import { Projects, Sessions } from "./sessions.ts";

export {
  ConnectionError,
  type ErrorCode,
  type Failure,
  GaveUpError,
  type OperationCodes,
  type OperationName,
  refused,
  SwitchyardError,
} from "./errors.ts";
export type { Event, SessionEvents, TurnEvents, WorkspaceEvents } from "./events.ts";
export type { AttachedFile, SendOptions } from "./form.ts";
export type { Operations, Schemas } from "./generated/api.ts";
export type { Answer, Input, Settings } from "./http.ts";
export type { LineOptions, LineState, RawEvent } from "./live.ts";
export type { PagedName, PageItem } from "./pages.ts";
export type { PullRequestOptions, Session } from "./session.ts";
export type { CreateOptions } from "./sessions.ts";
export type { SessionState, ShownMessage } from "./state.ts";
export type { StatesOptions } from "./states.ts";
export type { Queued, Steered, Turn, TurnResult, WaitOptions } from "./turn.ts";
export { toVisible } from "./visible.ts";

/** The operations whose answer is a stream of events. */
export type StreamName = {
  [Name in OperationName]: Operations[Name] extends { events: unknown } ? Name : never;
}[OperationName];

type StreamEvents<Name extends StreamName> = Operations[Name] extends { events: infer Events } ? Events : never;

export class Switchyard {
  readonly sessions: Sessions;
  readonly projects: Projects;
  readonly #http: Http;

  constructor(settings: Settings) {
    this.#http = createHttp(settings);
    this.projects = new Projects(this.#http);
    this.sessions = new Sessions(this.#http, this.projects);
  }

  /** Calls an operation, and resolves with what it answers under `data`. */
  async request<Name extends OperationName>(operation: Name, ...[input]: Inputs<Name>): Promise<Answer<Name>> {
    const { data } = await this.#http.call(operation, input ?? {});
    // The document says what an operation answers.
    return data as Answer<Name>;
  }

  /** Walks all pages of a list. */
  pages<Name extends PagedName>(operation: Name, input?: Input<Name>): AsyncIterable<PageItem<Name>> {
    return listPages(this.#http, operation, input ?? ({} as Input<Name>));
  }

  /** Follows any stream of events, also through cut connections, until the service has no more. */
  follow<Name extends StreamName>(
    operation: Name,
    input: Input<Name>,
    options: LineOptions = {},
  ): AsyncIterable<Event<StreamEvents<Name>>> {
    const given: AnyInput = input;
    const events = listLiveEvents(this.#http, operation, given, options, () => false);
    // The document says what the events of a stream are.
    return events as AsyncIterable<Event<StreamEvents<Name>>>;
  }

  /** What happens in a workspace. */
  workspace(workspaceId: string): { follow(options?: LineOptions): AsyncIterable<Event<WorkspaceEvents>> } {
    const input = { path: { workspaceId } };
    return {
      follow: (options) => this.follow("GET /api/organizations/{workspaceId}/events", input, options),
    };
  }
}
