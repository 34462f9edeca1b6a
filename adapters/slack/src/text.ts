// Texts between Slack and the service. Slack writes mentions, links and commands in `<…>`, and
// escapes three characters of everything else.

const answerCharacters = 4_000;

/** Escapes a text for Slack, so that nothing in it is a mention, a link or a command. */
export function toSlackText(text: string, characters = answerCharacters): string {
  const all = Array.from(text);
  const shown = all.length <= characters ? text : `${all.slice(0, characters - 1).join("")}…`;
  return shown.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The plain text of a message in Slack, without the mentions of the app. */
export function fromSlackText(text: string, appUserId: string): string {
  return text
    .replace(/<([^<>]*)>/g, (_, inside: string) => readMarkup(inside, appUserId))
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .trim();
}

function readMarkup(inside: string, appUserId: string): string {
  const [target = "", label = ""] = inside.split(/\|(.*)/s);
  const name = target.slice(1);
  switch (target[0]) {
    case "@":
      return name === appUserId ? "" : `@${label || name}`;
    case "#":
      return `#${label || name}`;
    case "!":
      return label || `@${name.split("^")[0]}`;
    default: {
      const address = target.replace(/^mailto:/, "");
      const isShort = label === "" || address === label || address.replace(/^https?:\/\//, "") === label;
      return isShort ? address : `${label} (${address})`;
    }
  }
}
