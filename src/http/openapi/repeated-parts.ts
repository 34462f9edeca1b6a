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
 * to; `known` has those that there are already.
 */
export function createSharedParts(paths: Paths, known: Components): { paths: Paths; components: Components } {
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
    const name = names.get(text) ?? findFreeName(components[kind], wanted);
    names.set(text, name);
    components[kind][name] = part;
    return { $ref: `#/components/${kind}/${name}` };
  });
  return { paths: shared, components };
}

function findFreeName(taken: Record<string, object>, wanted: string): string {
  let name = wanted;
  for (let number = 2; name in taken; number++) name = `${wanted}${number}`;
  return name;
}
