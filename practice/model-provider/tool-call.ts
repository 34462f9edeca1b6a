// Turns a step into a call of the agent's tool for it. Without a fitting tool, the plain name is
// called: the agent refuses that call, as it would a real model's.
import type { OfferedTool } from "./conversation.ts";
import type { JsonObject } from "./json.ts";
import type { ToolStep } from "./step.ts";
import { createToolInput, type Field } from "./tool-input.ts";

export interface ToolCall {
  name: string;
  input: JsonObject;
}

/** The possible names of each tool, the plain one first. */
const toolNames = {
  write: ["write", "write_file", "create_file"],
  bash: ["bash", "shell", "run_command", "exec_command", "execute_command", "terminal"],
  plan: ["plan", "todowrite", "update_plan", "todo_write", "write_todos"],
  ask: ["ask", "ask_user_question", "ask_user", "question", "request_user_input"],
  artifact: ["artifact", "create_artifact", "publish_artifact"],
  file: ["file_session", "create_session"],
  submit: ["submit_result"],
  list: ["ls", "list", "list_files", "list_directory", "list_dir"],
  find: ["find", "glob", "find_files"],
  read: ["read", "read_file"],
} as const;
type Purpose = keyof typeof toolNames;

const pathNames = ["path", "file_path", "filePath", "filename"];
const listing: Field = { names: ["command", "cmd"], value: "ls" };
const looks: [Purpose, Field][] = [
  ["bash", listing],
  ["list", { names: pathNames, value: "." }],
  ["find", { names: ["pattern"], value: "*" }],
  ["read", { names: pathNames, value: "README.md" }],
];

/** True if an offered tool can look at the repository. */
export function canLook(tools: OfferedTool[]): boolean {
  return looks.some(([purpose]) => toolFor(purpose, tools) !== null);
}

/** Returns the tool call of a step with the offered tools. */
export function toToolCall(step: ToolStep, tools: OfferedTool[]): ToolCall {
  switch (step.kind) {
    case "write":
      return call("write", tools, step.path, [
        { names: pathNames, value: step.path },
        { names: ["content", "contents", "file_text"], value: step.content },
      ]);
    case "bash":
      return call("bash", tools, step.command, [{ ...listing, value: step.command }]);
    case "plan":
      return call("plan", tools, "", [
        { names: ["items", "todos", "plan"], value: step.items, itemNames: planItemNames },
      ]);
    case "ask":
    case "artifact":
    case "file":
    case "submit":
      return { name: toolFor(step.kind, tools)?.name ?? toolNames[step.kind][0], input: step.input };
    case "tool":
      return { name: named(step.name, tools)?.name ?? step.name, input: step.input };
    case "look": {
      const [purpose, field] = looks.find(([candidate]) => toolFor(candidate, tools) !== null) ?? ["bash", listing];
      return call(purpose, tools, "Looks at the repository", [field]);
    }
  }
}

const planItemNames = { title: ["title", "content", "step", "text", "subject"], status: ["status"] };

function call(purpose: Purpose, tools: OfferedTool[], summary: string, fields: Field[]): ToolCall {
  const tool = toolFor(purpose, tools);
  return { name: tool?.name ?? toolNames[purpose][0], input: createToolInput(tool?.input ?? {}, fields, summary) };
}

function toolFor(purpose: Purpose, tools: OfferedTool[]): OfferedTool | null {
  for (const name of toolNames[purpose]) {
    const tool = named(name, tools);
    if (tool !== null) return tool;
  }
  return null;
}

function named(name: string, tools: OfferedTool[]): OfferedTool | null {
  return tools.find((tool) => tool.name === name) ?? tools.find((tool) => plain(tool.name) === plain(name)) ?? null;
}

/** A tool's name without its server's name, in lower case without separators. */
function plain(name: string): string {
  return name
    .slice(name.startsWith("mcp__") ? name.lastIndexOf("__") + 2 : 0)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "");
}
