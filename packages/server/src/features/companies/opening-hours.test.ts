import type { Company } from "@balcao/contract";
import { companyEvent, defaultSchedules, limits } from "@balcao/contract";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";

let app: TestApp;
let admin: GivenUser;
let agent: GivenUser;
let root: GivenUser;
let path: string;

beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
  const company = await app.given.company({ timeZone: "America/Manaus" });
  admin = await app.given.admin({ company });
  agent = await app.given.agent({ company });
  root = await app.given.admin({ company: await app.given.company(), super: true });
  path = `/companies/${company.id}`;
});

test("users read name, due date, hours and time zone; only super users read how the company is reached", async () => {
  const known = {
    ...{ id: admin.companyId, name: expect.any(String), timeZone: "America/Manaus" },
    ...{ dueDate: "2099-12-31T00:00:00.000Z", schedules: defaultSchedules() },
  };
  const email = "contato@empresa.example";
  expect(await app.as(agent).get(path)).toMatchObject({
    status: 200,
    body: { ...known, email: "", phone: null },
  });
  expect(await app.as(admin).get(path)).toMatchObject({ body: { ...known, email } });
  expect(await app.as(root).get(path)).toMatchObject({ body: { ...known, email } });
});

test("an admin sets the hours; unknown keys of other clients are kept, and the company gets an event", async () => {
  const ear = await app.live(agent);
  const schedules = defaultSchedules().map((day) => ({
    ...day,
    ...{ startTime: "09:00", endTime: "17:30", startTimeB: "19:00" },
  }));
  const reply = await app.as(admin).put<Company>(`${path}/schedules`, { id: 1, schedules });
  expect(reply).toMatchObject({ status: 200, body: { id: admin.companyId, schedules } });
  expect(await app.as(agent).get(path)).toMatchObject({ body: { schedules } });
  expect(await ear.next(companyEvent(admin.companyId, "company"))).toEqual({
    action: "update",
    company: {
      id: admin.companyId,
      schedules: schedules.map((day) => ({
        ...day,
        ...{ startTimeA: "09:00", endTimeA: "17:30", endTimeB: "" },
      })),
      holidays: { national: {}, own: [] },
    },
  });
});

test.for([
  { what: "no list", schedules: undefined },
  { what: "six days", schedules: defaultSchedules().slice(1) },
  { what: "days in another order", schedules: defaultSchedules().toReversed() },
  {
    what: "an hour that is none",
    schedules: defaultSchedules().map((day) => ({ ...day, startTime: "8h" })),
  },
])("$what is refused and changes nothing", async ({ schedules }) => {
  const before = await app.as(admin).get(path);
  expect(await app.as(admin).put(`${path}/schedules`, { schedules })).toMatchObject({
    status: 400,
    body: { code: "ERR_INVALID_REQUEST" },
  });
  expect((await app.as(admin).get(path)).body).toEqual(before.body);
});

test("agents cannot set hours; only super users set another company's", async () => {
  const body = { schedules: defaultSchedules() };
  expect(await app.as(agent).put(`${path}/schedules`, body)).toMatchObject({ status: 403 });
  const stranger = await app.given.admin({ company: await app.given.company() });
  const refused = { status: 400, body: { code: "ERR_OTHER_COMPANY" } };
  expect(await app.as(stranger).get(path)).toMatchObject(refused);
  expect(await app.as(stranger).put(`${path}/schedules`, body)).toMatchObject(refused);
  expect(await app.as(root).put(`${path}/schedules`, body)).toMatchObject({ status: 200, body });
  const nobody = { status: 404, body: { code: "ERR_NO_COMPANY_FOUND" } };
  expect(await app.as(root).get("/companies/2000000000")).toMatchObject(nobody);
  expect(await app.as(root).put("/companies/2000000000/schedules", body)).toMatchObject(nobody);
  expect((await app.as(admin).get("/companies/undefined")).status).toBe(404);
});

const saoJoao = { date: "2026-06-24", name: "São João", everyYear: true, isOn: true };

test("an admin switches national holidays and adds own days; the company gets an event", async () => {
  const company = await app.given.company();
  const boss = await app.given.admin({ company });
  const ana = await app.given.agent({ company });
  const at = `/companies/${company.id}`;
  expect(await app.as(ana).get(at)).toMatchObject({
    body: { holidays: { national: {}, own: [] } },
  });
  const ear = await app.live(ana);
  const holidays = { national: { christmas: false, carnivalMonday: true }, own: [saoJoao] };
  const reply = await app.as(boss).put<Company>(`${at}/holidays`, holidays);
  expect(reply).toMatchObject({ status: 200, body: { holidays } });
  expect((await app.as(ana).get<Company>(at)).body.holidays).toEqual(holidays);
  expect(await ear.next(companyEvent(company.id, "company"))).toMatchObject({
    company: { id: company.id, holidays },
  });
});

test.for([
  { what: "an unknown national day", national: { carnaval: true }, own: [] },
  { what: "a day that is none", national: {}, own: [{ ...saoJoao, date: "2026-02-30" }] },
  { what: "a day without a name", national: {}, own: [{ ...saoJoao, name: "  " }] },
  {
    what: "too many days",
    national: {},
    own: Array.from({ length: limits.ownHolidaysMax + 1 }, () => saoJoao),
  },
])("$what is refused and changes nothing", async ({ national, own }) => {
  const before = await app.as(admin).get(path);
  expect(await app.as(admin).put(`${path}/holidays`, { national, own })).toMatchObject({
    status: 400,
    body: { code: "ERR_INVALID_REQUEST" },
  });
  expect((await app.as(admin).get(path)).body).toEqual(before.body);
});

test("agents cannot set holidays, nor admins those of another company", async () => {
  const body = { national: {}, own: [] };
  expect(await app.as(agent).put(`${path}/holidays`, body)).toMatchObject({ status: 403 });
  const stranger = await app.given.admin({ company: await app.given.company() });
  expect(await app.as(stranger).put(`${path}/holidays`, body)).toMatchObject({
    status: 400,
    body: { code: "ERR_OTHER_COMPANY" },
  });
});
