// Keys: API keys are a page, because no key manages keys; relay keys are managed here.
import type { Command } from "@commander-js/extra-typings";
import { createAction } from "../action.ts";
import type { Output } from "../command.ts";
import { findHost } from "../config.ts";
import { NotFoundError } from "../exit.ts";
import { findWorkspace } from "../find.ts";
import { openAddress } from "../open.ts";
import { formatTable, toLine } from "../print/text.ts";
import { formatTime } from "../print/time.ts";

const operation = "/api/organizations/{workspaceId}/relay-keys";
const workspaceFlag = ["-w, --workspace <name>", "the workspace, where you have several"] as const;

/** Adds `keys`. */
export function addKeysCommands(program: Command, output: () => Output): void {
  const keys = program.command("keys").description("open the page of your API keys, or manage relay keys");
  const action = createAction(output);

  keys.action(async () => {
    const address = `${(await findHost()).url}/account`;
    output().answer({ url: address }, [address]);
    openAddress(address);
  });

  const relay = keys.command("relay").description("the keys of programs that act for a workspace");

  relay
    .command("ls")
    .description("list the relay keys")
    .option(...workspaceFlag)
    .action(
      action(async (sy, { workspace }) => {
        const { id: workspaceId } = await findWorkspace(sy, workspace);
        const data = await sy.request(`GET ${operation}`, { path: { workspaceId } });
        const rows = data.map(({ lastFour, createdAt, name }) => [`…${lastFour}`, formatTime(createdAt), toLine(name)]);
        return { data, lines: formatTable(rows) };
      }),
    );

  relay
    .command("new <name>")
    .description("create a relay key, and print it: it is shown only this time")
    .option(...workspaceFlag)
    .action(
      action(async (sy, name, { workspace }) => {
        const { id: workspaceId } = await findWorkspace(sy, workspace);
        const data = await sy.request(`POST ${operation}`, { path: { workspaceId }, body: { name } });
        return { data, lines: [data.key] };
      }),
    );

  relay
    .command("rm <name>")
    .description("revoke a relay key, by its name or its last four characters")
    .option(...workspaceFlag)
    .action(
      action(async (sy, named, { workspace }) => {
        const { id: workspaceId } = await findWorkspace(sy, workspace);
        const listed = await sy.request(`GET ${operation}`, { path: { workspaceId } });
        const found = listed.filter(({ id, name, lastFour }) => [id, name, lastFour].includes(named));
        const [one, ...others] = found;
        if (!one) throw new NotFoundError(`There is no relay key ${named}.`, "sy keys relay ls");
        if (others.length > 0) throw new NotFoundError(`${named} means several relay keys.`, "sy keys relay ls");
        await sy.request(`DELETE ${operation}/{relayKeyId}`, { path: { workspaceId, relayKeyId: one.id } });
        return { data: one, lines: [`${toLine(one.name)} is revoked.`] };
      }),
    );
}
