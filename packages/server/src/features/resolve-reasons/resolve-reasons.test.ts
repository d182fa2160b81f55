import type { ResolveReason } from "@balcao/contract";
import { companyEvent, limits } from "@balcao/contract";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
});

const path = "/resolve-reasons";

test("admins keep the list, everybody reads it by name", async () => {
  const company = await app.given.company();
  const admin = app.as(await app.given.admin({ company }));
  const ana = await app.given.agent({ company });
  const live = await app.live(ana);
  const add = async (name: string) => (await admin.post<ResolveReason>(path, { name })).body;
  const listed = async () =>
    (await app.as(ana).get<ResolveReason[]>(path)).body.map(({ name }) => name);

  const sale = await add("  Venda feita ");
  const doubt = await add("Ática");
  expect(await listed()).toEqual(["Ática", "Venda feita"]);
  const event = companyEvent(company.id, "resolveReason");
  expect(await live.next(event)).toEqual({ action: "create", reason: sale });
  expect(await live.next(event)).toMatchObject({ action: "create" });

  expect(await add("VENDA FEITA")).toMatchObject({ code: "ERR_REASON_EXISTS" });
  const rename = (name: string) => admin.put(`${path}/${doubt.id}`, { name });
  expect((await rename("venda feita")).body).toMatchObject({ code: "ERR_REASON_EXISTS" });
  expect((await rename("Dúvida")).body).toMatchObject({ id: doubt.id, name: "Dúvida" });
  expect(await live.next(event)).toMatchObject({ action: "update", reason: { name: "Dúvida" } });

  expect((await admin.delete(`${path}/${sale.id}`)).status).toBe(200);
  expect(await live.next(event)).toEqual({ action: "delete", reasonId: sale.id });
  expect((await admin.delete(`${path}/${sale.id}`)).body).toMatchObject({
    code: "ERR_NO_REASON_FOUND",
  });
  expect(await listed()).toEqual(["Dúvida"]);
  // Its name is free again.
  expect(await add("Venda feita")).toMatchObject({ name: "Venda feita" });
});

test("the list is bounded, however many are added at once", async () => {
  const company = await app.given.company();
  const admin = app.as(await app.given.admin({ company }));
  const tries = Array.from({ length: limits.resolveReasonsMax + 5 }, (_, n) =>
    admin.post(path, { name: `Motivo ${n}` }),
  );
  const statuses = (await Promise.all(tries)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(limits.resolveReasonsMax);
  expect(statuses.filter((status) => status === 400)).toHaveLength(5);
});
