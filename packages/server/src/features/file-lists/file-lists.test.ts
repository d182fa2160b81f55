import type { FileList } from "@balcao/contract";
import { companyEventNames } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { DomainError, systemCtx } from "../../platform/context.ts";
import { createDomainEvents } from "../../platform/events.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";
import type { MediaFiles } from "../media/index.ts";
import { filesOfList, removeFileList } from "./index.ts";

let app: TestApp;
let agent: GivenUser;
let admin: GivenUser;
let stranger: GivenUser;

beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
  const company = await app.given.company();
  agent = await app.given.agent({ company });
  admin = await app.given.admin({ company });
  stranger = await app.given.admin({ company: await app.given.company() });
});

const noFile = { status: 404, body: { error: "ERR_NO_FILE_FOUND" } };
const invalid = { status: 400, body: { error: "ERR_INVALID_REQUEST" } };
const nameTaken = { status: 400, body: { error: "ERR_RATING_NAME_ALREADY_EXISTS" } };
const updated = { status: 200, body: { mensagem: "Arquivos atualizados" } };

let count = 0;
async function given(names: readonly string[], user = admin): Promise<FileList> {
  const reply = await app.as(user).post<FileList>("/files", {
    ...{ name: `Catálogo ${(count += 1)}`, message: "Coleção de verão", userId: user.id },
    // What clients of the family send beside the name.
    options: names.map((name) => ({ name, path: "", mediaType: "", file: {} })),
  });
  expect(reply.status).toBe(200);
  return reply.body;
}

const read = async (id: number) => (await app.as(agent).get<FileList>(`/files/${id}`)).body;
const namesOf = ({ options }: FileList) => options.map(({ name }) => name);
const idOf = ({ options }: FileList, at: number) => String(options[at]?.id);

type Part = [field: string, value: string] | [field: string, file: Blob, name: string];

async function upload(user: GivenUser, id: number, parts: readonly Part[]) {
  const body = new FormData();
  for (const [field, value, name] of parts) {
    if (typeof value === "string") body.append(field, value);
    else body.append(field, value, name);
  }
  const reply = await fetch(`${app.url}/api/files/uploadList/${id}`, {
    method: "POST",
    headers: { authorization: `Bearer ${user.token}` },
    body,
  });
  const answer: unknown = await reply.json();
  return { status: reply.status, body: answer };
}

const text = (content: string) => new Blob([content], { type: "text/plain" });
/** A file with its fields behind it, as clients of the family send it. */
const fileOf = (optionId: string, content: string, name = `${content}.txt`): Part[] => [
  ["files", text(content), name],
  ["mediaType", "application/x-anything"],
  ["name", "legenda"],
  ["id", optionId],
];

async function fileCount(): Promise<number> {
  const [row] = await app.database.db.acrossCompanies((tx) =>
    tx.query<{ n: number }>(sql`select count(*)::int as n from files`),
  );
  return row?.n ?? 0;
}

describe("a list", () => {
  test("is made, read, changed and deleted by admins, and read by everybody", async () => {
    const made = await given(["Capa"]);
    expect(made).toMatchObject({
      ...{ name: expect.any(String), message: "Coleção de verão", companyId: admin.companyId },
      options: [
        { name: "Capa", path: null, mediaType: null, fileId: made.id, fileName: null, url: null },
      ],
    });
    const path = `/files/${made.id}`;
    expect(await app.as(agent).get(path)).toMatchObject({ status: 200, body: made });
    const body = { name: "Outra", message: "Texto", options: [] };
    const forbidden = { status: 403, body: { error: "ERR_NO_PERMISSION" } };
    expect(await app.as(agent).post("/files", body)).toMatchObject(forbidden);
    expect(await app.as(agent).put(path, body)).toMatchObject(forbidden);
    expect(await app.as(agent).delete(path)).toMatchObject(forbidden);
    expect(await upload(agent, made.id, [])).toMatchObject(forbidden);
    expect(await app.as(admin).put(path, body)).toMatchObject({ status: 200, body });
    expect(await app.as(admin).delete(path)).toMatchObject({
      status: 200,
      body: { message: "File List deleted" },
    });
    expect(await app.as(admin).get(path)).toMatchObject(noFile);
    const gone = { status: 404, body: { error: "ERR_NO_RATING_FOUND" } };
    expect(await app.as(admin).delete(path)).toMatchObject(gone);
  });

  test("of another company is not found", async () => {
    const theirs = await given(["Capa"], stranger);
    const path = `/files/${theirs.id}`;
    const body = { name: "Minha", message: "m", options: [] };
    expect(await app.as(admin).get(path)).toMatchObject(noFile);
    expect(await app.as(admin).put(path, body)).toMatchObject(noFile);
    expect(await app.as(admin).delete(path)).toMatchObject({ status: 404 });
    expect(await upload(admin, theirs.id, fileOf(idOf(theirs, 0), "a"))).toMatchObject(noFile);
    expect((await app.as(stranger).get<FileList>(path)).body).toEqual(theirs);
  });

  test("has a name of three characters that no other of the company has", async () => {
    const { name, id } = await given([]);
    const post = (next: string, user = admin) =>
      app.as(user).post("/files", { name: next, message: "m" });
    expect(await post("ab")).toMatchObject(invalid);
    expect(await post(" ab ")).toMatchObject(invalid);
    expect(await post(` ${name} `)).toMatchObject(nameTaken);
    expect(await post(name, stranger)).toMatchObject({ status: 200 });
    const other = await given(["Fica"]);
    const body = { name, message: "m", options: [] };
    expect(await app.as(admin).put(`/files/${other.id}`, body)).toMatchObject(nameTaken);
    expect(await read(other.id)).toEqual(other);
    expect(await app.as(admin).put(`/files/${id}`, body)).toMatchObject({ status: 200 });
  });

  test("needs a message, and has fifty files at most", async () => {
    const post = (body: object) => app.as(admin).post("/files", { name: "Grande", ...body });
    expect(await post({ message: "  " })).toMatchObject(invalid);
    const options = Array.from({ length: 51 }, () => ({ name: "" }));
    expect(await post({ message: "m", options })).toMatchObject(invalid);
    expect(await post({ message: "m", options: options.slice(1) })).toMatchObject({ status: 200 });
  });

  test("stands on a page by its name, found by a part of it, without its files", async () => {
    const company = await app.given.company();
    const user = await app.given.admin({ company });
    for (const name of ["Óculos", "bolsas", "Anéis"]) {
      await app.as(user).post("/files", { name, message: "m", options: [{}, {}] });
    }
    const page = (query: string) => app.as(user).get<{ files: object[] }>(`/files${query}`);
    const all = await page("/?pageNumber=1&companyId=1");
    expect(all.body).toMatchObject({
      files: [{ name: "Anéis", optionsCount: 2 }, { name: "bolsas" }, { name: "Óculos" }],
      ...{ count: 3, hasMore: false },
    });
    expect(all.body.files[0]).not.toHaveProperty("options");
    expect((await page("?searchParam=ocu")).body).toMatchObject({ files: [{ name: "Óculos" }] });
  });
});

describe("the options of a list", () => {
  test("come back in the order sent, also from later reads", async () => {
    const names = ["z", "a", "m", "a", "b"];
    const made = await given(names);
    expect(namesOf(made)).toEqual(names);
    expect(namesOf(await read(made.id))).toEqual(names);
  });

  test("are changed by their ids, new without, and removed when they are not sent", async () => {
    const made = await given(["um", "dois", "três"]);
    await upload(admin, made.id, [...fileOf(idOf(made, 0), "a"), ...fileOf(idOf(made, 1), "b")]);
    const before = await fileCount();
    const [first, second, third] = (await read(made.id)).options;
    const options = [
      { ...third, name: "3" },
      { name: "novo", path: "../../etc/passwd", mediaType: "text/html" },
      { ...second, path: first?.path, mediaType: first?.mediaType, fileId: 1 },
    ];
    const { name, message } = made;
    const saved = await app
      .as(admin)
      .put<FileList>(`/files/${made.id}`, { name, message, options });
    expect(saved).toMatchObject({
      status: 200,
      body: {
        options: [{ id: third?.id, name: "3", path: null }, { name: "novo", path: null }, second],
      },
    });
    expect(await read(made.id)).toEqual(saved.body);
    expect(await fileCount()).toBe(before - 1);
  });

  test("of another list, or given twice, change nothing", async () => {
    const [made, other] = [await given(["um"]), await given(["dois"])];
    const put = (ids: string[]) =>
      app.as(admin).put(`/files/${made.id}`, {
        ...{ name: "Trocada", message: "m" },
        options: ids.map((id) => ({ id, name: "x" })),
      });
    expect(await put([idOf(other, 0)])).toMatchObject(noFile);
    expect(await put([idOf(made, 0), idOf(made, 0)])).toMatchObject(noFile);
    expect(await read(made.id)).toEqual(made);
    expect(await read(other.id)).toEqual(other);
  });
});

describe("an upload", () => {
  test("gives each option the file in step with its id, described by its content and served", async () => {
    const made = await given(["capa", "sem arquivo", "preços"]);
    const parts: Part[] = [
      ["fileId", String(made.id)],
      ["typeArch", "fileList"],
      ...fileOf(idOf(made, 2), "tabela", "tabela de preços.txt"),
      ...fileOf(idOf(made, 0), "capa"),
    ];
    expect(await upload(admin, made.id, parts)).toEqual(updated);
    const { options } = await read(made.id);
    const path: unknown = expect.stringMatching(/^[\w-]+\.txt$/);
    expect(options).toMatchObject([
      { name: "capa", fileName: "capa.txt", bytes: 4, mediaType: "text/plain", path },
      { name: "sem arquivo", path: null, url: null },
      { name: "preços", fileName: "tabela de preços.txt", path },
    ]);
    const served = await fetch(`${app.url}${options[2]?.url}`);
    expect([served.status, await served.text()]).toEqual([200, "tabela"]);
    expect(
      (await fetch(`${app.url}/public/company${made.companyId}/${options[2]?.path}`)).status,
    ).toBe(404);
  });

  test("of one file has single texts, in front of it or behind, and replaces the file that was there", async () => {
    const made = await given(["capa"]);
    await upload(admin, made.id, fileOf(idOf(made, 0), "velha"));
    const before = await fileCount();
    const [old] = (await read(made.id)).options;
    const parts: Part[] = [
      ["id", idOf(made, 0)],
      ["mediaType", "text/plain"],
      ["name", "capa"],
      ["files", text("nova"), "nova.txt"],
    ];
    expect(await upload(admin, made.id, parts)).toEqual(updated);
    expect((await read(made.id)).options).toMatchObject([{ fileName: "nova.txt" }]);
    expect((await fetch(`${app.url}${old?.url}`)).status).toBe(404);
    expect(await fileCount()).toBe(before);
  });

  test("without files is answered, and changes nothing", async () => {
    const made = await given(["capa"]);
    const fields: Part[] = [
      ["fileId", String(made.id)],
      ["typeArch", "fileList"],
    ];
    expect(await upload(admin, made.id, fields)).toEqual(updated);
    expect(await app.as(admin).post(`/files/uploadList/${made.id}`)).toMatchObject(updated);
    expect(await read(made.id)).toEqual(made);
  });

  test("with something wrong leaves no file and changes nothing", async () => {
    const [made, other] = [await given(["um", "dois"]), await given(["três"])];
    const before = await fileCount();
    const file = fileOf(idOf(made, 0), "a");
    const tries: [Part[], object][] = [
      [[["fileId", String(other.id)], ...file], invalid],
      [[["typeArch", "quickMessage"], ...file], invalid],
      [[...file, ...fileOf(idOf(made, 0), "b")], invalid],
      [[...file, ["files", text("b"), "b.txt"]], invalid],
      [[...file, ...fileOf(idOf(other, 0), "b")], noFile],
      [[...file, ...fileOf(idOf(made, 1), "MZ", "b.exe")], { status: 415 }],
      [Array.from({ length: 11 }, () => file).flat(), { status: 413 }],
    ];
    for (const [parts, refused] of tries) {
      expect(await upload(admin, made.id, parts)).toMatchObject(refused);
    }
    expect(await read(made.id)).toEqual(made);
    expect(await fileCount()).toBe(before);
  });
});

test("a campaign gets the files in the order of their options, with their captions", async () => {
  const made = await given(["z", "", "sem", "a"]);
  const at = (place: number, content: string) => fileOf(idOf(made, place), content);
  await upload(admin, made.id, [...at(3, "terceiro"), ...at(1, "segundo"), ...at(0, "primeiro")]);
  const ofList = ({ companyId }: GivenUser) =>
    app.database.db.transaction({ companyId }, (tx) => filesOfList({ companyId }, tx, made.id));
  expect(await ofList(admin)).toMatchObject([
    { name: "z", fileName: "primeiro.txt", mime: "text/plain", key: expect.any(String) },
    { name: "", fileName: "segundo.txt" },
    { name: "a", fileName: "terceiro.txt" },
  ]);
  expect(await ofList(stranger)).toEqual([]);
});

test("a removed list takes its files along, unless somebody who uses it refuses", async () => {
  const made = await given(["capa"]);
  const before = await fileCount();
  await upload(admin, made.id, fileOf(idOf(made, 0), "capa"));
  const domainEvents = createDomainEvents();
  let asked = 0;
  domainEvents.on("fileList.removing", async (_ctx, _tx, { fileListId }) => {
    expect(fileListId).toBe(made.id);
    asked += 1;
    // Somebody began to use it after the first question.
    if (asked === 2) throw new DomainError("ERR_NO_PERMISSION");
  });
  const realtime = { publish: () => undefined } as unknown as Realtime;
  const media = { removeUnused: async () => undefined } as unknown as MediaFiles;
  const deps = { db: app.database.db, clock: app.clock, realtime, domainEvents, media };
  const ctx = systemCtx(admin.companyId, "test", "1");
  await expect(removeFileList(deps, ctx, made.id)).rejects.toThrow("ERR_NO_PERMISSION");
  expect((await read(made.id)).options).toMatchObject([{ fileName: "capa.txt" }]);

  expect(await app.as(admin).delete(`/files/${made.id}`)).toMatchObject({ status: 200 });
  expect(await fileCount()).toBe(before);
});

test("everybody of the company is told, under both names of the list", async () => {
  const live = await app.live(agent);
  const other = await app.live(stranger);
  const [name = ""] = companyEventNames(admin.companyId, "file", "create");
  expect(name).toBe(`company-${admin.companyId}-file`);
  const made = await given(["capa"]);
  expect(await live.next(name)).toEqual({ action: "create", files: made, fileList: made });
  await upload(admin, made.id, fileOf(idOf(made, 0), "capa"));
  const stored = await read(made.id);
  expect(await live.next(name)).toEqual({ action: "update", files: stored, fileList: stored });
  const { message, options } = made;
  await app.as(admin).put(`/files/${made.id}`, { name: "Renomeada", message, options });
  expect(await live.next(name)).toMatchObject({ action: "update", files: { name: "Renomeada" } });
  await app.as(admin).delete(`/files/${made.id}`);
  expect(await live.next(name)).toEqual({ action: "delete", fileId: made.id });
  expect(other.heard.filter((event) => event.name === name)).toEqual([]);
});
