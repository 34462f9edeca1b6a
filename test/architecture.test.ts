// The rules of the source tree: the directions of imports, the size and the names of files, and
// texts that no file contains.
import { describe, expect, it } from "vitest";
import { getRoom, type Import, listCircles, listImports, readTree, type SourceFile } from "./support/source-tree.ts";

const tree = await readTree();
const isCode = ({ path }: SourceFile) => /\.(ts|tsx|mjs)$/.test(path) && !path.endsWith(".d.ts");
const source = tree.filter(
  (file) =>
    /^(src|durable-objects|sandbox-program|practice|scripts|operate|bench|packages|console|site)\//.test(file.path) &&
    isCode(file),
);
const code = tree.filter(
  (file) =>
    /^(src|durable-objects|sandbox-program|practice|scripts|operate|bench|packages|console|site|test)\//.test(
      file.path,
    ) && isCode(file),
);
const imports = code.flatMap(listImports);

type Kind = "rules" | "lib" | "rows" | "wire" | "interface" | "use case" | "entry point" | "object";

/**
 * The kind of a file by its name; null for the top, for files that are open to all, and for files
 * outside of the service.
 */
function findKind(path: string): Kind | null {
  if (/^durable-objects\//.test(path)) return /\/(address|rpc)\.ts$/.test(path) ? "interface" : "object";
  if (!/^src\/.+\//.test(path)) return null;
  if (/^src\/([^/]+\/)?rules\//.test(path)) return "rules";
  if (/^src\/lib\//.test(path)) return "lib";
  if (/^src\/(storage\/|activity\/record\.ts$|[^/]+\/(tables|queries)(\.ts$|\/))/.test(path)) return "rows";
  if (/^src\/(sandbox-protocol\/|[^/]+\/((event-)?wire\.ts$|wire\/))/.test(path)) return "wire";
  if (/^src\/(http|pages|sweeps)\//.test(path)) return "entry point";
  return /^src\/[^/]+\/(routes\/|page\/|sweep\.ts$|(.*\/)?([\w-]+-)?routes?\.ts$)/.test(path)
    ? "entry point"
    : "use case";
}

const arrow = ({ from, to }: Import) => `${from} → ${to}`;
const packages = /^(package|node):/;
/** Files that a build makes. */
const isMade = /^(sandbox-program\/dist|packages\/client\/src\/generated)\//;

describe("imports", () => {
  /** The kinds of files and what each may import besides its own kind (`ARCHITECTURE.md`). */
  const kinds: Record<Kind, Kind[]> = {
    rules: [],
    lib: ["rules"],
    rows: ["lib", "rules"],
    wire: ["lib", "rules"],
    interface: ["wire", "lib", "rules"],
    "use case": ["wire", "rows", "lib", "rules", "interface"],
    "entry point": ["use case", "wire", "rows", "lib", "rules", "interface"],
    object: ["use case", "wire", "rows", "lib", "rules", "interface"],
  };

  it.each(Object.entries(kinds))("of %s follow the order of kinds", (kind, others) => {
    const ours = imports.filter(({ from }) => findKind(from) === kind);
    expect(ours.length).toBeGreaterThan(0);
    const isAllowed = ({ from, to, isType }: Import) => {
      const other = findKind(to);
      if (other === null) return kind !== "rules" || packages.test(to);
      if (other === kind || others.includes(other)) return true;
      // The object of a sweep runs what the schedule names.
      if (from === "durable-objects/sweep/sweep.ts") return to.startsWith("src/sweeps/");
      // Types only say what is shown, and load nothing.
      const typesFrom: Record<string, Kind[]> = { wire: ["rows", "interface"], interface: ["rows", "use case"] };
      return isType && typesFrom[kind]?.includes(other) === true;
    };
    expect(ours.filter((one) => !isAllowed(one)).map(arrow)).toEqual([]);
  });

  /** Files that may import only certain others. */
  const only: [promise: string, from: RegExp, to: RegExp][] = [
    ["rules import rules only", /^src\/([^/]+\/)?rules\//, /^src\/([^/]+\/)?rules\//],
    [
      "the sandbox program imports itself, the protocol, rules and packages",
      /^sandbox-program\//,
      /^(sandbox-program\/|src\/([^/]+\/)?rules\/|src\/sandbox-protocol\/|(package|node):)/,
    ],
    [
      "the client library imports itself and packages, and nothing of Node",
      /^packages\/client\/src\//,
      /^(packages\/client\/src\/|package:)/,
    ],
    [
      "the console imports itself and packages, so that it calls the service only through the client library",
      /^console\/src\//,
      /^(console\/src\/|package:)/,
    ],
  ];

  it.each(only)("%s", (_, from, to) => {
    const ours = imports.filter((one) => from.test(one.from));
    expect(ours.length).toBeGreaterThan(0);
    expect(ours.filter((one) => !to.test(one.to)).map(arrow)).toEqual([]);
  });

  /** Files that must not import certain others. */
  const never: [promise: string, from: RegExp, to: RegExp][] = [
    [
      "only rows, objects and the seed reach tables and drizzle",
      /^(?!src\/storage\/|src\/[^/]+\/(tables|queries)(\.ts|\/)|src\/activity\/record\.ts|durable-objects\/|practice\/seed\.ts$|test\/)/,
      /^(src\/[^/]+\/tables\.ts$|durable-objects\/[^/]+\/tables(\.ts$|\/)|package:drizzle)/,
    ],
    ["the rules of a chat know no session", /^src\/chat\/rules\//, /^src\/session\/rules\//],
    ["a chat is hosted for any owner", /^durable-objects\/chat\//, /^durable-objects\/(session|sandbox)\//],
    [
      "the Worker knows no stand-in, test or sandbox program",
      /^(src|durable-objects)\//,
      /^(practice|scripts|test|bench|sandbox-program)\//,
    ],
    ["the sandbox program knows no stand-in", /^sandbox-program\//, /^(practice|scripts|bench)\//],
    ["nothing but tests imports tests", /^(?!test\/)/, /^test\//],
    ["the parts of the console know no noun", /^console\/src\/ui\//, /^console\/src\/(?!ui\/)/],
    [
      "no noun of the console imports a page",
      /^console\/src\/(?!routes\.tsx$|shell\/frame\.tsx$)/,
      /^console\/src\/[^/]+\/page\.tsx$/,
    ],
    [
      "the service imports no package of its clients, and only builds the one that it serves",
      /^(?!test\/|packages\/|console\/|practice\/command-line\.ts|operate\/|bench\/)/,
      /^(packages\/|package:@switchyard\/)/,
    ],
  ];

  it.each(never)("%s", (_, from, to) => {
    const ours = imports.filter((one) => from.test(one.from));
    expect(ours.length).toBeGreaterThan(0);
    expect(ours.filter((one) => to.test(one.to)).map(arrow)).toEqual([]);
  });

  it("of an object do not import the inside of another: objects share the shell and the chat, and call interfaces", () => {
    const between = imports.filter(
      ({ from, to }) =>
        /^durable-objects\/.+\//.test(from) && /^durable-objects\/.+\//.test(to) && getRoom(from) !== getRoom(to),
    );
    expect(between.length).toBeGreaterThan(0);
    expect(between.filter(({ to }) => !/^durable-objects\/(object|chat)\/|\/rpc\.ts$/.test(to)).map(arrow)).toEqual([]);
  });

  it("never import an object: its callers use address.ts and its interface", () => {
    const reaching = imports.filter(
      ({ from, to }) => /^src\/(?!worker\.ts$)/.test(from) && to.startsWith("durable-objects/"),
    );
    expect(reaching.length).toBeGreaterThan(0);
    expect(reaching.filter(({ to }) => !/\/(address|rpc)\.ts$/.test(to)).map(arrow)).toEqual([]);
  });

  it("reach objects only by address.ts, which knows their jurisdiction", () => {
    const addresses = /\.(getByName|idFromName|idFromString|newUniqueId|jurisdiction)\(/;
    const addressing = code.filter(({ path, text }) => /^(src|durable-objects)\//.test(path) && addresses.test(text));
    expect(addressing.map(({ path }) => path)).toEqual(["durable-objects/address.ts"]);
  });

  it("of another object's interface are types", () => {
    const ofFaces = imports.filter(({ to }) => /^durable-objects\/.+\/rpc\.ts$/.test(to));
    expect(ofFaces.length).toBeGreaterThan(0);
    expect(ofFaces.filter(({ isType }) => !isType).map(arrow)).toEqual([]);
  });

  it("have cycles only inside one room", () => {
    const rooms = listCircles(imports.filter(({ from }) => !from.startsWith("test/"))).map((files) => ({
      files,
      rooms: new Set(files.map(getRoom)),
    }));
    expect(rooms.filter(({ rooms }) => rooms.size > 1).map(({ files }) => files)).toEqual([]);
  });

  it("of env.ts and address.ts are interfaces only", () => {
    const faces = imports.filter(
      ({ from, to }) => /^(src\/env|durable-objects\/address)\.ts$/.test(from) && to.startsWith("durable-objects/"),
    );
    expect(faces.length).toBeGreaterThan(0);
    expect(faces.filter(({ to }) => !to.endsWith("/rpc.ts")).map(arrow)).toEqual([]);
  });

  it("within the project point to existing files, with their full name", () => {
    const paths = new Set(tree.map(({ path }) => path));
    const within = imports.filter(({ to }) => !packages.test(to) && !isMade.test(to));
    expect(within.filter(({ to }) => !paths.has(to)).map(arrow)).toEqual([]);
  });
});

describe("files", () => {
  it("are named by nouns, in kebab-case", () => {
    const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|property|config|d))*\.(ts|tsx|mjs|mts)$/;
    const empty = /^(utils?|helpers?|service|managers?|common)\./;
    const bad = code.filter(({ path }) => {
      const name = path.slice(path.lastIndexOf("/") + 1);
      return !kebab.test(name) || empty.test(name);
    });
    expect(bad.map(({ path }) => path)).toEqual([]);
  });

  it("start with a comment that names their concept", () => {
    expect(source.filter(({ text }) => !/^(#!.*\n)?(\/\/|\/\*)/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it("exist if a comment names them", () => {
    const paths = tree.map(({ path }) => `/${path}`);
    const missing = code.flatMap(({ path, text }) =>
      [...text.matchAll(/`([\w./-]+\.(?:tsx?|mjs|css|sql))`/g)]
        .map(([, name = ""]) => name)
        .filter((name) => !paths.some((known) => known.endsWith(`/${name}`)))
        .map((name) => `${path}: ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it("have at most 400 lines", () => {
    const large = code.filter(({ lines }) => lines > 400);
    expect(large.map(({ path, lines }) => `${path}: ${lines} lines`)).toEqual([]);
  });

  it("have comments of at most 100 columns, but for the heads of tables", () => {
    const aligned = /\S {3,}\S/;
    const wide = code.flatMap(({ path, text }) =>
      text
        .split("\n")
        .flatMap((line, index) =>
          line.length > 100 && /^\s*(\/\/|\/?\*)/.test(line) && !aligned.test(line) ? [`${path}:${index + 1}`] : [],
        ),
    );
    expect(wide).toEqual([]);
  });

  /** Small files with one importer, and why each is not a part of it. */
  const alone: Record<string, string> = {
    "console/src/shell/first-reads.ts": "it must be imported before everything else that is slow",
    "console/src/trusted-types.ts": "it must be imported before everything else",
    "packages/client/src/visible.ts": "its importer is the list of what the library exports",
    "sandbox-program/agent/pi/tool-spawn.ts": "the build puts it in the place of Node's spawn",
    "scripts/fast-imports.ts": "it must be imported before everything else",
    "scripts/leash.ts": "setup.mjs holds the other end",
  };

  it("of at most 30 lines have two importers, or the reason why not", () => {
    const lineCounts = new Map(source.map(({ path, lines }) => [path, lines]));
    const importers = new Map<string, Set<string>>();
    for (const { from, to } of imports) importers.set(to, (importers.get(to) ?? new Set()).add(from));
    const joinable = source.flatMap(({ path, lines }) => {
      const [importer, ...others] = [...(importers.get(path) ?? [])];
      if (lines > 30 || importer === undefined || others.length > 0) return [];
      // Its name says its kind, or it would make its importer one of two kinds.
      if (/\/(tables|wire|routes|limits|[\w-]+-route)\.ts$/.test(path) || findKind(path) !== findKind(importer))
        return [];
      // A component, a hook and the queries of a noun are files of their own.
      if (/^console\/src\/.*(\.tsx|\/(use-[\w-]+|queries)\.ts)$/.test(path)) return [];
      // Together they are too long to be read as one.
      return lines + (lineCounts.get(importer) ?? 0) > 200 ? [] : [path];
    });
    expect(joinable.sort()).toEqual(Object.keys(alone));
  });
});

describe("no file", () => {
  const unsaid: [promise: string, files: SourceFile[], text: RegExp][] = [
    [
      "is typed any, or hidden from the type checker",
      source,
      /\bas any\b|:\s*any\s*[;,)=\]}|&[]|<any[>,]|@ts-(ignore|nocheck)/,
    ],
    ["names a path of somebody's machine", tree, /(?<![\w.$}*])\/(work|root|Users)\/|\.\.\/shared\//],
    ["has a second opening comment: make it the doc comment of what follows", code, /\n\n(\/\/ .*\n)*\/\/ .*\.\n\n/],
    [
      "but the schedule of the sweeps reads from a replica, because a revoked key must fail at its next request",
      source.filter(({ path }) => /^(src|durable-objects)\/(?!storage\/database|sweeps\/schedule)/.test(path)),
      /\bwith(Replicas|Session)\(/,
    ],
    [
      "that tests import has hooks, which would run only for the first of the files that share it",
      code.filter(({ path }) => /^test\//.test(path) && !/\.test\.ts$|\/world-per-file\.ts$/.test(path)),
      /^(before|after)(Each|All)\(/m,
    ],
    ["names an issue by its number", code, /\w#\d+\b|\(#\d+\)|\bissues\/\d+/],
  ];

  it.each(unsaid)("%s", (_, files, text) => {
    const said = files.flatMap((file) => {
      const found = text.exec(file.text);
      return found ? [`${file.path}: ${found[0]}`] : [];
    });
    expect(said).toEqual([]);
  });
});
