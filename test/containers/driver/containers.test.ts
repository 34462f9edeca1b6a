// The driver for Cloudflare Containers on a real engine: workerd's local containers, with the image
// as it is deployed.
import { env } from "cloudflare:workers";
import { createContainerDriver } from "../../../src/sandbox/program/container-driver.ts";
import { sandboxDriverContract } from "../../seams/drivers/contract.ts";

const getContainer = (key: string) => env.CONTAINER.getByName(key);

sandboxDriverContract("a container of a real engine", (key) => ({
  driver: createContainerDriver(() => getContainer(key)),
  shutOut: createContainerDriver(() => ({
    ...getContainer(key),
    isRunning: () => Promise.reject(new Error("Durable Object is overloaded.")),
  })),
  lose: () => getContainer(key).lose(),
}));
