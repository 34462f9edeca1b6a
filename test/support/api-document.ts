// The OpenAPI document of a service with the parts that its operations refer to.

// biome-ignore lint/suspicious/noExplicitAny: the shape of the document is what tests check
type Document = any;

/**
 * Puts named parameters, bodies and responses where operations refer to them. Schemas stay named.
 */
export function withoutReferences<Whole extends object>(document: Whole): Whole {
  const { paths, components } = document as Document;
  const resolved = (part: { $ref?: string }) => {
    const [, , kind = "", name = ""] = part.$ref?.split("/") ?? [];
    return part.$ref === undefined ? part : components[kind][name];
  };
  const resolveOperation = (operation: Document, ofPath: Document[]) => ({
    ...operation,
    parameters: [...ofPath, ...(operation.parameters ?? [])].map(resolved),
    ...(operation.requestBody && { requestBody: resolved(operation.requestBody) }),
    responses: Object.fromEntries(
      Object.entries<Document>(operation.responses).map(([status, response]) => [status, resolved(response)]),
    ),
  });
  const resolveItem = ({ parameters = [], ...operations }: Document) =>
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [method, resolveOperation(operation, parameters)]),
    );
  return {
    ...document,
    paths: Object.fromEntries(Object.entries<object>(paths).map(([path, item]) => [path, resolveItem(item)])),
  };
}
