// The descriptors that the shell of `npm start` left open, such as the pipes of a CI or a file with
// a secret. Whatever this process starts would have them too, down to the commands of an agent.
// Node keeps only the first sixteen from its children. macOS passes none to a child.
import { closeSync, existsSync, readdirSync, readFileSync } from "node:fs";

const folder = "/proc/self/fdinfo";
/** As Linux shows it. Node opens all of its own descriptors with this flag. */
const closesInChildren = 0o2000000;

/** Closes them. Settings may be files among them, so they must have been read. */
export function releaseInheritedDescriptors(): void {
  if (!existsSync(folder)) return;
  const inherited = readdirSync(folder)
    .map(Number)
    .filter((one) => one > 2 && isInherited(one));
  for (const descriptor of inherited) closeSync(descriptor);
}

function isInherited(descriptor: number): boolean {
  const info = readInfo(descriptor);
  const flags = /^flags:\s*([0-7]+)$/m.exec(info)?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & closesInChildren) === 0;
}

/** Empty for the descriptor of the listing, which is closed by then. */
function readInfo(descriptor: number): string {
  try {
    return readFileSync(`${folder}/${descriptor}`, "utf8");
  } catch {
    return "";
  }
}
