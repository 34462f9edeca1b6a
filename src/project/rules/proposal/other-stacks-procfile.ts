// A Procfile: one process a line, of which `web` listens on PORT.
import { type Found, nothing, portIn } from "./found.ts";

/** Reads a Procfile, which is at `path`. Its `release` belongs to a deployment. */
export function findProcfile(path: string, text: string | null): Found {
  const lines = (text ?? "").split("\n").flatMap((line) => {
    const [, name, command] = /^([A-Za-z0-9_-]+)\s*:\s*(\S.*?)\s*$/.exec(line) ?? [];
    return name && command && name !== "release" ? [{ name, command }] : [];
  });
  if (lines.length === 0) return nothing;
  const services = lines.map(({ name, command }) => ({
    name,
    command,
    port: name === "web" ? (portIn(command) ?? 3000) : portIn(command),
    because: `${path}: its line ${name}`,
  }));
  return { ...nothing, services };
}
