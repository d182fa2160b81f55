import type { Help } from "@balcao/contract";
import { companyEvent, pageSizes } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, beforeEach, expect, test } from "vitest";
import type { BodyOf, TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";

let app: TestApp;
let provider: GivenUser;
let agent: GivenUser;

beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
  provider = await app.given.admin({ company: await app.given.company(), super: true });
  agent = await app.given.admin({ company: await app.given.company() });
});

beforeEach(() =>
  app.database.db.acrossCompanies(async (tx) => {
    await tx.query(sql`delete from helps`);
  }),
);

const video = "aqz-KE-bpKQ";

async function given(title: string): Promise<Help> {
  const { body } = await app.as(provider).post<Help>("/helps", { title, video });
  return body;
}

test("super users keep the help videos; users of every company read them by title", async () => {
  const socket = await app.live(provider);
  const body = { title: "Primeiros passos", description: "Em dois minutos", video, link: "x" };
  const made = await app.as(provider).post<Help>("/helps", body);
  expect(made).toMatchObject({ status: 200, body: { title: body.title, video } });
  await given("Água no chope");
  const path = `/helps/${made.body.id}`;
  const titles = async () =>
    (await app.as(agent).get<Help[]>("/helps/list")).body.map(({ title }) => title);
  expect(await titles()).toEqual(["Água no chope", "Primeiros passos"]);
  const found = await app.as(agent).get("/helps?searchParam=PRIMEIROS");
  expect(found.body).toEqual({ records: [made.body], count: 1, hasMore: false });
  expect(await app.as(agent).get(path)).toMatchObject({ status: 200, body: made.body });

  const forbidden = { status: 403, body: { error: "ERR_NO_PERMISSION" } };
  expect(await app.as(agent).post("/helps", body)).toMatchObject(forbidden);
  expect(await app.as(agent).put(path, body)).toMatchObject(forbidden);
  expect(await app.as(agent).delete(path)).toMatchObject(forbidden);

  const change = { ...made.body, title: "Começo", description: null };
  expect(await app.as(provider).put(path, change)).toMatchObject({
    status: 200,
    body: { title: "Começo", description: "" },
  });
  expect(await app.as(provider).delete(path)).toMatchObject({
    status: 200,
    body: { message: "Help deleted" },
  });
  const gone = { status: 404, body: { error: "ERR_NO_HELP_FOUND" } };
  expect(await app.as(agent).get(path)).toMatchObject(gone);
  expect(await app.as(provider).put(path, change)).toMatchObject(gone);
  expect(await app.as(provider).delete(path)).toMatchObject(gone);
  const actions = () =>
    socket.heard
      .filter(({ name }) => name === companyEvent(provider.companyId, "help"))
      .map(({ payload }) => (payload as { action: string }).action);
  await expect.poll(actions).toEqual(["create", "create", "update", "delete"]);
});

test("pages have twenty", async () => {
  for (let count = 0; count <= pageSizes.helps; count += 1) await given(`Vídeo ${count + 10}`);
  const { body } = await app.as(agent).get<BodyOf<"GET /helps">>("/helps?pageNumber=2");
  expect([body.records.map(({ title }) => title), body.count]).toEqual([["Vídeo 30"], 21]);
});

const required = { status: 400, body: { error: "ERR_HELP_REQUIRED" } };
const short = { status: 400, body: { error: "ERR_HELP_INVALID_NAME" } };
const invalid = { status: 400, body: { error: "ERR_INVALID_REQUEST" } };

test.each([
  [{ video }, required],
  [{ title: "   ", video }, required],
  [{ title: "Oi", video }, short],
  [{ title: "Vídeo", description: "x", video }, short],
  [{ title: "Vídeo" }, invalid],
  [{ title: "Vídeo", video: "" }, invalid],
  [{ title: "Vídeo", video: "https://www.youtube.com/watch?v=aqz-KE-bpKQ" }, invalid],
  [{ title: "Vídeo", video: '"><script>alert(1)</script>' }, invalid],
  [{ title: "Vídeo", video: "../../x?y=1" }, invalid],
  [{ title: "Vídeo", video: "abcde" }, invalid],
  [{ title: "Vídeo", video: "a".repeat(21) }, invalid],
  [{ title: "Vídeo", video: `${video}\nx` }, invalid],
])("%j is refused", async (body, refusal) => {
  const { id } = await given("Vídeo");
  expect(await app.as(provider).post("/helps", body)).toMatchObject(refusal);
  expect(await app.as(provider).put(`/helps/${id}`, body)).toMatchObject(refusal);
});

test("pages may frame the video player's host, and no other", async () => {
  const { headers } = await fetch(`${app.url}/api/health/live`);
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy.match(/frame-src[^;]*/)?.[0]).toBe("frame-src https://www.youtube-nocookie.com");
});
