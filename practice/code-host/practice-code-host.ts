// The stand-in for GitHub: bare repositories on disk, git over smart HTTP, pull requests and
// webhooks.
import type { ChildProcess } from "node:child_process";
import { mkdir, rename as moveFolder, readdir, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { outlastCallers, startListening } from "../listening.ts";
import { withLoopbackGuard } from "../loopback-host.ts";
import { findAccess, isOpen } from "./access.ts";
import { type Api, handleApi } from "./api.ts";
import { type AppSettings, createApp } from "./app.ts";
import { getBareRepository } from "./bare-repository.ts";
import { createChecks } from "./checks.ts";
import { createComments } from "./comments.ts";
import { type FolderImport, type Imported, importFolder } from "./folder-import.ts";
import { runBackend } from "./git-backend.ts";
import { getGitEnvironment } from "./git-environment.ts";
import { createHistory } from "./history.ts";
import { startPullRequestReports } from "./hosted-reports.ts";
import { appLogin, createIssues, type Issues } from "./issues.ts";
import { createOauth, type OauthSettings } from "./oauth.ts";
import { createPageKey, getVisitor, isFromOwnPage } from "./pages/page-key.ts";
import { createPages } from "./pages/pages.ts";
import { usualLogin } from "./people.ts";
import { hasApp, readPermission, readWithheld, writeApp, writePermission } from "./permissions.ts";
import { isPublic, makePublic, parseArchivePath, sendArchive } from "./public.ts";
import { createPullRequests } from "./pull-requests.ts";
import { createRelay, type HostedRepository } from "./relay.ts";
import { createRepository, exists, type RepositoryFiles } from "./repository.ts";
import { getRepositoryId, writeRepositoryId } from "./repository-id.ts";
import { isRepositoryName, parseGitPath } from "./repository-name.ts";
import { createSilence } from "./silent-pushes.ts";
import { createAnnouncements } from "./webhook-events.ts";
import { createWebhooks, type WebhookReceiver } from "./webhooks.ts";
import { withReason, writeWorkflowGuard } from "./workflows.ts";

export interface PracticeCodeHost {
  url: string;
  /** The link to its pages. It contains the key to them. */
  pagesUrl: string;
  /**
   * The link that allows a browser to sign in with this code host. It contains the same key and
   * leads to the service.
   */
  signInUrl: string;
  /** Returns a link that signs a browser in as a user, once. */
  createSignInUrl(login: string): string;
  /** Creates `owner/repo` with one commit on `main`, unless it exists. */
  createRepository(name: string, files: RepositoryFiles): Promise<void>;
  /** Lets anybody read a repository. */
  makePublic(name: string): void;
  /**
   * Imports a folder's branches and tags into `owner/repo`, which is created if needed. `announce`
   * sends the push events.
   */
  importFolder(name: string, asked: FolderImport): Promise<Imported & { announce(): Promise<void> }>;
  /** The bare repository's folder. */
  getFolder(name: string): string;
  close(): Promise<void>;
}

export interface PracticeCodeHostOptions {
  /** A free port is used for 0, the default, and if the port is taken. */
  port?: number;
  host?: string;
  /** The folder of all its data. */
  folder: string;
  /** The token that grants everything. */
  token: string;
  /** An app that is installed in all repositories, except those closed to it. */
  app?: AppSettings;
  /** An OAuth client that users sign in with. */
  oauth?: OauthSettings;
  /** A repository of the real code host, which the service reaches through this one. */
  hosted?: HostedRepository | null;
  /** The receiver of its webhooks. Without one, none are sent. */
  webhooks?: WebhookReceiver;
}

const getRepositoriesFolder = (folder: string): string => resolve(folder, "repositories");

/** The path of a repository of the code host with its data in `folder`. */
export const getRepositoryFolder = (folder: string, name: string): string =>
  join(getRepositoriesFolder(folder), `${name}.git`);

/** Starts the stand-in code host. */
export async function startPracticeCodeHost(options: PracticeCodeHostOptions): Promise<PracticeCodeHost> {
  const { port = 0, host = "127.0.0.1", folder, token } = options;
  const root = getRepositoriesFolder(folder);
  const scratch = resolve(folder, "scratch");
  const home = resolve(folder, "home");
  for (const each of [root, scratch, home]) await mkdir(each, { recursive: true });
  const env = getGitEnvironment(home);
  const guard = await writeWorkflowGuard(resolve(folder, "hooks"));
  const getFolder = (name: string) => getRepositoryFolder(folder, name);
  const { hosted = null } = options;
  const relay = hosted && createRelay(hosted);
  const getId = (name: string) =>
    hosted && relay?.isRelayed(name) ? hosted.id : getRepositoryId(getFolder(name), name);
  const webhooks = createWebhooks(options.webhooks ?? null);
  const open = (name: string) => getBareRepository(getFolder(name), env);
  const announcements = createAnnouncements({
    url: () => url,
    webhooks,
    open,
    getId,
    listPullRequests: (name) => pullRequests.of(name),
    findIssue: (name, number) => issues.find(name, number),
  });
  const pullRequests = createPullRequests(
    resolve(folder, "pull-requests"),
    (...change) => {
      announcements.pullRequest(...change).catch(report);
    },
    (name) => issues.of(name).at(-1)?.number ?? 0,
  );
  const issues: Issues = createIssues(
    resolve(folder, "issues"),
    (...event) => announcements.issue(...event),
    (name) => pullRequests.of(name).at(-1)?.number ?? 0,
  );
  const comments = createComments(resolve(folder, "comments"), (...change) => {
    announcements.comment(...change).catch(report);
  });
  const checks = createChecks(resolve(folder, "checks"));
  const hasRepository = async (name: string) =>
    isRepositoryName(name) && (relay?.isRelayed(name) || (await exists(getFolder(name))));
  const listRepositories = async () => {
    const folders = (owner: string) => readdir(join(root, owner));
    const names = async (owner: string) =>
      (await folders(owner)).map((folder) => `${owner}/${folder.replace(/\.git$/, "")}`);
    return (await Promise.all((await readdir(root)).map(names))).flat().sort();
  };
  const named = async (id: number) => {
    if (hosted?.id === id) return hosted.name;
    return (await listRepositories()).find((name) => getId(name) === id) ?? null;
  };
  const rename: Api["rename"] = async (name, to) => {
    if (!isRepositoryName(to) || (await exists(getFolder(to)))) return false;
    writeRepositoryId(getFolder(name), getId(name));
    await moveFolder(getFolder(name), getFolder(to));
    for (const store of [pullRequests, issues, comments, checks]) store.moved(name, to);
    announcements.renamed(to);
    return true;
  };
  const remove: Api["remove"] = async (name) => {
    await rm(getFolder(name), { recursive: true });
    for (const store of [pullRequests, issues, comments, checks]) store.moved(name, null);
  };
  const findPermission: Api["findPermission"] = (name, login) => readPermission(getFolder(name), login);
  const allow: Api["allow"] = (name, login, permission) => writePermission(getFolder(name), login, permission);
  const isInstalled = (name: string) => hasApp(getFolder(name));
  const install: Api["install"] = (name, isWanted, withheld) => writeApp(getFolder(name), isWanted, withheld);
  const listWithheld = (name: string) => readWithheld(getFolder(name));
  const app = options.app
    ? createApp(options.app, { has: hasRepository, getId, named, isInstalled, listWithheld }, () => url)
    : null;
  const oauth = options.oauth ? createOauth(options.oauth) : null;
  const revokeTokens = () => {
    app?.revokeTokens();
    oauth?.expireTokens();
  };
  const revokeGrant = (login: string) => oauth?.revokeGrant(login);
  const merge: Api["merge"] = async (name, { number, head, base, title }) => {
    const before = await open(name).heads();
    const outcome = await open(name).merge(base, head, `Merge pull request ${number}: ${title}`);
    if (outcome === "merged") await announcements.pushes(name, before, usualLogin);
    return outcome !== "conflict";
  };
  const silence = createSilence();
  const key = createPageKey(token);
  const codeHost = {
    pullRequests,
    issues,
    comments,
    announcements,
    checks,
    merge,
    hasRepository,
    open,
    getId,
    rename,
    remove,
    findPermission,
    allow,
    install,
    listRepositories,
    isInstalled,
    isPublic: (name: string) => isPublic(getFolder(name)),
    hosted,
  };
  const history = (name: string) => createHistory(getFolder(name), env);
  const pages = createPages({ codeHost, key, url: () => url, history, silence });
  const backends = new Set<ChildProcess>();

  /**
   * Handles the sign-in, whose endpoints check their own credentials. False for any other request.
   */
  async function signIn(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const url = new URL(request.url ?? "/", "http://code-host");
    if (!oauth || !/^\/(login$|(login|applications)\/)/.test(url.pathname)) return false;
    const answer = oauth.answer({
      method: request.method ?? "GET",
      url,
      body: await text(request),
      authorization: request.headers.authorization,
      visitor: getVisitor(request, url, key),
      isFromOwnPage: isFromOwnPage(request),
    });
    if (answer) response.writeHead(answer.status, answer.headers).end(answer.text);
    else refuse(response, 404, "There is no such page.");
    return true;
  }

  /** Serves reads of public repositories, which need no credential. False for any other request. */
  function answerPublic(request: IncomingMessage, response: ServerResponse): boolean {
    const { pathname, search } = new URL(request.url ?? "/", "http://code-host");
    const archive = parseArchivePath(pathname);
    const asked = parseGitPath(pathname);
    const name = archive?.name ?? asked?.name;
    if (name === undefined || !isPublic(getFolder(name))) return false;
    if (archive) {
      noteBackend(sendArchive(response, getFolder(name), archive, env));
      return true;
    }
    const isRead = asked?.service === "/git-upload-pack" || search === "?service=git-upload-pack";
    if (!asked || !isRead) return false;
    noteBackend(
      runBackend(request, response, { root, path: `/${name}.git${asked.service}`, query: search.slice(1), env }),
    );
    return true;
  }

  function noteBackend(backend: ChildProcess): void {
    backends.add(backend);
    backend.once("close", () => backends.delete(backend));
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (await signIn(request, response)) return;
    if (await pages.answer(request, response)) return;
    if (answerPublic(request, response)) return;
    const access = findAccess(request.headers.authorization, { token, app, oauth });
    if (access === null) {
      const challenge = { "www-authenticate": 'Basic realm="Practice Code Host"' };
      return refuse(response, 401, "This needs the code host's token.", challenge);
    }
    const { pathname, search } = new URL(request.url ?? "/", "http://code-host");
    const asked = parseGitPath(pathname);
    const opensHosted = hosted !== null && isOpen(access, hosted.name);
    if (relay && opensHosted && (relay.isApiPath(pathname) || pathname === "/graphql")) {
      return relay.passApi(request, response);
    }
    if (asked === null) {
      return await handleApi(request, response, { ...codeHost, revokeTokens, revokeGrant, silence, webhooks }, access);
    }
    if (!isOpen(access, asked.name) || !(await hasRepository(asked.name)))
      return refuse(response, 404, "Repository not found.");
    if (relay?.isRelayed(asked.name)) return relay.forwardGit(request, response, asked.service);
    const path = `/${asked.name}.git${asked.service}`;
    // The body is read, so that the fault is only the missing response.
    if (asked.service === "/git-receive-pack" && silence.isSilent(asked.name)) return void request.resume();
    const before = asked.service === "/git-receive-pack" ? await open(asked.name).heads() : null;
    const by = access.kind === "repositories" ? appLogin : usualLogin;
    const isGuarded = asked.service === "/git-receive-pack" && access.kind === "repositories";
    const backend = runBackend(request, response, {
      root,
      path,
      query: search.slice(1),
      env: isGuarded ? { ...env, ...guard } : env,
      rewrite: isGuarded ? withReason : undefined,
    });
    backends.add(backend);
    backend.once("close", () => {
      backends.delete(backend);
      if (before) announcements.pushes(asked.name, before, by).catch(report);
    });
  }

  const server = createServer(
    withLoopbackGuard((request, response) => {
      handle(request, response).catch((error: unknown) => {
        report(error);
        response.destroy();
      });
    }),
  );
  outlastCallers(server);
  const url = `http://${host}:${await startListening(server, port, host)}`;
  const stopReports = hosted && webhooks.hasReceiver() ? startPullRequestReports(hosted, webhooks) : () => {};

  return {
    url,
    pagesUrl: `${url}/?key=${key}`,
    signInUrl: `${url}/login?key=${key}`,
    createSignInUrl: (login) => `${url}/login?key=${key}&pass=${oauth?.createPass(login) ?? ""}`,
    async createRepository(name, files) {
      if (!isRepositoryName(name)) throw new Error(`not a repository name: ${name}`);
      await createRepository(getFolder(name), files, scratch, env);
    },
    makePublic: (name) => makePublic(getFolder(name)),
    async importFolder(name, asked) {
      if (!isRepositoryName(name)) throw new Error(`not a repository name: ${name}`);
      const before = (await hasRepository(name)) ? await open(name).heads() : null;
      const outcome = await importFolder(getFolder(name), asked, scratch, env);
      const announce = async () => {
        if (before) await announcements.pushes(name, before, usualLogin);
      };
      return { ...outcome, announce };
    },
    getFolder,
    async close() {
      stopReports();
      for (const backend of backends) backend.kill();
      await webhooks.close();
      await new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      });
    },
  };
}

function report(error: unknown): void {
  console.error("practice code host:", error);
}

function refuse(response: ServerResponse, status: number, message: string, headers: Record<string, string> = {}) {
  response.writeHead(status, { ...headers, "content-type": "text/plain" }).end(`${message}\n`);
}
