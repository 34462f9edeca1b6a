// `npm run migrations <name>`: generates the migrations for changed tables, for D1 and for each
// Durable Object class.
import { spawnSync } from "node:child_process";

const [name = "change"] = process.argv.slice(2);

for (const tables of ["d1", "session", "project", "sandbox", "cron", "cron-run", "code-host", "webhook"]) {
  const args = ["node_modules/drizzle-kit/bin.cjs", "generate", "--name", name];
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit", env: { ...process.env, TABLES: tables } });
  if (status !== 0) process.exit(status ?? 1);
}
