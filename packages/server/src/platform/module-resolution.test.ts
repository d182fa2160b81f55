import { readdir, readFile } from "node:fs/promises";
import type { ResolveHookContext } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createResolve, largePackages } from "./module-resolution.ts";

const root = "file:///srv/balcao/dist/";

function resolver() {
  const resolve = createResolve(root);
  const asked: string[] = [];
  return {
    asked,
    from(parent: string, specifier: string, context: Partial<ResolveHookContext> = {}) {
      return resolve(
        specifier,
        { parentURL: parent, conditions: ["node", "import"], importAttributes: {}, ...context },
        (name) => {
          asked.push(name);
          return { url: `found:${name}`, format: "module" };
        },
      );
    },
  };
}

describe("imports of the product", () => {
  test("a package is resolved once for all modules of the product", () => {
    const { asked, from } = resolver();
    const first = from(`${root}app.js`, "drizzle-orm/pg-core");
    expect(from(`${root}features/tags/index.js`, "drizzle-orm/pg-core")).toEqual(first);
    expect(first.url).toBe("found:drizzle-orm/pg-core");
    expect(asked).toEqual(["drizzle-orm/pg-core"]);
  });

  test("other packages may have other versions: theirs are resolved for themselves", () => {
    const { asked, from } = resolver();
    from(`${root}app.js`, "ws");
    from("file:///srv/node_modules/baileys/lib/index.js", "ws");
    from(`${root}app.js`, "ws", { conditions: ["node", "require"] });
    expect(asked).toEqual(["ws", "ws", "ws"]);
  });

  test.each(["./app.ts", "node:fs", "file:///srv/x.js", "#secret"])(
    "%s is left to Node",
    (name) => {
      const { asked, from } = resolver();
      from(`${root}app.js`, name);
      from(`${root}app.js`, name);
      expect(asked).toEqual([name, name]);
    },
  );

  test("the files of a large package are found beside each other", () => {
    const { asked, from } = resolver();
    const parent = "file:///srv/node_modules/drizzle-orm/pg-core/index.js";
    expect(from(parent, "../sql/sql.js").url).toBe(
      "file:///srv/node_modules/drizzle-orm/sql/sql.js",
    );
    expect(asked).toEqual([]);
    from("file:///srv/node_modules/pg/esm/index.mjs", "../lib/index.js");
    expect(asked).toEqual(["../lib/index.js"]);
  });
});

test.each(largePackages)("%s has only ES modules in its .js files", async (name) => {
  const folder = fileURLToPath(new URL(`../../../../node_modules/${name}/`, import.meta.url));
  const files = (await readdir(folder, { recursive: true })).filter(
    (path) => basename(path) === "package.json",
  );
  expect(files).toContain("package.json");
  for (const file of files) {
    const content: unknown = JSON.parse(await readFile(join(folder, file), "utf8"));
    expect(content, file).toMatchObject({ type: "module" });
  }
});
