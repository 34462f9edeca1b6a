// Stands in for the runtime shims of `@modelcontextprotocol/server`, by an alias in wrangler.toml.
// Theirs bring a validator of JSON Schema, 22 KB, for tools that are declared by it. Ours are
// declared with zod.

/** Nothing may call it: a tool that is declared by JSON Schema would not be validated. */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error("Declare tools with zod.");
  }
}

/** Of Node. Only the server of stdio uses it. */
export const process = undefined;
