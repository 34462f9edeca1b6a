// Go and Rust projects, by go.mod and Cargo.toml. Only a project that uses a web server is run:
// another program would end, and be restarted.
import { type Files, type Found, findPort, nothing } from "./found.ts";

const goServers = /net\/http|gin-gonic\/gin|labstack\/echo|gofiber\/fiber|go-chi\/chi|gorilla\/mux|valyala\/fasthttp/;
const rustServers = /^(axum|actix-web|rocket|warp|hyper|poem|tide|salvo)\b/m;

/** Reads go.mod and the main program. */
export function findGo(files: Files): Found {
  const module = files.text("go.mod");
  if (module === null) return nothing;
  const setup = files.paths.has("go.sum") ? [{ command: "go mod download", because: "go.sum" }] : [];
  const main = ["main.go", ...[...files.paths].filter((path) => /^cmd\/[\w.-]+\/main\.go$/.test(path))].find((path) =>
    files.paths.has(path),
  );
  const isServer = goServers.test(module) || goServers.test(main ? (files.text(main) ?? "") : "");
  if (!main || !isServer) return { ...nothing, setup, notes: ["go.mod: no server is found, so nothing is run."] };
  const place = main === "main.go" ? "." : `./${main.replace(/\/main\.go$/, "")}`;
  const because = `go.mod: ${main} is a server`;
  return { ...nothing, setup, services: [{ name: "web", command: `go run ${place}`, port: 8080, because }] };
}

/** Reads Cargo.toml. */
export function findRust(files: Files): Found {
  const manifest = files.text("Cargo.toml");
  if (manifest === null) return nothing;
  const setup = [{ command: "cargo fetch", because: "Cargo.toml" }];
  const server = rustServers.exec(manifest)?.[1];
  if (!server) return { ...nothing, setup, notes: ["Cargo.toml: no server is found, so nothing is run."] };
  const command = server === "rocket" ? 'ROCKET_PORT="$PORT" cargo run' : "cargo run";
  const port = server === "rocket" ? 8000 : 8080;
  return { ...nothing, setup, services: [{ name: "web", command, port, because: `Cargo.toml: it uses ${server}` }] };
}

/**
 * Reads a Django project: its manage.py and the files that name its packages. They are installed in
 * a virtual environment, which git ignores.
 */
export function findDjango({ paths }: Files): Found {
  if (!paths.has("manage.py")) return nothing;
  const serve = (python: string) => [
    {
      name: "web",
      command: `${python} manage.py runserver "127.0.0.1:$PORT"`,
      port: 8000,
      because: "manage.py: a Django project",
    },
  ];
  if (paths.has("uv.lock"))
    return { ...nothing, setup: [{ command: "uv sync", because: "uv.lock" }], services: serve("uv run python") };
  if (paths.has("poetry.lock"))
    return {
      ...nothing,
      setup: [{ command: "poetry install", because: "poetry.lock" }],
      services: serve("poetry run python"),
    };
  if (!paths.has("requirements.txt")) return { ...nothing, services: serve("python3") };
  const because = "requirements.txt";
  const setup = [
    { command: "python3 -m venv .venv && echo '*' > .venv/.gitignore", because },
    { command: ".venv/bin/pip install -r requirements.txt", because },
  ];
  return { ...nothing, setup, services: serve(".venv/bin/python") };
}

const targets = ["dev", "serve", "server", "run", "start"];

/** Reads a Makefile: the target that starts the project for development. */
export function findMakefile(text: string | null): Found {
  if (text === null) return nothing;
  const target = targets.find((name) => new RegExp(`^${name}\\s*:(?!=)`, "m").test(text));
  if (!target) return nothing;
  const [, recipe = ""] = text.split(new RegExp(`^${target}\\s*:(?!=).*\\n`, "m"));
  const below = recipe.split("\n");
  const end = below.findIndex((line) => !line.startsWith("\t") && line.trim() !== "");
  const lines = (end < 0 ? below : below.slice(0, end)).join("\n");
  const port = findPort(lines) ?? findPort(/^(?:export )?PORT\b.*$/m.exec(text)?.[0] ?? "") ?? 8080;
  return {
    ...nothing,
    services: [{ name: "web", command: `make ${target}`, port, because: `Makefile: its target ${target}` }],
  };
}

/**
 * Reads the Procfile at `path`: one process per line, of which `web` listens on PORT. Its `release`
 * belongs to a deployment.
 */
export function findProcfile(path: string, text: string | null): Found {
  const lines = (text ?? "").split("\n").flatMap((line) => {
    const [, name, command] = /^([A-Za-z0-9_-]+)\s*:\s*(\S.*?)\s*$/.exec(line) ?? [];
    return name && command && name !== "release" ? [{ name, command }] : [];
  });
  if (lines.length === 0) return nothing;
  const services = lines.map(({ name, command }) => ({
    name,
    command,
    port: name === "web" ? (findPort(command) ?? 3000) : findPort(command),
    because: `${path}: its line ${name}`,
  }));
  return { ...nothing, services };
}
