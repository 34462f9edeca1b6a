// The version of the command line, which is that of the product.
export { version } from "../../../package.json";
