import type { ResolveFnOutput, ResolveHookSync } from "node:module";
import { registerHooks } from "node:module";

/** Packages of ES modules in hundreds of files, whose package.json has more than 100 kB of exports. */
export const largePackages = ["date-fns", "drizzle-orm"];
const insideLargePackage = new RegExp(`/node_modules/(${largePackages.join("|")})/[^?]*\\.js$`);
/** Neither a path nor an address. */
const packageName = /^[a-z@][^:]*$/;

/**
 * Node parses the package.json of a package at each import of it, and of each of its files: almost half of the time until
 * the product is ready. From now on a package that modules below `root` import is resolved once for all of them, and the
 * files of `largePackages` are found without a look at their package.json (ADR 48).
 */
export function rememberResolutions(root: URL): void {
  registerHooks({ resolve: createResolve(root.href) });
}

export function createResolve(root: string): ResolveHookSync {
  const known = new Map<string, ResolveFnOutput>();
  return (specifier, context, nextResolve) => {
    const { parentURL = "", conditions, importAttributes } = context;
    if (!conditions?.includes("import") || Object.keys(importAttributes).length > 0)
      return nextResolve(specifier, context);
    if (
      specifier.startsWith(".") &&
      specifier.endsWith(".js") &&
      insideLargePackage.test(parentURL)
    )
      return { url: new URL(specifier, parentURL).href, format: "module", shortCircuit: true };
    if (!parentURL.startsWith(root) || !packageName.test(specifier))
      return nextResolve(specifier, context);
    const found = known.get(specifier) ?? nextResolve(specifier, context);
    known.set(specifier, found);
    return { ...found, shortCircuit: true };
  };
}
