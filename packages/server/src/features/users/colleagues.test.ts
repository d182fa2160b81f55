import type { Colleague, ReplyOf } from "@balcao/contract";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
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
  const { queue, admin, ana, bia } = await office();
  const { users, count, hasMore } = await list(ana);
  expect([namesOf(users), count, hasMore]).toEqual([["Bia", "Ana Conceição", "Chefe"], 3, false]);
  expect(users[1]).toEqual({
    id: ana.id,
    name: "Ana Conceição",
    email: "",
    profile: "user",
    online: false,
    queues: [{ id: queue, name: "Vendas", color: expect.stringMatching(/^#/) }],
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
  const { admin, ana, bia } = await office();
  expect((await app.as(ana).get("/users/list")).body).toEqual(
    [admin, ana, bia].map(({ id, name }) => ({ id, name })),
  );
});
