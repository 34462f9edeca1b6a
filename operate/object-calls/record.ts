// Writes the calls of objects as types that need no other file, so that later versions can be
// compared with them.
import {
  type Checker,
  ElementFlags,
  type Project,
  type Signature,
  SignatureKind,
  SymbolFlags,
  type Type,
  TypeFlags,
  type TypeReference,
} from "typescript/unstable/sync";
import { listInterfaceFiles, readInterfaces } from "./compare.ts";

/** Global types that are written with their arguments. */
const generics: Record<string, number> = {
  ...{ Array: 1, ReadonlyArray: 1, Promise: 1, ReadableStream: 1, Set: 1, ReadonlySet: 1, Map: 2, ReadonlyMap: 2 },
};
const identifier = /^[A-Za-z_]\w*$/;

/** Formats all interfaces of a checkout's objects as one file of types. */
export function formatCalls(project: Project, root: string, version: string): string {
  const printer = new Printer(project.checker);
  for (const symbol of readInterfaces(project, listInterfaceFiles(root)).values())
    printer.print(project.checker.getDeclaredTypeOfSymbol(symbol));
  const head = `// The calls of objects in Switchyard ${version}. Written by \`npm run record-calls\`.`;
  return [head, ...printer.declarations, ""].join("\n");
}

class Printer {
  readonly declarations: string[] = [];
  readonly #checker: Checker;
  readonly #names = new Map<number, string>();
  readonly #used = new Set<string>(Object.keys(generics));

  constructor(checker: Checker) {
    this.#checker = checker;
  }

  print(type: Type): string {
    if (type.isTypeParameter()) return "unknown";
    if (type.flags & TypeFlags.Boolean) return "boolean";
    if (type.isUnionType()) return this.#printUnion(type.getTypes());
    if (type.isIntersectionType() && type.getTypes().some((part) => !part.isObjectType() && !part.isUnionType()))
      return type
        .getTypes()
        .map((part) => this.print(part))
        .join(" & ");
    if (!type.isObjectType() && !type.isIntersectionType()) return this.#checker.typeToString(type);
    if (type.isTypeReference()) {
      const target = type.getTarget();
      if (target.isTupleType()) return this.#printTuple(type, target.elementFlags, target.readonly);
    }
    return this.#printGlobal(type) ?? this.#printObject(type);
  }

  #printUnion(parts: readonly Type[]): string {
    const printed = new Set(parts.map((part) => this.print(part)));
    if (printed.has("false") && printed.delete("true")) {
      printed.delete("false");
      printed.add("boolean");
    }
    return [...printed].map((part) => (part.includes("=>") ? `(${part})` : part)).join(" | ");
  }

  #printTuple(type: TypeReference, flags: readonly ElementFlags[], isReadonly: boolean): string {
    const elements = this.#checker.getTypeArguments(type).map((element, index) => {
      const printed = this.print(element);
      if ((flags[index] ?? 0) & ElementFlags.Rest) return `...Array<${printed}>`;
      return (flags[index] ?? 0) & ElementFlags.Optional ? `(${printed})?` : printed;
    });
    return `${isReadonly ? "readonly " : ""}[${elements.join(", ")}]`;
  }

  /** Null for a type of the project. */
  #printGlobal(type: Type): string | null {
    const symbol = type.getSymbol();
    const path = symbol?.declarations[0]?.path ?? "";
    if (!symbol || symbol.name.startsWith("__") || !/node_modules|^bundled:|\/lib\.[\w.]+\.d\.ts$/.test(path))
      return null;
    const count = generics[symbol.name];
    if (count === undefined || !type.isTypeReference()) return this.#checker.typeToString(type);
    const given = this.#checker.getTypeArguments(type).slice(0, count);
    return `${symbol.name}<${given.map((argument) => this.print(argument)).join(", ")}>`;
  }

  #printObject(type: Type): string {
    const known = this.#names.get(type.id);
    if (known !== undefined) return known;
    const [call] = this.#checker.getSignaturesOfType(type, SignatureKind.Call);
    if (call) return this.#printSignature(call);
    const name = this.#nameOf(type);
    // Known before its properties are printed: a type may contain itself.
    this.#names.set(type.id, name);
    const properties = this.#checker.getPropertiesOfType(type);
    const lines = properties
      .filter((property) => !property.name.startsWith("__@"))
      .map((property) => {
        const isOptional = (property.flags & SymbolFlags.Optional) !== 0;
        const value = this.#checker.getTypeOfSymbol(property);
        const key = identifier.test(property.name) ? property.name : JSON.stringify(property.name);
        return `  ${key}${isOptional ? "?" : ""}: ${value ? this.print(value) : "unknown"};`;
      });
    for (const { keyType, valueType } of this.#checker.getIndexInfosOfType(type))
      lines.push(`  [key: ${this.print(keyType)}]: ${this.print(valueType)};`);
    const isTarget = properties.some((property) => property.name.includes("RPC_TARGET"));
    const base = isTarget ? " extends Rpc.RpcTargetBranded" : "";
    this.declarations.push(`export interface ${name}${base} {\n${lines.join("\n")}\n}`);
    return name;
  }

  #printSignature(signature: Signature): string {
    const parameters = signature.getParameters().map((parameter, index) => {
      const type = this.#checker.getParameterType(signature, index);
      return `${identifier.test(parameter.name) ? parameter.name : `with${index}`}: ${type ? this.print(type) : "unknown"}`;
    });
    const result = this.#checker.getReturnTypeOfSignature(signature);
    return `(${parameters.join(", ")}) => ${result ? this.print(result) : "unknown"}`;
  }

  #nameOf(type: Type): string {
    const wanted = type.getSymbol()?.name ?? "";
    const base = /^[A-Z]\w*$/.test(wanted) ? wanted : "Shape";
    let name = base;
    for (let number = 2; this.#used.has(name); number++) name = `${base}${number}`;
    this.#used.add(name);
    return name;
  }
}
