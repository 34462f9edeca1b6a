// The sessions of a person: create, find and list them; and the projects that they belong to.
import { type AttachedFile, toForm } from "./form.ts";
import type { Schemas } from "./generated/api.ts";
import type { Answer, Http, Input } from "./http.ts";
import { listPages } from "./pages.ts";
import { Session } from "./session.ts";

const ofProject = "/api/projects/{projectId}/chat-sessions";
type Body = Exclude<Input<`POST ${typeof ofProject}`>["body"], FormData>;
type Query = NonNullable<Input<"GET /api/chat-sessions">["query"]>;

export type CreateOptions = Body & {
  /** The id of a project, its name or its repository. */
  project: string;
  /** Files that come with `content`. */
  attachments?: readonly (AttachedFile | File)[] | undefined;
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
};

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
/** The address of a session in the console, or of its page. */
const address = /\/(?:s|chat-sessions)\/([\da-f-]{36})(?=$|[/?#])/i;

export class Sessions {
  readonly #http: Http;
  readonly #projects: Projects;

  constructor(http: Http, projects: Projects) {
    this.#http = http;
    this.#projects = projects;
  }

  /** Creates a session. With `content`, its first turn starts. */
  async create(options: CreateOptions): Promise<Session> {
    const { project, attachments = [], idempotencyKey = crypto.randomUUID(), signal, ...body } = options;
    const projectId = await this.#projects.findId(project, signal);
    const sent = attachments.length === 0 ? body : toForm({ session: body }, attachments);
    const input = { path: { projectId }, body: sent, idempotencyKey, signal };
    const { data } = await this.#http.call(`POST ${ofProject}`, input);
    const { session, chatJobId = null } = data as Answer<`POST ${typeof ofProject}`>;
    return new Session(this.#http, session, chatJobId);
  }

  /**
   * Finds a session: by its address, its id, the last 6 characters of its id or more, its branch,
   * or `pr:12`. Throws if there is none. The service refuses a name that several have.
   */
  async get(ref: string, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<Session> {
    const sessionId = address.exec(ref)?.[1] ?? ref;
    if (uuid.test(sessionId)) {
      const { data } = await this.#http.call("GET /api/chat-sessions/{sessionId}", { path: { sessionId }, signal });
      return new Session(this.#http, (data as { session: Schemas["Session"] }).session);
    }
    for await (const session of listPages(this.#http, "GET /api/chat-sessions", { query: { ref }, signal }))
      return new Session(this.#http, session);
    throw new RangeError(`There is no session ${ref}.`);
  }

  /** Lists sessions, newest first. */
  async *list(options: Query & { signal?: AbortSignal | undefined } = {}): AsyncGenerator<Session, void, undefined> {
    const { signal, ...query } = options;
    for await (const session of listPages(this.#http, "GET /api/chat-sessions", { query, signal }))
      yield new Session(this.#http, session);
  }
}

export class Projects {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Finds a project by its id, its name or its repository. Throws if there is none, or more. */
  async find(ref: string, signal?: AbortSignal): Promise<Schemas["Project"]> {
    const found: Schemas["Project"][] = [];
    for await (const project of listPages(this.#http, "GET /api/projects", { query: { pageSize: 100 }, signal })) {
      if (project.id === ref) return project;
      if (project.name === ref || project.repository === ref) found.push(project);
    }
    const [project, ...others] = found;
    if (!project) throw new RangeError(`There is no project ${ref}.`);
    if (others.length > 0)
      throw new RangeError(`${ref} means several projects: ${found.map(({ id }) => id).join(", ")}`);
    return project;
  }

  async findId(ref: string, signal?: AbortSignal): Promise<string> {
    return uuid.test(ref) ? ref : (await this.find(ref, signal)).id;
  }
}
