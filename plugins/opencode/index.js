// The plugin for opencode, from the package that this folder lies in.
export { ConvergePlugin } from "../../dist/opencode/plugin.js";
