import { builtinModules } from "node:module";
import { adapterRooms, pure, rooms } from "./scripts/rooms.mjs";

const node = `^(node:)?(${builtinModules.filter((name) => !name.startsWith("_")).join("|")})$`;

const mayImport = Object.entries(rooms).map(([room, allowed]) => ({
  name: `${room}-imports-only-its-table`,
  comment: `${room}/ may import ${allowed.join(", ") || "no other room"}: data flows one way (ARCHITECTURE.md).`,
  severity: "error",
  from: { path: `^src/${room}/` },
  to: { path: "^src/", pathNot: `^src/(${[room, ...allowed].join("|")})/` },
}));

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    ...mayImport,
    {
      name: "adapters-do-not-import-siblings",
      comment: "Adapters of one port share code only through files of their room or its shared/ folder.",
      severity: "error",
      from: { path: `^src/(${adapterRooms.join("|")})/([^/]+)/` },
      to: { path: "^src/$1/[^/]+/", pathNot: "^src/$1/($2|shared|shadow)/" },
    },
    {
      name: "no-unlisted-room",
      comment: "Every folder of src/ stands in the table of scripts/rooms.mjs.",
      severity: "error",
      from: { path: "^src/[^/]+/", pathNot: `^src/(${Object.keys(rooms).join("|")})/` },
      to: {},
    },
    {
      name: "no-cycles",
      comment: "A cycle, types included, means two files are one idea or one of them knows too much.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "pure-rooms-have-no-hands",
      comment: "These rooms are functions of their arguments: no Node core.",
      severity: "error",
      from: { path: `^src/(${pure.join("|")})/` },
      to: { path: node },
    },
    {
      name: "processes-start-in-system",
      comment: "One place starts, watches and ends processes, so none is left behind.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/system/" },
      to: { path: "^(node:)?child_process$" },
    },
    {
      name: "relative-inside-hash-across",
      comment: "Inside a room ./x, across rooms #room/x, so that a line that leaves its room shows it.",
      severity: "error",
      from: { path: "^src/([^/]+)/" },
      to: { path: "^src/", pathNot: "^src/$1/", dependencyTypesNot: ["aliased-subpath-import"] },
    },
    {
      name: "no-hash-inside",
      comment: "A room never names itself: inside a room ./x, so that it can be renamed.",
      severity: "error",
      from: { path: "^src/([^/]+)/" },
      to: { path: "^src/$1/", dependencyTypes: ["aliased-subpath-import"] },
    },
    {
      name: "resolvable",
      comment: "An import that cannot be resolved would hide the rest of the graph from these rules.",
      severity: "error",
      from: {},
      // Node 20 does not have it; the fallback is chosen at run time.
      to: { couldNotResolve: true, pathNot: "^node:sqlite$" },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["source", "import", "node", "default"],
    },
  },
};
