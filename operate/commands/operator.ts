// `npm run operator`: the actions on a running service that are reserved for its operator.
// `SERVICE_URL` overrides the service of wrangler.toml.
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { runAndExit, Stop } from "../lib/exit.ts";
import { getServiceAddress } from "../lib/http.ts";
import { missingKey, readCommand, runCommand, sendCommand, usage } from "../lib/operator-command.ts";

/** Between two looks at what is not finished. */
const pauseMs = 2_000;
const root = new URL("../..", import.meta.url).pathname;
await runAndExit(async () => {
  const words = process.argv.slice(2);
  if (words.includes("--help")) return console.log(usage);
  const command = await readCommand(words, () => text(process.stdin));
  const key = process.env.OPERATOR_KEY;
  if (!key) throw new Stop(missingKey);
  const address = getServiceAddress(root, process.env.SERVICE_URL);
  await runCommand(command, {
    send: (next) => sendCommand(address, key, next),
    print: (line) => console.log(line),
    pause: () => setTimeout(pauseMs),
  });
});
