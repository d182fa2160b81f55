import type { Queue, QueueOption } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";

let app: TestApp;
let admin: GivenUser;
let agent: GivenUser;
let stranger: GivenUser;

beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
  const company = await app.given.company();
  admin = await app.given.admin({ company });
  agent = await app.given.agent({ company });
  stranger = await app.given.admin({ company: await app.given.company() });
});

async function given() {
  const queueId = await app.given.queue({ company: { id: admin.companyId, name: "" } });
  const option = { queueId, title: "Preços", option: 1 };
  const { body } = await app.as(admin).post<QueueOption>("/queue-options", option);
  return { queueId, optionId: body.id };
}

async function upload(user: GivenUser, path: string, name: string, content: string) {
  const body = new FormData();
  body.append("file", new Blob([content]), name);
  const reply = await fetch(`${app.url}/api${path}/media-upload`, {
    method: "POST",
    headers: { authorization: `Bearer ${user.token}` },
    body,
  });
  const answer: unknown = await reply.json();
  return { status: reply.status, body: answer };
}

const fileKeys = () =>
  app.database.db.acrossCompanies((tx) => tx.query<{ key: string }>(sql`select key from files`));

const kinds = ["queue", "queue-options"] as const;
const pathOf = (kind: (typeof kinds)[number], rows: { queueId: number; optionId: number }) =>
  `/${kind}/${kind === "queue" ? rows.queueId : rows.optionId}`;

test.for(kinds)("a file of %s is served by its address, replaced and removed", async (kind) => {
  const path = pathOf(kind, await given());
  const before = await fileKeys();
  const read = async () => (await app.as(agent).get<Queue | QueueOption>(path)).body;
  expect(await upload(admin, path, "tabela de preços.csv", "a;b")).toEqual({
    status: 200,
    body: { mensagem: "Arquivo Salvo" },
  });
  const first = await read();
  expect(first).toMatchObject({ mediaName: "tabela de preços.csv", mediaMime: expect.any(String) });
  const served = await fetch(`${app.url}${first.mediaPath}`);
  expect([served.status, await served.text()]).toEqual([200, "a;b"]);
  expect(served.headers.get("content-disposition")).toContain("tabela%20de%20pre%C3%A7os.csv");

  await upload(admin, path, "nova.txt", "nova");
  expect(await read()).toMatchObject({ mediaName: "nova.txt" });
  expect((await fetch(`${app.url}${first.mediaPath}`)).status).toBe(404);
  expect(await fileKeys()).toHaveLength(before.length + 1);

  expect(await app.as(admin).delete(`${path}/media-upload`)).toMatchObject({
    status: 200,
    body: { mensagem: "Arquivo excluído" },
  });
  expect(await read()).toMatchObject({ mediaPath: null, mediaName: null, mediaMime: null });
  expect(await fileKeys()).toEqual(before);
});

test.for(kinds)(
  "a refused file leaves the earlier one of %s, and nothing of itself",
  async (kind) => {
    const path = pathOf(kind, await given());
    await upload(admin, path, "boa.txt", "boa");
    const before = await fileKeys();
    expect(await upload(admin, path, "má.exe", "MZ")).toMatchObject({
      status: 415,
      body: { code: "ERR_FILE_TYPE_FORBIDDEN" },
    });
    expect(await upload(agent, path, "minha.txt", "minha")).toMatchObject({ status: 403 });
    expect(await upload(stranger, path, "minha.txt", "minha")).toMatchObject({ status: 404 });
    expect((await app.as(stranger).delete(`${path}/media-upload`)).status).toBe(404);
    expect(await app.as(admin).get(path)).toMatchObject({ body: { mediaName: "boa.txt" } });
    expect(await fileKeys()).toEqual(before);
  },
);

test.for(kinds)("a request to /%s/undefined is refused and stores nothing", async (kind) => {
  const before = await fileKeys();
  expect(await upload(admin, `/${kind}/undefined`, "a.txt", "a")).toMatchObject({
    status: 404,
    body: { code: "ERR_ROUTE_NOT_FOUND" },
  });
  expect(await app.as(admin).delete(`/${kind}/undefined/media-upload`)).toMatchObject({
    status: 404,
  });
  expect(await fileKeys()).toEqual(before);
});

test("files go with their option and with their queue", async () => {
  const before = await fileKeys();
  const { queueId, optionId } = await given();
  const child = { queueId, parentId: optionId, title: "Detalhes", option: 1 };
  const { body } = await app.as(admin).post<QueueOption>("/queue-options", child);
  await upload(admin, `/queue-options/${body.id}`, "a.txt", "a");
  await app.as(admin).delete(`/queue-options/${optionId}`);
  expect(await fileKeys()).toEqual(before);

  const rows = await given();
  for (const kind of kinds) await upload(admin, pathOf(kind, rows), "b.txt", "b");
  expect(await fileKeys()).toHaveLength(before.length + 2);
  await app.as(admin).delete(`/queue/${rows.queueId}`);
  expect(await fileKeys()).toEqual(before);
});
