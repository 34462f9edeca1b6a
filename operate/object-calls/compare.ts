// The calls of objects across two versions. While a deployment spreads, callers of one version call
// objects of the other one. The calls of the last release are recorded, and TypeScript compares
// them with those of this checkout, in both directions.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  API,
  type Checker,
  type Symbol as Name,
  type Project,
  type Signature,
  SignatureKind,
} from "typescript/unstable/sync";

/** The calls of the last release, which `npm run record-calls` writes. Missing before the first. */
export const releasedFile = "operate/object-calls/released-calls.d.ts";
const config = "operate/object-calls/tsconfig.json";

/** Opens the types of a checkout while `use` runs. */
export function withTypes<Result>(root: string, use: (project: Project) => Result): Result {
  const api = new API({ cwd: root });
  try {
    const file = join(root, config);
    const project = api.updateSnapshot({ openProjects: [file] }).getProject(file);
    if (!project) throw new Error(`TypeScript does not read ${file}.`);
    return use(project);
  } finally {
    api.close();
  }
}

/** Lists the files of a checkout that contain the interfaces of objects. */
export function listInterfaceFiles(root: string): string[] {
  const files = readdirSync(join(root, "durable-objects"), { recursive: true, encoding: "utf8" });
  return files.filter((file) => /(^|\/)rpc\.ts$/.test(file)).map((file) => join(root, "durable-objects", file));
}

/** Reads the interfaces of objects in some files, by their names. */
export function readInterfaces({ program, checker }: Project, files: readonly string[]): Map<string, Name> {
  const exported = files.flatMap((file) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    return module ? [...checker.getExportsOfModule(module)] : [];
  });
  return new Map(exported.filter(({ name }) => name.endsWith("Rpc")).map((symbol) => [symbol.name, symbol]));
}

/**
 * Lists the calls that fail between the last release and this checkout, each with the direction.
 * Empty if objects may keep the previous version for a while.
 */
export function listCallChanges(root: string): string[] {
  if (!existsSync(join(root, releasedFile))) return ["No release has recorded its calls yet"];
  return withTypes(root, (project) => {
    const released = readInterfaces(project, [join(root, releasedFile)]);
    const own = readInterfaces(project, listInterfaceFiles(root));
    return [...new Set([...released.keys(), ...own.keys()])].flatMap((name) => {
      const before = readMethods(project.checker, released.get(name));
      const now = readMethods(project.checker, own.get(name));
      return [
        ...listFailures(project.checker, name, before, now, "a caller of the release"),
        ...listFailures(project.checker, name, now, before, "a caller of this version"),
      ];
    });
  });
}

function readMethods(checker: Checker, symbol: Name | undefined): Map<string, Signature> {
  if (!symbol) return new Map();
  const methods = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol)).flatMap((property) => {
    const type = checker.getTypeOfSymbol(property);
    const [signature] = type ? checker.getSignaturesOfType(type, SignatureKind.Call) : [];
    return signature ? [[property.name, signature] as const] : [];
  });
  return new Map(methods);
}

/** What fails if a caller that knows `expected` calls an object that has `actual`. */
function listFailures(
  checker: Checker,
  name: string,
  expected: ReadonlyMap<string, Signature>,
  actual: ReadonlyMap<string, Signature>,
  caller: string,
): string[] {
  return [...expected].flatMap(([method, called]) => {
    const has = actual.get(method);
    if (!has) return [`${name}.${method}: ${caller} calls it, and the object does not have it`];
    const parameters = Math.max(called.getParameters().length, has.getParameters().length);
    const refused = Array.from({ length: parameters }, (_, index) => index).filter((index) => {
      const takes = has.getParameters()[index] ? checker.getParameterType(has, index) : checker.getUnknownType();
      const sends = called.getParameters()[index]
        ? checker.getParameterType(called, index)
        : checker.getUndefinedType();
      return takes && sends && !checker.isTypeAssignableTo(sends, takes);
    });
    const returns = checker.getReturnTypeOfSignature(has);
    const reads = checker.getReturnTypeOfSignature(called);
    const isRead = !returns || !reads || checker.isTypeAssignableTo(returns, reads);
    return [
      ...refused.map((index) => {
        const parameter = (has.getParameters()[index] ?? called.getParameters()[index])?.name;
        return `${name}.${method}: the object does not take what ${caller} sends as ${parameter}`;
      }),
      ...(isRead ? [] : [`${name}.${method}: ${caller} cannot read the result`]),
    ];
  });
}
