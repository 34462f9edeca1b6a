// Migrations of the database are applied while the previous Worker still runs: they may add things,
// and delete nothing that it reads.
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const takesAway = /\bDROP\s+(TABLE|COLUMN|VIEW)\b|\bRENAME\b/i;
/** A new column of a row that the previous Worker writes must be nullable or have a default. */
const demands = /\bADD\s+(COLUMN\s+)?`?\w+`?\s+(?![^;]*\bDEFAULT\b)[^;]*\bNOT\s+NULL\b/i;

/** The newest migration before the first deployment, when no Worker was running. */
const firstDeployed = "0000_initial.sql";
const migrations = readdirSync("migrations/d1").filter((name) => name.endsWith(".sql") && name > firstDeployed);

test.each(migrations)("%s deletes nothing", (name) => {
  const statements = readFileSync(`migrations/d1/${name}`, "utf8").split(";");
  expect(statements.filter((statement) => takesAway.test(statement) || demands.test(statement))).toEqual([]);
});

test.each([
  ["ALTER TABLE `keys` DROP COLUMN `name`", true],
  ["DROP TABLE keys", true],
  ["ALTER TABLE `keys` RENAME TO `tokens`", true],
  ["ALTER TABLE `keys` ADD `mask` text NOT NULL", true],
  ["ALTER TABLE `keys` ADD `mask` text DEFAULT '' NOT NULL", false],
  ["ALTER TABLE `keys` ADD `mask` text", false],
  ["DROP INDEX `keys_by_mask`", false],
])("%s: %s", (statement, isFound) => {
  expect(takesAway.test(statement) || demands.test(statement)).toBe(isFound);
});
