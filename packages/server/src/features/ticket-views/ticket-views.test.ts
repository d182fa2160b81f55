import type { CompanyEvents, ReplyOf, TicketView, ViewFilter } from "@balcao/contract";
import { companyEvent, limits } from "@balcao/contract";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser, TicketWish } from "../../testing/given.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
});

const noFilter = {
  ...{ status: "open", showAll: false, isUnread: false, isSnoozed: false, waitMinutes: null },
  ...{ queueIds: [], tagIds: [], userIds: [], connectionIds: [] },
} as const satisfies ViewFilter;

async function office() {
  const { given } = app;
  const company = await given.company();
  const sales = await given.queue({ company });
  const connectionId = await given.connection({ company, linked: false });
  const ana = await given.agent({ company, queueIds: [sales] });
  return {
    ...{ company, sales, connectionId, ana },
    bia: await given.agent({ company, queueIds: [sales] }),
    admin: await given.admin({ company }),
    ticket: (wish: TicketWish = {}) =>
      given.ticket({ company, connectionId, queueId: sales, ...wish }),
  };
}

const save = (
  user: GivenUser,
  view: Partial<{ name: string; isShared: boolean; filter: object }>,
) =>
  app.as(user).post<TicketView & { code: string }>("/ticket-views", {
    ...{ name: "Trocas", isShared: false, filter: noFilter },
    ...view,
  });

const names = async (user: GivenUser): Promise<string[]> =>
  (await app.as(user).get<TicketView[]>("/ticket-views")).body.map(({ name }) => name);

type Counts = ReplyOf<"GET /ticket-views/counts">;
const counts = async (user: GivenUser): Promise<Counts> =>
  (await app.as(user).get<Counts>("/ticket-views/counts")).body;

describe("a saved view", () => {
  test("is its user's, or the team's; the team's are changed by its user and by admins", async () => {
    const { ana, bia, admin } = await office();
    const own = (await save(ana, { name: "Minhas" })).body;
    const shared = (await save(ana, { name: "Da equipe", isShared: true })).body;
    expect(await names(ana)).toEqual(["Minhas", "Da equipe"]);
    expect(await names(bia)).toEqual(["Da equipe"]);
    const rename = async (user: GivenUser, { id }: TicketView) =>
      (await app.as(user).put(`/ticket-views/${id}`, { name: "Outro nome" })).status;
    expect(await rename(bia, own)).toBe(404);
    expect(await rename(admin, own)).toBe(404);
    expect(await rename(bia, shared)).toBe(403);
    expect(await rename(admin, shared)).toBe(200);
    await app.as(ana).put(`/ticket-views/${shared.id}`, { isShared: false });
    expect(await names(bia)).toEqual([]);
    expect(await names(ana)).toEqual(["Minhas", "Outro nome"]);
  });

  test("counts what its reader may see, a hundred at most, in one statement beside the one that reads the views", async () => {
    const { ana, bia, admin, sales, ticket } = await office();
    await ticket({ status: "open", userId: ana.id });
    await ticket({ status: "open", userId: bia.id });
    await ticket();
    const waiting = { ...noFilter, status: "pending", queueIds: [sales] };
    const all = { ...noFilter, showAll: true };
    const mine = (await save(ana, { isShared: true, filter: all })).body.id;
    const queue = (await save(ana, { isShared: true, filter: waiting })).body.id;
    const none = { open: 0, pending: 0 };
    expect(await counts(ana)).toEqual({
      views: (await app.as(ana).get("/ticket-views")).body,
      counts: [
        { id: mine, count: 1 },
        { id: queue, count: 1 },
      ],
      snoozed: none,
    });
    expect((await counts(admin)).counts).toMatchObject([{ count: 2 }, { count: 1 }]);
    for (let n = 0; n < limits.viewCountMax + 2; n += 1) await ticket();
    app.statements.take();
    expect((await counts(ana)).counts).toMatchObject([{ count: 1 }, { count: 100 }]);
    const work = app.statements.take().filter((text) => !text.includes("token_version"));
    expect(work).toHaveLength(2);
  });

  test("is deleted, and comes back by an undo of the same user", async () => {
    const { ana, admin } = await office();
    const { id } = (await save(ana, { isShared: true })).body;
    expect((await app.as(ana).delete(`/ticket-views/${id}`)).status).toBe(200);
    expect(await names(ana)).toEqual([]);
    expect((await app.as(admin).post(`/ticket-views/${id}/undo`)).status).toBe(409);
    expect((await app.as(ana).post(`/ticket-views/${id}/undo`)).status).toBe(200);
    expect(await names(ana)).toEqual(["Trocas"]);
  });

  test("is told to those who see it; one that is shared no longer leaves the others", async () => {
    const { company, ana, bia } = await office();
    const client = await app.live(bia);
    const heard = () =>
      client.heard.flatMap(({ name, payload }) =>
        name === companyEvent(company.id, "ticketView")
          ? [(payload as CompanyEvents["ticketView"]).action]
          : [],
      );
    await save(ana, { name: "Só minha" });
    const { id } = (await save(ana, { isShared: true })).body;
    await vi.waitFor(() => expect(heard()).toEqual(["create"]));
    await app.as(ana).put(`/ticket-views/${id}`, { isShared: false });
    await vi.waitFor(() => expect(heard()).toEqual(["create", "delete"]));
  });

  test("has a name, and there are so many of a user at most", async () => {
    const { ana, bia } = await office();
    expect((await save(ana, { name: "  " })).status).toBe(400);
    for (let n = 0; n < limits.viewsMax; n += 1) await save(ana, { name: `Visão ${n}` });
    const more = await save(ana, {});
    expect([more.status, more.body.code]).toEqual([400, "ERR_VIEW_LIMIT_REACHED"]);
    expect((await save(bia, {})).status).toBe(200);
  });
});
