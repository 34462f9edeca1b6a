// The address of a sandbox's container. It is apart from the other addresses, because those are
// also read by programs in Node, which cannot load the platform's package.
import { getContainer } from "@cloudflare/containers";
import type { ContainerName } from "../../src/network/rules/egress.ts";
import { getNamespace, type Place } from "../address.ts";
import type { ContainerRpc } from "./rpc.ts";

/** The package types it for its own class. At run time it gets any object by its name. */
const getNamedContainer: (
  containers: DurableObjectNamespace<ContainerRpc>,
  name: string,
) => DurableObjectStub<ContainerRpc> = getContainer as never;

/** The object of a sandbox's container. */
export function getSandboxContainer(
  env: Place & { CONTAINER: DurableObjectNamespace<ContainerRpc> },
  { sandboxKey, generation }: ContainerName,
) {
  const name = generation === null ? sandboxKey : `${sandboxKey}-${generation}`;
  return getNamedContainer(getNamespace(env.CONTAINER, env), name);
}

/** Parses the name of a container's object. */
export function parseContainerName(name: string): ContainerName {
  const [sandboxKey = "", generation] = name.split("-");
  return { sandboxKey, generation: generation === undefined ? null : Number(generation) };
}
