import type { AutomaticText } from "@balcao/contract";
import { automaticTextKeys, automaticTexts } from "@balcao/contract";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
});

const path = "/automatic-texts";

async function office() {
  const company = await app.given.company();
  const admin = await app.given.admin({ company });
  const ana = await app.given.agent({ company });
  const texts = async (): Promise<AutomaticText[]> =>
    (await app.as(ana).get<AutomaticText[]>(path)).body;
  return { admin, ana, texts };
}

test("every text has its default until an admin writes the company's own, and again after", async () => {
  const { admin, texts } = await office();
  expect(await texts()).toEqual(
    automaticTextKeys.map((key) => ({ key, text: automaticTexts[key].default, isDefault: true })),
  );
  const own = { key: "callRefused", text: " Escreva, {{firstName}}. ", isDefault: false };
  const reply = await app.as(admin).put(`${path}/callRefused`, { text: own.text });
  expect(reply).toMatchObject({ status: 200, body: own });
  expect(await texts()).toContainEqual(own);
  expect((await (await office()).texts()).every(({ isDefault }) => isDefault)).toBe(true);

  const back = { ...own, text: automaticTexts.callRefused.default, isDefault: true };
  expect((await app.as(admin).delete(`${path}/callRefused`)).body).toEqual(back);
  expect(await texts()).toContainEqual(back);
});

test("the texts are no settings of other clients", async () => {
  const { admin } = await office();
  await app.as(admin).put(`${path}/completion`, { text: "Até logo" });
  const { body } = await app.as(admin).get<{ key: string }[]>("/settings");
  expect(body.filter(({ key }) => key.startsWith("text."))).toEqual([]);
  const reply = await app.as(admin).put("/settings/text.completion", { value: "x" });
  expect(reply).toMatchObject({ status: 404, body: { code: "ERR_NO_SETTING_FOUND" } });
});

test("a blank text, an unknown one, and one of an agent are refused", async () => {
  const { admin, ana, texts } = await office();
  const bad = { status: 400, body: { code: "ERR_INVALID_REQUEST" } };
  expect(await app.as(admin).put(`${path}/completion`, { text: " \n" })).toMatchObject(bad);
  expect(await app.as(admin).put(`${path}/nada`, { text: "x" })).toMatchObject({ status: 404 });
  expect(await app.as(ana).put(`${path}/completion`, { text: "x" })).toMatchObject({ status: 403 });
  expect(await app.as(ana).delete(`${path}/completion`)).toMatchObject({ status: 403 });
  expect((await texts()).every(({ isDefault }) => isDefault)).toBe(true);
});
