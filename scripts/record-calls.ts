// `npm run record-calls`: records the calls of objects at a release, with which the versions after
// it are compared.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { releasedFile, withTypes } from "../operate/object-calls/compare.ts";
import { formatCalls } from "../operate/object-calls/record.ts";

const root = new URL("..", import.meta.url).pathname;
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
writeFileSync(
  join(root, releasedFile),
  withTypes(root, (project) => formatCalls(project, root, version)),
);
