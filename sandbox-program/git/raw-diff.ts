// Parses the output of `--raw --numstat -z`: first the status of each file, then the line counts.
// With `-z` no name is quoted.
import type { ChangedFile } from "../../src/sandbox-protocol/protocol.ts";

type Change = Omit<ChangedFile, "committed">;

/** The changes in git's order, one for each path. */
export function parseChanges(output: string): Change[] {
  const changes = new Map<string, Change>();
  const values = output.split("\0").values();
  const next = () => values.next().value ?? "";
  for (const value of values) {
    if (value === "") continue;
    if (value.startsWith(":")) {
      const letter = value.split(" ").at(-1)?.[0] ?? "M";
      const previousPath = letter === "R" ? next() : null;
      const path = next();
      // git lists a file in conflict twice.
      const nothing = { additions: 0, deletions: 0, isBinary: false };
      if (!changes.has(path)) changes.set(path, { path, previousPath, status: toStatus(letter), ...nothing });
      continue;
    }
    const [additions = "", deletions = "", ...name] = value.split("\t");
    // For a renamed file, both names follow.
    const isRenamed = name.join("\t") === "";
    if (isRenamed) next();
    const change = changes.get(isRenamed ? next() : name.join("\t"));
    if (change) {
      change.isBinary = additions === "-";
      change.additions += change.isBinary ? 0 : Number(additions);
      change.deletions += change.isBinary ? 0 : Number(deletions);
    }
  }
  return [...changes.values()];
}

function toStatus(letter: string): Change["status"] {
  switch (letter) {
    case "A":
      return "added";
    case "D":
      return "deleted";
    case "R":
      return "renamed";
    default:
      return "modified";
  }
}
