// The commit message that the practice model drafts: a list of what a patch does to each file.
const listedMax = 20;
const firstLineLength = 72;

/** Drafts the message for a git patch. */
export function commitMessageFor(patch: string): string {
  const files = patch.split(/^(?=diff --git )/m).filter((part) => part.startsWith("diff --git "));
  const changes = files.map(wordsOf);
  const [only = "Change what is here", ...others] = changes;
  if (others.length === 0) return only.slice(0, firstLineLength);
  const listed = changes.slice(0, listedMax).map((change) => `- ${change}`);
  const rest = changes.length > listedMax ? [`- and ${changes.length - listedMax} more`] : [];
  return [`Change ${changes.length} files`, "", ...listed, ...rest].join("\n");
}

function wordsOf(file: string): string {
  const header = file.split("\n", 1)[0] ?? "";
  const path = /"?b\/([^\n]*?)"?$/.exec(
    header.slice(header.lastIndexOf(" b/") + 1 || header.lastIndexOf(' "b/') + 1),
  )?.[1];
  if (/^new file mode/m.test(file)) return `Add ${path}`;
  if (/^deleted file mode/m.test(file)) return `Delete ${path}`;
  if (/^rename to /m.test(file)) return `Move a file to ${path}`;
  return `Change ${path}`;
}
