// The proposal for a repository, from the contents of its files.
import { describe, expect, test } from "vitest";
import { checkSettings } from "../../../src/project/rules/check-settings.ts";
import { listProposalFiles, proposeSettings } from "../../../src/project/rules/proposal/proposal.ts";

type Repository = Record<string, string>;

function propose(files: Repository) {
  const paths = Object.keys(files);
  const read = new Map(listProposalFiles(paths).map((path) => [path, files[path] ?? ""]));
  const { settings, reasons } = proposeSettings(paths, read);
  expect(checkSettings(settings)).toBeNull();
  const services = settings.services.map(({ name, command, cwd, endpoints: [endpoint] }) => {
    const place = cwd ? ` in ${cwd}` : "";
    return `${name}: ${command}${place} @ ${endpoint?.port ?? "nothing"}`;
  });
  return { setup: settings.setup, services, reasons };
}

const node = (scripts: Record<string, string>, more: object = { dependencies: { a: "1" } }): Repository => ({
  "package.json": JSON.stringify({ scripts, ...more }),
});
const npm = (scripts: Record<string, string>): Repository => ({ ...node(scripts), "package-lock.json": "{}" });

describe("a script of package.json runs on the port that it gets", () => {
  test.each([
    ["vite", 'npm run dev -- --port "$PORT" --strictPort', 5173],
    ["vite --open", 'npm run dev -- --port "$PORT" --strictPort', 5173],
    ["vite dev", 'npm run dev -- --port "$PORT" --strictPort', 5173],
    ["prisma generate && vite", 'npm run dev -- --port "$PORT" --strictPort', 5173],
    ["vite --port 4000", 'npm run dev -- --port "$PORT" --strictPort', 4000],
    ["vite & tsc --watch", "npm run dev", 5173],
    ["next dev", 'npm run dev -- --port "$PORT"', 3000],
    ["next dev --turbo -p 4000", 'npm run dev -- --port "$PORT"', 4000],
    ["nuxt dev", 'npm run dev -- --port "$PORT"', 3000],
    ["nuxi dev", 'npm run dev -- --port "$PORT"', 3000],
    ["astro dev", 'npm run dev -- --port "$PORT"', 4321],
    ["remix vite:dev", 'npm run dev -- --port "$PORT"', 5173],
    ["remix dev", "npm run dev", 3000],
    ["react-router dev", 'npm run dev -- --port "$PORT"', 5173],
    ["vinxi dev", 'npm run dev -- --port "$PORT"', 3000],
    ["ng serve", 'npm run dev -- --port "$PORT"', 4200],
    ["react-scripts start", "npm run dev", 3000],
    ["vue-cli-service serve", 'npm run dev -- --port "$PORT"', 8080],
    ["gatsby develop", 'npm run dev -- --port "$PORT"', 8000],
    ["docusaurus start", 'npm run dev -- --port "$PORT" --no-open', 3000],
    ["eleventy --serve", 'npm run dev -- --port="$PORT"', 8080],
    ["webpack serve", 'npm run dev -- --port "$PORT"', 8080],
    ["wrangler dev", 'npm run dev -- --port "$PORT"', 8787],
    ["nest start --watch", "npm run dev", 3000],
    ["serve public", 'npm run dev -- --listen "$PORT"', 3000],
    ["node --watch server.js", "npm run dev", 3000],
    ["nodemon --inspect=127.0.0.1:9229 app.js", "npm run dev", 3000],
    ["PORT=4000 node server.js", "node server.js", 4000],
    ["tsx watch src/main.ts", "npm run dev", 3000],
  ])("%s", (script, command, port) => {
    expect(propose(npm({ dev: script })).services).toEqual([`web: ${command} @ ${port}`]);
  });

  test.each(["vitest", "vite build", "tsc --watch", "jest --watch", "next build", "turbo run dev", "echo none"])(
    "%s is no server",
    (script) => {
      expect(propose(npm({ dev: script })).services).toEqual([]);
    },
  );

  test("the script for development takes precedence over the one for production", () => {
    const { services, reasons } = propose(npm({ start: "node dist/server.js", dev: "vite" }));
    expect(services).toEqual(['web: npm run dev -- --port "$PORT" --strictPort @ 5173']);
    expect(reasons).toEqual([
      "setup: npm ci || npm install --no-save  (package-lock.json)",
      'web: npm run dev -- --port "$PORT" --strictPort  (package.json: its script dev runs Vite)',
    ]);
  });

  test("a browser is not opened where only a variable prevents it", () => {
    const files = npm({ start: "react-scripts start" });
    const { settings } = proposeSettings(Object.keys(files), new Map(Object.entries(files)));
    expect(settings.services).toMatchObject([{ env: { BROWSER: "none" } }]);
  });
});

describe("packages are installed by the package manager of the lockfile", () => {
  const vite = { dev: "vite" };
  test.each<[string, Repository, string, string]>([
    ["npm", npm(vite), "npm ci || npm install --no-save", 'npm run dev -- --port "$PORT" --strictPort'],
    ["no lockfile", node(vite), "npm install", 'npm run dev -- --port "$PORT" --strictPort'],
    [
      "pnpm",
      { ...node(vite), "pnpm-lock.yaml": "" },
      "npx --yes pnpm@latest install --frozen-lockfile",
      'npx --yes pnpm@latest run dev --port "$PORT" --strictPort',
    ],
    [
      "pnpm of a version",
      { ...node(vite, { dependencies: { a: "1" }, packageManager: "pnpm@9.1.0+sha512.ab" }), "pnpm-lock.yaml": "" },
      "npx --yes pnpm@9.1.0 install --frozen-lockfile",
      'npx --yes pnpm@9.1.0 run dev --port "$PORT" --strictPort',
    ],
    [
      "classic yarn",
      { ...node(vite), "yarn.lock": "" },
      "npx --yes yarn@1 install --frozen-lockfile",
      'npx --yes yarn@1 run dev --port "$PORT" --strictPort',
    ],
    [
      "yarn of the repository",
      { ...node(vite), "yarn.lock": "", ".yarn/releases/yarn-4.5.0.cjs": "" },
      "node .yarn/releases/yarn-4.5.0.cjs install --immutable",
      'node .yarn/releases/yarn-4.5.0.cjs run dev --port "$PORT" --strictPort',
    ],
    [
      "modern yarn",
      { ...node(vite, { devDependencies: { a: "1" }, packageManager: "yarn@4.5.0" }), "yarn.lock": "" },
      "npx --yes @yarnpkg/cli-dist@4.5.0 install --immutable",
      'npx --yes @yarnpkg/cli-dist@4.5.0 run dev --port "$PORT" --strictPort',
    ],
    [
      "bun",
      { ...node(vite), "bun.lock": "" },
      "npx --yes bun@latest install --frozen-lockfile",
      'npx --yes bun@latest run dev --port "$PORT" --strictPort',
    ],
  ])("%s", (_, files, install, command) => {
    expect(propose(files)).toMatchObject({ setup: [install], services: [`web: ${command} @ 5173`] });
  });

  test("a project without packages installs none", () => {
    expect(propose(node({ start: "node server.js" }, {}))).toMatchObject({
      setup: [],
      services: ["web: npm run start @ 3000"],
    });
  });
});

const compose = `
# What we run
services:
  web:
    build: .
    command: ["bundle", "exec", "puma -p 5000"]
    ports:
      - "8000:5000"   # the outer one first
  worker:
    command: sh -c "sleep 5"
  api:
    command:
    - python
    - api.py
    ports:
    - target: 7000
      published: 80
  db:
    image: postgres:16
    ports:
      - 5432:5432
volumes:
  data:
`;

describe("other files are evidence too", () => {
  test.each<[string, Repository, string[], string[]]>([
    ["a server without a package.json", { "server.js": "" }, [], []],
    ["a server without a script", { ...node({}, {}), "server.js": "" }, [], ["web: node server.js @ 3000"]],
    [
      "a Procfile",
      { Procfile: "web: gunicorn app:app\nworker: celery -A app\n# none\nrelease: ./migrate\n" },
      [],
      ["web: gunicorn app:app @ 3000", "worker: celery -A app @ nothing"],
    ],
    [
      "a Procfile of development before the one of production",
      { "Procfile.dev": "web: bin/rails server -p 3100\ncss: bin/css --watch\n", Procfile: "web: puma" },
      [],
      ["web: bin/rails server -p 3100 @ 3100", "css: bin/css --watch @ nothing"],
    ],
    [
      "a docker-compose.yml",
      { "docker-compose.yml": compose },
      [],
      ["web: bundle exec 'puma -p 5000' @ 5000", 'worker: sh -c "sleep 5" @ nothing', "api: python api.py @ 7000"],
    ],
    [
      "a Makefile",
      { Makefile: "PORT ?= 4567\nbuild:\n\tcc x.c\nserve: build\n\t./x\n" },
      [],
      ["web: make serve @ 4567"],
    ],
    [
      "a Makefile's recipe",
      { Makefile: "dev:\n\t./x --port 4000\nother:\n\t./x --port 5000\n" },
      [],
      ["web: make dev @ 4000"],
    ],
    ["a Makefile that only builds", { Makefile: "dev := 1\nbuild:\n\tcc x.c\n" }, [], []],
    ["Django", { "manage.py": "" }, [], ['web: python3 manage.py runserver "127.0.0.1:$PORT" @ 8000']],
    [
      "Django with requirements",
      { "manage.py": "", "requirements.txt": "django" },
      ["python3 -m venv .venv && echo '*' > .venv/.gitignore", ".venv/bin/pip install -r requirements.txt"],
      ['web: .venv/bin/python manage.py runserver "127.0.0.1:$PORT" @ 8000'],
    ],
    [
      "Django with uv",
      { "manage.py": "", "uv.lock": "" },
      ["uv sync"],
      ['web: uv run python manage.py runserver "127.0.0.1:$PORT" @ 8000'],
    ],
    [
      "a Go server",
      { "go.mod": "module x", "go.sum": "", "main.go": 'import "net/http"' },
      ["go mod download"],
      ["web: go run . @ 8080"],
    ],
    [
      "a Go server below cmd",
      { "go.mod": "require github.com/gin-gonic/gin v1", "cmd/api/main.go": "" },
      [],
      ["web: go run ./cmd/api @ 8080"],
    ],
    ["a Go program", { "go.mod": "module x", "main.go": "package main" }, [], []],
    ["a Rust server", { "Cargo.toml": '[dependencies]\naxum = "0.8"\n' }, ["cargo fetch"], ["web: cargo run @ 8080"]],
    [
      "Rocket, which has a variable of its own",
      { "Cargo.toml": '[dependencies]\nrocket = "0.5"\n' },
      ["cargo fetch"],
      ['web: ROCKET_PORT="$PORT" cargo run @ 8000'],
    ],
    ["a Rust library", { "Cargo.toml": '[dependencies]\nserde = "1"\n' }, ["cargo fetch"], []],
    ["nothing", { "README.md": "# Hello" }, [], []],
    ["a package.json that is none", { "package.json": "{ scripts" }, [], []],
    ["a package.json of another shape", { "package.json": '["a"]' }, [], []],
    ["scripts of another shape", { "package.json": '{"scripts":{"dev":1}}' }, [], []],
  ])("%s", (_, files, setup, services) => {
    expect(propose(files)).toMatchObject({ setup, services });
  });

  test("services of a compose file that consist only of an image are named", () => {
    expect(propose({ "docker-compose.yml": compose }).reasons).toContain(
      "docker-compose.yml also names db, but without a command.",
    );
  });

  test("parts that belong together become one proposal: packages of two languages, one server", () => {
    expect(propose({ ...npm({ dev: "vite" }), "manage.py": "", "requirements.txt": "" })).toMatchObject({
      setup: ["npm ci || npm install --no-save", expect.stringContaining("venv"), expect.stringContaining("pip")],
      services: [expect.stringContaining("npm run dev")],
    });
  });
});

describe("a repository of several folders", () => {
  test("runs what each folder serves, under its name and on a port of its own", () => {
    const files: Repository = { "README.md": "" };
    for (const [path, text] of Object.entries(npm({ dev: "vite" }))) {
      files[`web/${path}`] = text;
      files[`admin/${path}`] = text;
    }
    files["api/manage.py"] = "";
    files["examples/package.json"] = files["web/package.json"] ?? "";
    expect(propose(files)).toMatchObject({
      setup: ["cd admin && (npm ci || npm install --no-save)", "cd web && (npm ci || npm install --no-save)"],
      services: [
        'admin: npm run dev -- --port "$PORT" --strictPort in admin @ 5173',
        'api: python3 manage.py runserver "127.0.0.1:$PORT" in api @ 8000',
        'web: npm run dev -- --port "$PORT" --strictPort in web @ 5174',
      ],
    });
  });

  test("is installed once if it is a workspace, by the package manager of its root", () => {
    const files = {
      ...node({ dev: "turbo run dev" }, { devDependencies: { turbo: "2" } }),
      "pnpm-lock.yaml": "",
      "pnpm-workspace.yaml": "",
      "apps/web/package.json": JSON.stringify({ scripts: { dev: "next dev" }, dependencies: { next: "15" } }),
      "packages/ui/package.json": JSON.stringify({ scripts: { dev: "tsc --watch" } }),
    };
    expect(propose(files)).toMatchObject({
      setup: ["npx --yes pnpm@latest install --frozen-lockfile"],
      services: ['web: npx --yes pnpm@latest run dev --port "$PORT" in apps/web @ 3000'],
    });
  });

  test("with too many folders is cut, and names that no project may have propose nothing", () => {
    const lines = Array.from({ length: 30 }, (_, at) => `job${at}: ./job\n`).join("");
    expect(propose({ Procfile: lines }).services).toHaveLength(20);
    const long = "x".repeat(60);
    expect(propose({ Procfile: `${long}: ./job` }).services).toEqual([]);
  });
});
