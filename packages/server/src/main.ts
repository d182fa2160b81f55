import { rememberResolutions } from "./platform/module-resolution.ts";

// Before the product's modules are resolved.
rememberResolutions(new URL(".", import.meta.url));
await import("./run.ts");
