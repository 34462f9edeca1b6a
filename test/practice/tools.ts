// The tools that agents offer, as far as the practice model needs to know them.
import type { Tool } from "./agent.ts";

const text = { type: "string" };

function tool(name: string, properties: Record<string, object>, required = Object.keys(properties)): Tool {
  return { name, schema: { type: "object", properties, required } };
}

function list(...names: string[]) {
  const properties = Object.fromEntries(names.map((name) => [name, text]));
  return { type: "array", items: { type: "object", properties, required: names } };
}

/** The product's own agent. */
export const productTools = [
  tool("read", { path: text }),
  tool("bash", { command: text, timeout: { type: "number" } }, ["command"]),
  tool("edit", { path: text }),
  tool("write", { path: text, content: text }),
  tool("plan", { items: list("title", "status") }),
  tool("ask", { questions: { type: "array" } }),
  tool("artifact", { slug: text }),
  tool("file_session", { title: text, prompt: text }),
  tool("open_pull_request", {}),
];

/** Two other agents, with names of their own for the same things. */
export const opencodeTools = [
  tool("bash", { command: text, description: text }),
  tool("write", { filePath: text, content: text }),
  tool("todowrite", { todos: list("content", "status", "priority", "id") }),
];
export const claudeTools = [
  tool("Bash", { command: text, description: text }, ["command"]),
  tool("Write", { file_path: text, content: text }),
  tool("TodoWrite", { todos: list("content", "status", "activeForm") }),
  tool("mcp__board__file_session", { title: text, prompt: text }),
];
