import type { Colleague, ReplyOf } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
});

async function office() {
  const company = await app.given.company();
  const queue = await app.given.queue({ company, name: "Vendas" });
  return {
    company,
    queue,
    admin: await app.given.admin({ company, name: "Chefe" }),
    ana: await app.given.agent({ company, name: "Ana Conceição", queueIds: [queue] }),
    bia: await app.given.supervisor({ company, name: "Bia" }),
  };
}

async function list(user: GivenUser, query = ""): Promise<ReplyOf<"GET /users">> {
  const reply = await app.as(user).get<ReplyOf<"GET /users">>(`/users${query}`);
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  return reply.body;
}

const namesOf = (users: readonly Colleague[]) => users.map(({ name }) => name);

test("every user finds colleagues by name, newest first, with their queues", async () => {
  const { company, queue, admin, ana, bia } = await office();
  const { users, count, hasMore } = await list(ana);
  expect([namesOf(users), count, hasMore]).toEqual([["Bia", "Ana Conceição", "Chefe"], 3, false]);
  expect(users[1]).toEqual({
    id: ana.id,
    name: "Ana Conceição",
    email: "",
    role: null,
    profile: "user",
    online: false,
    companyId: company.id,
    company: { id: company.id, name: company.name },
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    queues: [
      {
        ...{ id: queue, name: "Vendas", color: expect.stringMatching(/^#/) },
        UserQueue: { userId: ana.id, queueId: queue },
      },
    ],
  });
  expect(users[0]).toMatchObject({ id: bia.id, profile: "supervisor", queues: [] });
  expect(namesOf((await list(admin, "?searchParam=conceicao")).users)).toEqual(["Ana Conceição"]);
  expect(await list(ana, "?searchParam=%25")).toEqual({ users: [], count: 0, hasMore: false });
});

test("only admins see e-mail addresses and search by them", async () => {
  const { admin, ana, bia } = await office();
  const search = `?searchParam=${bia.email.toUpperCase()}`;
  expect((await list(admin, search)).users).toMatchObject([{ id: bia.id, email: bia.email }]);
  for (const user of [ana, bia]) {
    expect((await list(user, search)).users).toEqual([]);
    expect((await list(user)).users.map(({ email }) => email)).toEqual(["", "", ""]);
  }
});

test("a page has twenty users, none of another company", async () => {
  const { company, ana } = await office();
  for (let n = 0; n < 19; n += 1) await app.given.agent({ company });
  await office();
  const pages = [await list(ana), await list(ana, "?pageNumber=2")];
  expect(pages.map(({ users, count, hasMore }) => [users.length, count, hasMore])).toEqual([
    [20, 22, true],
    [2, 22, false],
  ]);
});

test("the short list is in the order of creation", async () => {
  const { admin, ana, bia, queue } = await office();
  const queues = [{ id: queue, UserQueue: { userId: ana.id, queueId: queue } }];
  const short = async (user: GivenUser) => (await app.as(user).get("/users/list")).body;
  expect(await short(admin)).toMatchObject([
    { id: admin.id, name: admin.name, email: admin.email, queues: [] },
    { id: ana.id, name: ana.name, email: ana.email, queues },
    { id: bia.id, name: bia.name, email: bia.email, queues: [] },
  ]);
  expect(await short(ana)).toMatchObject([{ email: "" }, { email: "", queues }, { email: "" }]);
});

test("the short list has every user, however many: it is read in pages and sent as one", async () => {
  const { company, admin } = await office();
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`
      insert into users (company_id, name, email, password_hash)
      select ${company.id}, 'Pessoa ' || n, 'p' || n || '.' || ${company.id} || '@muitos.example', 'x'
      from generate_series(1, 2000) n`),
  );
  app.statements.take();
  const { body } = await app.as(admin).get<ReplyOf<"GET /users/list">>("/users/list");
  // One for the caller's rights, and a page for every thousand users.
  expect(app.statements.take()).toHaveLength(4);
  expect(new Set(body.map(({ id }) => id)).size).toBe(2_003);
  expect(body.map(({ id }) => id)).toEqual(body.map(({ id }) => id).toSorted((a, b) => a - b));
});

test("a super user names the company; for everybody else it is their own", async () => {
  const [here, there] = [await office(), await office()];
  const root = await app.given.admin({ company: here.company, super: true });
  const at = (path: string) => `${path}?companyId=${there.company.id}`;
  const idsOf = async (user: GivenUser, path: string) => {
    const { body } = await app.as(user).get<{ id: number }[]>(path);
    return body.map(({ id }) => id);
  };
  expect(await idsOf(root, at("/users/list"))).toEqual(
    [there.admin, there.ana, there.bia].map(({ id }) => id),
  );
  expect(await idsOf(root, at("/queue"))).toEqual([there.queue]);
  expect(await idsOf(root, "/queue?companyId=")).toEqual([here.queue]);
  expect(await idsOf(here.admin, at("/queue"))).toEqual([here.queue]);
  expect(await idsOf(here.admin, at("/users/list"))).toContain(here.ana.id);
});
