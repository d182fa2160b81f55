import { lazyPart } from "../../ui/lazy-part.tsx";

export { keysOf, macroList, runMacro } from "./api.ts";

export const LazyMacrosPage = lazyPart(async () => (await import("./macros-page.tsx")).MacrosPage);
