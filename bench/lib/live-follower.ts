// A program that follows a session with the client library and prints each state of its line. The
// bench stops it as a sleeping machine does. Address, key and session come from its arguments.
import { Switchyard } from "@switchyard/client";

const [baseUrl = "", apiKey = "", sessionId = ""] = process.argv.slice(2);
const session = await new Switchyard({ baseUrl, apiKey }).sessions.get(sessionId);
for await (const _ of session.follow({ onLine: (line) => process.stdout.write(`${line}\n`) }));
