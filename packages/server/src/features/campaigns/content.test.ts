import type { CompanyId, ConnectionId, MediaKind } from "@balcao/contract";
import { beforeEach, expect, test } from "vitest";
import { systemCtx } from "../../platform/context.ts";
import { newMediaKey } from "../../platform/media/media-store.ts";
import { systemSources } from "../../platform/sources.ts";
import type { StoredFile } from "../media/index.ts";
import type { Contents } from "./content.ts";
import { createContents } from "./content.ts";

const ctx = systemCtx(1 as CompanyId, "test", "test");
const connectionId = 1 as ConnectionId;
const kinds = new Map<string, MediaKind>();
const file = (kind: MediaKind, fileName: string, caption = "") => {
  const key = newMediaKey(systemSources.ids, "bin");
  kinds.set(key, kind);
  return { key, fileName, caption };
};

let contents: Contents;
let examined = 0;
beforeEach(() => {
  examined = 0;
  contents = createContents({
    media: {
      describeFile: async (_company, key, name) => {
        examined += 1;
        const kind = kinds.get(key);
        return kind === undefined ? null : ({ key, kind, name } as StoredFile);
      },
    },
    templates: { fill: async () => Promise.reject(new Error("none")) },
  });
});

const sent = async (
  text: string,
  list: ReturnType<typeof file>[],
  attachment: ReturnType<typeof file> | null,
) => {
  const wanted = [...list, ...(attachment ? [attachment] : [])];
  await contents.prepare(ctx, connectionId, { wanted, template: null });
  return contents
    .messages(ctx, text, list, attachment)
    .map((one) => [one.text, one.file?.name ?? null]);
};

test("the text comes first, then the files of the list with their captions, then the attachment without one", async () => {
  const list = [file("image", "a.png", "Primeira"), file("document", "b.pdf", "Segunda")];
  expect(await sent("Oi", list, file("image", "c.png"))).toEqual([
    ["Oi", null],
    ["Primeira", "a.png"],
    ["Segunda", "b.pdf"],
    ["", "c.png"],
  ]);
});

test("without a list of files the text is the caption of the attachment, where its kind has one", async () => {
  expect(await sent("Oi", [], file("image", "c.png"))).toEqual([["Oi", "c.png"]]);
  expect(await sent("Oi", [], file("audio", "c.mp3"))).toEqual([
    ["Oi", null],
    ["", "c.mp3"],
  ]);
  expect(await sent("Oi", [], null)).toEqual([["Oi", null]]);
});

test("a file is examined once, and one that is gone is said", async () => {
  const picture = file("image", "c.png");
  await sent("Oi", [], picture);
  await sent("Olá", [], picture);
  expect(examined).toBe(1);
  const gone = { ...picture, key: newMediaKey(systemSources.ids, "bin") };
  await expect(sent("Oi", [], gone)).rejects.toThrow("ERR_FILE_MISSING");
});
