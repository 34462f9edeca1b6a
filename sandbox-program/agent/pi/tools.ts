// The tools that pi offers the model besides bash: its own file tools, and the product's.
import { accessSync, constants } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import {
  createEditToolDefinition,
  createFindToolDefinition,
  createGrepToolDefinition,
  createLsToolDefinition,
  createReadToolDefinition,
  createWriteToolDefinition,
  defineTool,
  detectSupportedImageMimeTypeFromFile,
  type ToolDefinition,
} from "@earendil-works/pi-coding-agent";
import type { Folders } from "../../folders.ts";
import { toFields } from "../../http/unknown-fields.ts";
import { waitUntilWhole } from "../../rest-of-checkout.ts";
import type { AgentTool, AgentTurn } from "../agent.ts";
import { createFileAccess, createProjectAccess } from "../file-access.ts";

/**
 * The names of pi's own tools that this machine supports. An agent that only reads gets none that
 * starts a program.
 */
export function listBuiltinToolNames({ writes }: { writes: boolean }): string[] {
  if (!writes) return ["read", "ls"];
  const names = ["read", "bash", "edit", "write", "ls"];
  if (isInstalled("rg")) names.push("grep");
  if (isInstalled("fd")) names.push("find");
  return names;
}

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * pi's own file and search tools, limited to the agent's files and run in the turn's process
 * family. An agent that only reads sees only the checkout.
 */
export function createBuiltinTools(
  folders: Folders,
  names: string[],
  { writes }: { writes: boolean },
  currentTurn: () => AgentTurn,
): ToolDefinition[] {
  const { project } = folders;
  const { reading, readFile, streamFile, write, list, check } = writes
    ? createFileAccess(folders)
    : createProjectAccess(folders);
  const access = (path: string) => reading(path, async () => {});
  const checked = async (path: string) => {
    await check(path);
    return await stat(path);
  };
  const exists = (path: string) =>
    checked(path).then(
      () => true,
      () => false,
    );
  const detectImageMimeType = (path: string) =>
    reading(path, async (file, place) =>
      // A pipe would hold its second open until somebody writes to it.
      (await file.stat()).isFile() ? await detectSupportedImageMimeTypeFromFile(place) : null,
    );
  const makeFolder = async (path: string) => {
    await check(path);
    await mkdir(path, { recursive: true });
  };
  const isDirectory = async (path: string) => (await checked(path)).isDirectory();
  const definitions = [
    createReadToolDefinition(project, {
      autoResizeImages: false,
      operations: { readFile, createReadStream: streamFile, access, detectImageMimeType },
    }),
    createEditToolDefinition(project, { operations: { readFile, access, writeFile: write } }),
    createWriteToolDefinition(project, { operations: { writeFile: write, mkdir: makeFolder } }),
    createLsToolDefinition(project, { operations: { exists, stat: checked, readdir: list } }),
    inFamily(
      createGrepToolDefinition(project, {
        operations: { isDirectory, readFile: async (path) => (await readFile(path)).toString("utf8") },
      }),
      currentTurn,
    ),
    inFamily(createFindToolDefinition(project), currentTurn),
  ] as ToolDefinition[];
  return definitions.filter(({ name }) => names.includes(name)).map((tool) => withAskedPath(tool, project));
}

/** Wraps a tool: it waits for a whole checkout, and its errors name the path that was asked. */
function withAskedPath(tool: ToolDefinition, project: string): ToolDefinition {
  const execute: ToolDefinition["execute"] = async (callId, input, signal, ...rest) => {
    await waitUntilWhole(signal);
    return await tool.execute(callId, input, signal, ...rest).catch((error: unknown) => {
      throw toAskedError(error, input, project);
    });
  };
  return { ...tool, execute };
}

/** The error with the path that was asked, instead of where it is on the machine. */
function toAskedError(error: unknown, input: unknown, project: string): unknown {
  const { path } = toFields(input);
  if (!(error instanceof Error) || typeof path !== "string") return error;
  // What was opened can be a folder above the path.
  const opened = "path" in error && typeof error.path === "string" ? error.path : resolve(project, path);
  return new Error(error.message.replace(opened, () => path));
}

/** Wraps a tool so that the turn's process family is open when it runs. */
function inFamily<Definition extends Pick<ToolDefinition, "execute">>(tool: Definition, currentTurn: () => AgentTurn) {
  const execute: Definition["execute"] = async (...args) => {
    await currentTurn().family.open();
    return await tool.execute(...args);
  };
  return { ...tool, execute };
}

const never = new AbortController().signal;

/**
 * One of the product's tools, in pi's terms. Its event is reported to the current turn after it has
 * run.
 */
export function createProductTool(
  tool: AgentTool,
  project: string,
  currentTurn: () => AgentTurn,
  onQuestion: () => void,
): ToolDefinition {
  return defineTool({
    name: tool.name,
    label: tool.label,
    description: tool.description,
    // pi changes values that its schema does not take, such as null to 0, before it refuses any.
    parameters: tool.isCheckedByService ? { type: "object" } : tool.parameters,
    execute: async (_callId, input, signal) => {
      // The next turn must not get the call of one that was stopped meanwhile.
      await waitUntilWhole(signal);
      const turn = currentTurn();
      const { run } = turn.tools.find(({ name }) => name === tool.name) ?? tool;
      const answer = await run(input, signal ?? never).catch((error: unknown) => {
        throw toAskedError(error, input, project);
      });
      if (answer.event) turn.onEvent(answer.event);
      if (answer.endsTurn) onQuestion();
      return { content: [{ type: "text", text: answer.text }], details: undefined, terminate: answer.endsTurn };
    },
  });
}
