// The practice model's first turn in a Deploy, without a script: it reads package.json, writes
// setup and a service, and reports what it did.
import { settingsHeading } from "../../src/deploy/rules/agent-profile.ts";
import { settingsNotWritten } from "../../src/deploy/rules/settings-writer.ts";
import { proposeSettings } from "../../src/project/rules/proposal/proposal.ts";
import { type Conversation, getNewestText } from "./conversation.ts";
import { isObject } from "./json.ts";
import { createScript, type Script } from "./script.ts";

const tool = "project_settings";
const settingsNow = new RegExp(`${settingsHeading}\\n(\\{[\\s\\S]*?\\n\\})`);
const separator = "--- package.json";
const reading = `git ls-files && echo '${separator}' && cat package.json`;

/**
 * Returns the script for the task of a Deploy whose project has no services; null for any other
 * message.
 */
export function findDeployScript(text: string, conversation: Conversation): Script | null {
  if (!conversation.tools.some(({ name }) => name === tool) || !hasNoService(text)) return null;
  const result = getNewestText(conversation, "tool");
  const { settings, reasons } = proposalFrom(result);
  const { setup, services } = settings;
  if (result.includes(separator) && services.length === 0) {
    const say = "This is the practice model. package.json names no service that it knows, so the project has none.";
    return createScript([
      { kind: "bash", command: reading },
      { kind: "say", text: say },
    ]);
  }
  return createScript([
    { kind: "bash", command: reading },
    { kind: "say", text: ["This is the practice model. It writes what package.json says:", ...reasons].join("\n") },
    { kind: "tool", name: tool, input: { setup, services } },
    result.includes(settingsNotWritten)
      ? { kind: "ask", input: { questions: [mayIWrite] } }
      : { kind: "say", text: `The project is set up. The report to the service:\n${result}` },
  ]);
}

/** What the practice model asks a member if the service refused the settings of an agent. */
const mayIWrite = {
  topic: "Settings",
  question: "An agent asked for this Deploy. Shall the project get the setup and the service of package.json?",
  options: [
    { title: "Yes", description: "Answer with a practice script that writes them.", isRecommended: true },
    { title: "No", description: "The project stays as it is.", isRecommended: false },
  ],
};

function hasNoService(text: string): boolean {
  const [, json = ""] = settingsNow.exec(text) ?? [];
  try {
    const settings: unknown = JSON.parse(json);
    return isObject(settings) && Array.isArray(settings.services) && settings.services.length === 0;
  } catch {
    return false;
  }
}

/** Derives a proposal from the result of `reading`. */
function proposalFrom(printed: string) {
  const [files = "", text = ""] = printed.split(`${separator}\n`);
  const paths = files.split("\n").filter((path) => path !== "");
  return proposeSettings(paths, new Map([["package.json", text]]));
}
