// Go and Rust projects, by go.mod and Cargo.toml. Only one that uses a web server is run: another program would end, and be started again.
import { type Files, type Found, nothing } from "./found.ts";

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
