// A Makefile: the target by which people start what they work on.
import { type Found, nothing, portIn } from "./found.ts";

const targets = ["dev", "serve", "server", "run", "start"];

/** Reads a Makefile. */
export function findMakefile(text: string | null): Found {
  if (text === null) return nothing;
  const target = targets.find((name) => new RegExp(`^${name}\\s*:(?!=)`, "m").test(text));
  if (!target) return nothing;
  const [, recipe = ""] = text.split(new RegExp(`^${target}\\s*:(?!=).*\\n`, "m"));
  const below = recipe.split("\n");
  const end = below.findIndex((line) => !line.startsWith("\t") && line.trim() !== "");
  const lines = (end < 0 ? below : below.slice(0, end)).join("\n");
  const port = portIn(lines) ?? portIn(/^(?:export )?PORT\b.*$/m.exec(text)?.[0] ?? "") ?? 8080;
  return {
    ...nothing,
    services: [{ name: "web", command: `make ${target}`, port, because: `Makefile: its target ${target}` }],
  };
}
