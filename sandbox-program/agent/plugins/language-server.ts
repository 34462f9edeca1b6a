// One language server of a plugin: a process of the turn that is notified of each changed file and
// reports its errors.
import { pathToFileURL } from "node:url";
import {
  createMessageConnection,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";
import type { LanguageServer } from "../../../src/plugin/rules/language-server.ts";
import { toFields } from "../../../src/plugin/rules/manifest-values.ts";
import type { Environment } from "../../process/environment.ts";
import type { ProcessFamily } from "../../process/process-family.ts";
import { spawnMember } from "../../process/spawn-member.ts";

export interface RunningServer {
  /** Sends a file's content and returns its errors, as lines. Rejects once the server has ended. */
  errorsIn(path: string, content: string): Promise<string[]>;
}

export interface ServerPlace {
  cwd: string;
  env: Environment;
  family: ProcessFamily;
}

/** A server that sends more than this is broken. */
const outputBytesMax = 64 * 1_024 * 1_024;
/** An empty first result may be premature: the server may still be checking. */
const secondThoughtsMs = 400;
const errorsShown = 20;
const messageCharactersMax = 500;
const isError = 1;

/** Starts a server. Rejects if it fails to start. */
export async function startServer(server: LanguageServer, { cwd, env, family }: ServerPlace): Promise<RunningServer> {
  await family.open();
  const argv = [server.command, ...server.args];
  const child = spawnMember(family, { argv, cwd, env }, { stdio: ["pipe", "pipe", "ignore"] });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error("The server has no streams.");
  const ended = new Promise<never>((_, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`The server ended with ${code}.`)));
  });
  ended.catch(() => {});
  stdin.on("error", () => {});
  let bytes = 0;
  stdout.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > outputBytesMax) child.kill("SIGKILL");
  });
  const connection = createMessageConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
  connection.onError(() => {});
  answerRequests(connection, server);
  const waiting = new Map<string, (errors: string[]) => void>();
  connection.onNotification("textDocument/publishDiagnostics", (params: unknown) => {
    const { uri, diagnostics } = toFields(params);
    if (typeof uri === "string")
      waiting.get(uri)?.(Array.isArray(diagnostics) ? diagnostics.flatMap(formatDiagnostic) : []);
  });
  connection.listen();
  const rootUri = pathToFileURL(cwd).href;
  await Promise.race([
    ended,
    connection.sendRequest("initialize", {
      processId: null,
      rootUri,
      workspaceFolders: [{ uri: rootUri, name: "project" }],
      capabilities: {
        textDocument: { synchronization: { didSave: true }, publishDiagnostics: { versionSupport: true } },
        workspace: { configuration: true, workspaceFolders: true },
      },
      ...(server.initializationOptions === undefined ? {} : { initializationOptions: server.initializationOptions }),
    }),
  ]);
  await connection.sendNotification("initialized", {});
  if (server.settings !== undefined)
    await connection.sendNotification("workspace/didChangeConfiguration", { settings: server.settings });

  const versions = new Map<string, number>();

  async function sendContent(uri: string, path: string, text: string): Promise<void> {
    const version = (versions.get(uri) ?? 0) + 1;
    versions.set(uri, version);
    const languageId = findLanguage(server, path) ?? "plaintext";
    if (version === 1)
      await connection.sendNotification("textDocument/didOpen", { textDocument: { uri, languageId, version, text } });
    else
      await connection.sendNotification("textDocument/didChange", {
        textDocument: { uri, version },
        contentChanges: [{ text }],
      });
    await connection.sendNotification("textDocument/didSave", { textDocument: { uri }, text });
  }

  return {
    async errorsIn(path, content) {
      const uri = pathToFileURL(path).href;
      const said = Promise.withResolvers<string[]>();
      let timer: NodeJS.Timeout | undefined;
      const receive = (errors: string[]) => {
        clearTimeout(timer);
        if (errors.length > 0) said.resolve(errors);
        else timer = setTimeout(() => said.resolve([]), secondThoughtsMs);
      };
      waiting.set(uri, receive);
      try {
        await sendContent(uri, path, content);
        return await Promise.race([ended, said.promise]);
      } finally {
        clearTimeout(timer);
        if (waiting.get(uri) === receive) waiting.delete(uri);
      }
    },
  };
}

/** The language of a file, by the server's file extensions; null if none matches. */
export function findLanguage({ languages }: LanguageServer, path: string): string | null {
  return Object.entries(languages).find(([ending]) => path.endsWith(ending))?.[1] ?? null;
}

/** Handles the requests that servers may send. The library refuses all others. */
function answerRequests(connection: MessageConnection, { settings }: LanguageServer): void {
  connection.onRequest("workspace/configuration", (params: unknown) => {
    const { items } = toFields(params);
    return (Array.isArray(items) ? items : []).map((item) => {
      const { section } = toFields(item);
      return typeof section === "string" ? (toFields(settings)[section] ?? null) : (settings ?? null);
    });
  });
  for (const method of ["client/registerCapability", "client/unregisterCapability", "window/workDoneProgress/create"])
    connection.onRequest(method, () => null);
}

/** Formats an error as `line:column: message`. Warnings and hints are left out. */
function formatDiagnostic(diagnostic: unknown, at: number): string[] {
  const { severity = isError, message, range } = toFields(diagnostic);
  if (severity !== isError || typeof message !== "string" || at >= errorsShown) return [];
  const { line = 0, character = 0 } = toFields(toFields(range).start);
  return [`${Number(line) + 1}:${Number(character) + 1}: ${message.slice(0, messageCharactersMax)}`];
}
