// Where the migration generator finds the tables: `TABLES` names the D1 database or a class of
// objects.
import { defineConfig } from "drizzle-kit";

const tables = process.env.TABLES ?? "d1";

export default defineConfig({
  dialect: "sqlite",
  casing: "snake_case",
  schema: tables === "d1" ? "./src/*/tables.ts" : `./durable-objects/${tables}/tables.ts`,
  out: `./migrations/${tables}`,
  ...(tables === "d1" ? {} : { driver: "durable-sqlite" as const }),
});
