import type { ResolveFnOutput } from "node:module";
import { registerHooks } from "node:module";

// Loaded by `--import` before the product. These two packages have a package.json of 200 kB, which Node copies for each of
// their ES modules and for each import of them (docs/performance.md): more than half of the CPU of a start. As CommonJS,
// with the same functions, they cost next to nothing.
const packages = /^(date-fns|drizzle-orm)(\/|$)/;
const conditions = ["require", "node"];
const found = new Map<string, ResolveFnOutput>();

registerHooks({
  resolve(specifier, context, next) {
    if (!packages.test(specifier)) return next(specifier, context);
    const known = found.get(specifier);
    if (known) return known;
    const { url } = next(specifier, { ...context, conditions });
    const resolved: ResolveFnOutput = { url, format: "commonjs", shortCircuit: true };
    found.set(specifier, resolved);
    return resolved;
  },
});
