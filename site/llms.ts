// The lists of the docs for language models: https://llmstxt.org.

import type { Operation } from "./api/document.ts";
import { getOperationPath } from "./api/pages.ts";
import { getMarkdownPath } from "./links.ts";

export interface ListedPage {
  path: string;
  title: string;
  summary: string;
  group: string;
}

const shorten = (text: string) => {
  const [first = ""] = /^.*?[.:](?= |$)/.exec(text) ?? [text];
  return first.replace(/:$/, ".");
};

/** Lists the Markdown of all pages, by groups. */
export function formatLlms(pages: ListedPage[]): string {
  const groups = [...new Set(pages.map(({ group }) => group))].map((group) => {
    const lines = pages
      .filter((page) => page.group === group)
      .map(({ path, title, summary }) => `- [${title}](${getMarkdownPath(path)})${summary && `: ${shorten(summary)}`}`);
    return `## ${group}\n\n${lines.join("\n")}`;
  });
  return `# Switchyard

> Switchyard hosts an AI coding agent for teams. A session works on a message in a sandbox and on a branch of its own, over an HTTP API.

The addresses are those of this service. \`/llms-api.txt\` has one line for each operation of the API, and \`/api/openapi.json\` describes them whole.

${groups.join("\n\n")}
`;
}

/** Lists the operations of the API, one on a line. */
export function formatLlmsApi(operations: Operation[]): string {
  const lines = operations.map(
    (operation) =>
      `${operation.method} ${operation.path} ${operation.id}: ${operation.summary}. ${getOperationPath(operation).replace("#", ".md#")}`,
  );
  return `${lines.join("\n")}\n`;
}
