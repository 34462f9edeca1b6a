// The parts of operations that several operations have: parameters, bodies and responses. Each is
// a component, which the operations refer to.

interface Operation {
  operationId: string;
  parameters?: object[];
  requestBody?: object;
  responses: Record<string, object>;
}

type Paths = Record<string, Record<string, Operation>>;
type Kind = "parameters" | "requestBodies" | "responses";
type Components = Record<Kind, Record<string, object>>;

/**
 * Replaces the repeated parts of operations by references. Returns the components that they refer
 * to; `known` has those that there are already. A parameter gets no name of a schema, in any case:
 * a generator that makes a file of each could otherwise write one over the other.
 */
export function createSharedParts(
  paths: Paths,
  known: Components,
  schemas: readonly string[],
): { paths: Paths; components: Components } {
  const namesOfSchemas = new Set(schemas.map((name) => name.toLowerCase()));
  const times = new Map<string, number>();
  const components: Components = {
    parameters: { ...known.parameters },
    requestBodies: { ...known.requestBodies },
    responses: { ...known.responses },
  };
  const names = new Map<string, string>();

  /** Changes each part of an operation. `name` is what the part is called as a component. */
  const mapParts = (operation: Operation, change: (part: object, kind: Kind, name: string) => object): Operation => {
    const { operationId, parameters, requestBody, responses } = operation;
    return {
      ...operation,
      ...(parameters && {
        parameters: parameters.map((part) => change(part, "parameters", "name" in part ? String(part.name) : "")),
      }),
      ...(requestBody && { requestBody: change(requestBody, "requestBodies", operationId) }),
      responses: Object.fromEntries(
        Object.entries(responses).map(([status, part]) => [
          status,
          change(part, "responses", `${operationId}${status}`),
        ]),
      ),
    };
  };
  const mapAll = (change: Parameters<typeof mapParts>[1]): Paths =>
    Object.fromEntries(
      Object.entries(paths).map(([path, item]) => [
        path,
        Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, mapParts(operation, change)])),
      ]),
    );

  mapAll((part, kind) => {
    const text = kind + JSON.stringify(part);
    times.set(text, (times.get(text) ?? 0) + 1);
    return part;
  });
  const shared = mapAll((part, kind, wanted) => {
    const text = kind + JSON.stringify(part);
    if ("$ref" in part || (times.get(text) ?? 0) < 2) return part;
    const name =
      names.get(text) ?? findFreeName(components[kind], kind === "parameters" ? namesOfSchemas : new Set(), wanted);
    names.set(text, name);
    components[kind][name] = part;
    return { $ref: `#/components/${kind}/${name}` };
  });
  return { paths: shared, components };
}

function findFreeName(taken: Record<string, object>, reserved: ReadonlySet<string>, wanted: string): string {
  let name = wanted;
  for (let number = 2; name in taken || reserved.has(name.toLowerCase()); number++) name = `${wanted}${number}`;
  return name;
}
