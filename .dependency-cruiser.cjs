/**
 * The import directions of docs/ARCHITECTURE.md. The patterns know no feature and no adapter by name, so a new one needs no
 * new rule. packages/server/src/testing/boundaries.test.ts asserts that our files are really read, and that each
 * rule refuses what it is there to refuse.
 *
 * Tests and the folders `testing/` may reach into anything; the product may not reach into them.
 */
const swc = require("@swc/core");

// dependency-cruiser cannot use TypeScript 7, and without a parser that it can use it reads nothing, and passes. With
// swc it forgets to say which files contain JSX.
const { parseFileSync } = swc;
swc.parseFileSync = (file, options) =>
  parseFileSync(file, { ...options, tsx: file.endsWith(".tsx") });

const server = "^packages/server/src";
const web = "^packages/web/src";
const testCode = "\\.test\\.tsx?$|/testing/";

/** @type {import("dependency-cruiser").IForbiddenRuleType[]} */
const forbidden = [
  {
    name: "contract-knows-only-zod",
    comment:
      "The contract is read by the browser and by the server: nothing of Node, of the DOM, of us.",
    severity: "error",
    from: { path: "^packages/contract/", pathNot: testCode },
    to: { pathNot: ["^packages/contract/", "(^|/)node_modules/zod/"] },
  },
  {
    name: "client-stands-alone",
    comment:
      "Other programs install packages/client without anything else; only its generator reads the contract.",
    severity: "error",
    from: { path: "^packages/client/", pathNot: [testCode, "/generate\\.ts$"] },
    to: { pathNot: "^packages/client/" },
  },
  {
    name: "web-and-server-meet-in-the-contract",
    comment: "Neither imports the other; what both need is in packages/contract.",
    severity: "error",
    from: { path: "^packages/(web|server)/" },
    to: { path: "^packages/(web|server)/", pathNot: "^packages/$1/" },
  },
  {
    name: "platform-knows-no-product",
    comment: "platform/ imports platform/ and the contract only.",
    severity: "error",
    from: { path: `${server}/platform/`, pathNot: testCode },
    to: { path: `${server}/`, pathNot: `${server}/platform/` },
  },
  {
    name: "port-knows-no-feature-and-no-adapter",
    comment: "channels/port.ts and channels/runtime/ stand below features and adapters.",
    severity: "error",
    from: { path: `${server}/channels/(port\\.ts|runtime/)`, pathNot: testCode },
    to: {
      path: `${server}/`,
      pathNot: [`${server}/platform/`, `${server}/channels/(port\\.ts$|runtime/)`],
    },
  },
  {
    name: "adapter-knows-only-the-port",
    comment: "An adapter translates: it sees no feature and no other adapter.",
    severity: "error",
    from: { path: `${server}/channels/(?!runtime/)([^/]+)/`, pathNot: testCode },
    to: {
      path: `${server}/`,
      pathNot: [
        `${server}/channels/$1/`,
        `${server}/channels/(port\\.ts$|runtime/)`,
        `${server}/platform/`,
      ],
    },
  },
  {
    name: "only-the-app-knows-adapters",
    comment: "Everybody else speaks to the port.",
    severity: "error",
    from: {
      path: `${server}/`,
      pathNot: [testCode, `${server}/(app|main)\\.ts$`, `${server}/channels/`],
    },
    to: { path: `${server}/channels/(?!port\\.ts$|runtime/)` },
  },
  {
    name: "feature-through-its-index",
    comment: "A feature is used through its index.ts, or by listening to its events.",
    severity: "error",
    from: { path: "^packages/(server|web)/src/features/([^/]+)/", pathNot: testCode },
    to: {
      path: "^packages/$1/src/features/",
      pathNot: ["^packages/$1/src/features/$2/", "^packages/$1/src/features/[^/]+/index\\.tsx?$"],
    },
  },
  {
    name: "feature-knows-no-app",
    comment:
      "The composition (app.ts, main.ts and what stands beside them, operations/; web's app/) is above the features.",
    severity: "error",
    from: { path: "^packages/(server|web)/src/features/", pathNot: testCode },
    to: { path: [`${server}/([^/]+$|operations/)`, `${web}/[^/]+$`, `${web}/app/`] },
  },
  {
    name: "web-foundation-knows-no-feature",
    comment: "ui/, api/, realtime/, i18n/ and store/ serve the features and do not know them.",
    severity: "error",
    from: { path: `${web}/(ui|api|realtime|i18n|store)/`, pathNot: testCode },
    to: { path: `${web}/(features|app)/` },
  },
  {
    name: "product-needs-no-test-code",
    comment: "What the product needs is not in testing/ or in a test.",
    severity: "error",
    from: { path: "^packages/", pathNot: testCode },
    to: { path: `^packages/.*(${testCode})` },
  },
  {
    name: "no-circles",
    comment: "If two features need each other, one listens instead of calling.",
    severity: "error",
    from: {},
    to: { circular: true },
  },
  {
    name: "nothing-unresolved",
    comment: "An import that is not found is an import that no rule sees.",
    severity: "error",
    from: {},
    // `?url` asks Vite for the address of a file, `?inline` for its text; neither is code.
    to: { couldNotResolve: true, pathNot: "\\?(url|inline)$" },
  },
];

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden,
  options: {
    parser: "swc",
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^packages/[^/]+/dist/" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["source", "import", "node", "default"],
      extensions: [".ts", ".tsx", ".js", ".mjs", ".json", ".css"],
    },
  },
};
