import { errorStatus } from "@balcao/contract";
import { describe, expect, test } from "vitest";
import { wholeCatalogue } from "./index.ts";
import { admin } from "./pt/admin.ts";
import { auth } from "./pt/auth.ts";
import { kanban } from "./pt/kanban.ts";
import { operation } from "./pt/operation.ts";
import { programs } from "./pt/programs.ts";
import { provider } from "./pt/provider.ts";

const pt = await wholeCatalogue("pt");

const catalogues = { pt, en: await wholeCatalogue("en"), es: await wholeCatalogue("es") } as const;

/** Every text of a catalogue by its full key. */
function texts(catalogue: object, path = ""): [key: string, text: string][] {
  return Object.entries(catalogue).flatMap(([key, value]: [string, unknown]) => {
    if (typeof value === "string") return [[path + key, value] satisfies [string, string]];
    return typeof value === "object" && value !== null ? texts(value, `${path}${key}.`) : [];
  });
}

const variables = (text: string): string[] =>
  [...text.matchAll(/\{\{(\w+)\}\}/g)].map(String).sort();

describe.each(["en", "es"] as const)("the texts in %s", (language) => {
  test("have exactly the keys of the Portuguese ones", () => {
    const keys = (catalogue: object): string[] =>
      texts(catalogue)
        .map(([key]) => key)
        .sort();
    expect(keys(catalogues[language])).toEqual(keys(pt));
  });

  test("have the same variables in every text", () => {
    const portuguese = new Map(texts(pt));
    const different = texts(catalogues[language]).filter(
      ([key, text]) => variables(text).join() !== variables(portuguese.get(key) ?? "").join(),
    );
    expect(different).toEqual([]);
  });
});

describe.each(["pt", "en", "es"] as const)("the texts in %s", (language) => {
  test("are never empty", () => {
    const empty = texts(catalogues[language]).filter(([, text]) => text.trim() === "");
    expect(texts(catalogues[language]).length).toBeGreaterThan(100);
    expect(empty).toEqual([]);
  });

  test("have one for every error code of the contract", () => {
    const codes = Object.keys(errorStatus);
    const known = Object.keys(catalogues[language]["errors"] ?? {});
    expect(codes.length).toBeGreaterThan(30);
    expect(codes.filter((code) => !known.includes(code))).toEqual([]);
  });

  test("have both plural forms if they count", () => {
    const keys = new Set(texts(catalogues[language]).map(([key]) => key));
    const halves = [...keys].filter(
      (key) =>
        (key.endsWith("_one") && !keys.has(key.replace(/_one$/, "_other"))) ||
        (key.endsWith("_other") && !keys.has(key.replace(/_other$/, "_one"))),
    );
    expect(halves).toEqual([]);
  });
});

/** Texts that the specification quotes, also with what they are about: they keep its words. */
const quoted = new Set(["Ticket nº {{id}}", "Ver Ticket", "Ver Ticket {{id}}"]);

test.each([
  ["pt", /finalizar|\bticket\b|robô|\btirar\b|\bcomandar\b/i],
  ["en", /\btickets?\b|\bfinish\b/i],
  ["es", /\batenciones\b|\busted\b|\bfinalizar\b|\brobot\b/i],
] as const)("the texts in %s have one word for one thing", (language, otherWords) => {
  const wrong = texts(catalogues[language]).filter(
    ([, text]) => otherWords.test(text) && !quoted.has(text),
  );
  expect(wrong).toEqual([]);
});

// Said elsewhere, they would be missing on the screen wherever the part has not been loaded (`lazyPart`).
test.each([
  [
    "admin",
    admin,
    /^features\/(billing|brands|companies|connections|knowledge|mails|plans|prompts|queues|settings|users)\/|^features\/(roles\/user-tabs|account-security\/company-panel)|^ui\/opening-hours\//,
  ],
  ["auth", auth, /^features\/(auth\/|account-security\/sign-in-step)/],
  ["kanban", kanban, /^features\/kanban\//],
  [
    "provider",
    provider,
    /^features\/(billing|brands|companies|first-steps|invoices|knowledge|mails|operation\/import-panel|plans|prompts\/(ai-service|prompt-(dialog|trial))|support|settings\/(billing-lookups|support))/,
  ],
  ["operation", operation, /^features\/operation\//],
  ["programs", programs, /^features\/(api|integrations)\/|^app\/plan-offer|^ui\/code-block/],
] as const)("the texts of the part %s are said in its rooms only", (_name, part, rooms) => {
  const sources = import.meta.glob<string>("../{app,features,ui}/**/*.{ts,tsx}", {
    query: "?raw",
    import: "default",
    eager: true,
  });
  const keys = new Set(texts(part).map(([key]) => key.replace(/_(one|other)$/, "")));
  const saying = Object.entries(sources)
    .filter(([file]) => !file.includes(".test."))
    .filter(([, source]) =>
      [...source.matchAll(/"([a-z]\w*(?:\.\w+)+)"/gi)].some(([, key = ""]) => keys.has(key)),
    )
    .map(([file]) => file.replace("../", ""));
  expect(saying.length).toBeGreaterThan(0);
  expect(saying.filter((file) => !rooms.test(file))).toEqual([]);
});
