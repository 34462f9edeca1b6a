// Walks the pages of a list, by page number or by cursor.
import type { OperationName } from "./errors.ts";
import type { Operations } from "./generated/api.ts";
import type { AnyInput, Http, Input } from "./http.ts";

/** The operations whose lists come in pages. */
export type PagedName = {
  [Name in OperationName]: Operations[Name] extends { data: unknown[]; meta: { pagination: unknown } } ? Name : never;
}[OperationName];
export type PageItem<Name extends PagedName> = Operations[Name]["data"] extends (infer Item)[] ? Item : never;

interface Position {
  page?: number;
  hasMore: boolean;
  nextCursor?: string | null;
}

/** Lists the items of all pages. A page is read when its first item is asked for. @internal */
export async function* listPages<Name extends PagedName>(
  http: Http,
  operation: Name,
  input: Input<Name>,
): AsyncGenerator<PageItem<Name>, void, undefined> {
  const given: AnyInput = input;
  let next: object = {};
  for (;;) {
    const { data, meta } = await http.call(operation, { ...given, query: { ...given.query, ...next } });
    yield* data as PageItem<Name>[];
    const { page = 1, hasMore, nextCursor } = (meta as { pagination: Position }).pagination;
    if (!hasMore || nextCursor === null) return;
    next = nextCursor === undefined ? { page: page + 1 } : { cursor: nextCursor };
  }
}
