// Explains to a person or an agent why a git command failed. The remote's messages are quoted.
// git's own messages about the connection are not, because they contain the service's internal
// address.
import { createRefusal } from "../http/refusal.ts";

const silence = /returned error: 50[024]|RPC failed; curl|unexpected disconnect|the remote end hung up/i;
const silent =
  "The code host does not answer, or closes the connection. Nothing is lost: what is committed is kept. Try again later.";

/** Another git holds a lock of the checkout. */
export const locked = /\.lock': File exists|could not lock config file/;

/** For a branch that the remote does not have: git's message names the branch and no address. */
const missingBranch = "The branch does not exist on the remote.";

const knownFailures: [pattern: RegExp, message: string][] = [
  [locked, "Another git command is running in this checkout. Try again when it is done."],
  [
    /non-fast-forward|fetch first|stale info|rejected.{0,1000}(behind|others have pushed)/,
    "The branch on the remote has commits that this sandbox does not have. Fetch it and build on them.",
  ],
  [
    /returned error: 40[13]|Authentication failed|could not read Username/,
    "The git gateway did not let the command through.",
  ],
  [
    /Could not resolve host|Failed to connect|Connection refused|unable to access/,
    "The git gateway cannot be reached.",
  ],
  [/Remote branch .* not found|couldn't find remote ref/, missingBranch],
  [/No space left on device|Out of diskspace/, "The sandbox's disk is full."],
];

/** How many of git's last lines are shown. */
const shownLines = 5;
const shownCharacters = 1_000;
const refusedRef = " ! [remote rejected] ";
const fromRemote = "remote: ";

/** The refusal for a failed command. */
export function explainFailure(
  subcommand: string,
  { stderr, hasAccess }: { stderr: string; hasAccess: boolean },
): ReturnType<typeof createRefusal> {
  if (silence.test(stderr)) return createRefusal("REMOTE_SILENT", silent);
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const said = hasAccess ? remoteRefusal(lines) : null;
  if (said !== null) return createRefusal("GIT_REFUSED", said);
  const known = knownFailures.find(([pattern]) => pattern.test(stderr))?.[1];
  const isWordy = known === undefined || known === missingBranch || !hasAccess;
  const words = isWordy ? getEnd(lines) : "";
  return createRefusal(
    "GIT_REFUSED",
    [known ?? `git ${subcommand} failed.`, words].filter((part) => part !== "").join("\n"),
  );
}

/** The remote's message when it rejected a push; null if it did not. */
function remoteRefusal(lines: string[]): string | null {
  const refused = lines.find((line) => line.startsWith(refusedRef));
  if (refused === undefined) return null;
  // A branch name contains no space.
  const begin = refused.indexOf(" (");
  const reason = begin < 0 ? "" : refused.slice(begin + 2).replace(/\)$/, "");
  const words = lines.filter((line) => line.startsWith(fromRemote)).map((line) => line.slice(fromRemote.length).trim());
  const shown =
    reason === "" ? "The remote refused the push." : `The push was refused: ${reason.slice(0, shownCharacters)}.`;
  return [shown, getEnd(words)].filter((part) => part !== "").join("\n");
}

const getEnd = (lines: string[]) => lines.slice(-shownLines).join("\n").slice(0, shownCharacters);
