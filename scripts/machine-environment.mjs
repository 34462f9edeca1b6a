// The variables that commands on this machine need to fetch packages: a company's certificates, and
// the URLs of registries without credentials. Plain JavaScript, because `setup.mjs` runs before
// anything is installed.
import { existsSync } from "node:fs";
import { resolve } from "node:path";

const certificateFiles = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"];

/**
 * The registry settings of npm, pnpm, Yarn, Bun, pip, uv and Go. Under `npm start`, npm itself sets
 * the first one from its configuration files.
 */
const registries = [
  ...["npm_config_registry", "NPM_CONFIG_REGISTRY", "COREPACK_NPM_REGISTRY", "YARN_NPM_REGISTRY_SERVER"],
  ...["BUN_CONFIG_REGISTRY", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"],
  ...["UV_EXTRA_INDEX_URL", "GOPROXY"],
];

/** Go's names for a module's own version control, and for no source. */
const sourcesWithoutAddress = ["direct", "off"];

/** The certificate files and registry addresses of an environment. */
export function getMachineEnvironment(env) {
  const files = certificateFiles.flatMap((name) => {
    const file = env[name] ? resolve(env[name]) : "";
    return existsSync(file) ? [[name, file]] : [];
  });
  const addresses = registries.flatMap((name) => {
    const value = withoutCredentials(env[name] ?? "");
    return value === "" ? [] : [[name, value]];
  });
  return Object.fromEntries([...files, ...addresses]);
}

/** The certificate files among these variables. */
export function listCertificateFiles(variables) {
  return certificateFiles.flatMap((name) => variables[name] ?? []);
}

/** A list of URLs without user names, passwords and queries. Invalid URLs are left out. */
function withoutCredentials(list) {
  const separator = /[,|]/.exec(list)?.[0] ?? " ";
  return list
    .split(/[\s,|]+/)
    .flatMap((item) => (sourcesWithoutAddress.includes(item) ? item : (plainAddress(item) ?? [])))
    .join(separator);
}

function plainAddress(text) {
  if (!URL.canParse(text)) return null;
  const { protocol, origin, pathname } = new URL(text);
  // A password with an unescaped slash is parsed as a path, including the `@` after it.
  if (!["http:", "https:"].includes(protocol) || /@|%40/.test(pathname)) return null;
  return `${origin}${pathname}`;
}
