import type { KnowledgeItem, ReplyOf, ShownKnowledgeItem } from "@balcao/contract";
import { companyEvent, limits } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";
import { pdfOf } from "../../testing/pdf.ts";
import { partsOf } from "./parts.ts";

const app = await testApp();
const { given } = app;

async function office() {
  const company = await given.company();
  const admin = await given.admin({ company });
  return { company, admin, supervisor: await given.supervisor({ company }) };
}

async function add(by: GivenUser, title: string, text: string, change: object = {}) {
  const body = { kind: "article", title, text, ...change };
  const reply = await app.as(by).post<KnowledgeItem>("/knowledge", body);
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  return reply.body;
}

type Found = ReplyOf<"POST /knowledge/search">["parts"];
const search = async (by: GivenUser, text: string): Promise<Found> =>
  (await app.as(by).post<{ parts: Found }>("/knowledge/search", { text })).body.parts;

test("an item is made, listed without its text, changed and deleted, live", async () => {
  const { company, admin, supervisor } = await office();
  const live = await app.live(admin);
  const next = () => live.next(companyEvent(company.id, "knowledge"));
  const created = next();
  const made = await add(supervisor, " Trocas ", "Em até 30 dias.", {
    fileName: "x.pdf",
    fileBytes: 9,
  });
  expect(made).toMatchObject({
    ...{ companyId: company.id, kind: "article", title: "Trocas", isActive: true, length: 15 },
    ...{ fileName: "", fileBytes: 0, author: supervisor.name },
  });
  expect(await created).toEqual({ action: "create", knowledge: { id: made.id } });
  const path = `/knowledge/${made.id}`;
  const shown = await app.as(admin).get<ShownKnowledgeItem>(path);
  expect(shown.body).toEqual({ ...made, text: "Em até 30 dias." });
  const changed = await app.as(admin).put<KnowledgeItem>(path, { isActive: false });
  expect(changed.body).toMatchObject({ title: "Trocas", isActive: false, author: admin.name });
  expect((await app.as(admin).get("/knowledge")).body).toEqual({
    ...{ items: [changed.body], count: 1, hasMore: false },
  });
  const deleted = next();
  expect((await app.as(admin).delete(path)).status).toBe(200);
  expect(await deleted).toEqual({ action: "update", knowledge: { id: made.id } });
  expect(await app.as(admin).get(path)).toMatchObject({ status: 404 });
  expect((await app.as(admin).put(path, { title: "x" })).status).toBe(404);
});

test("the list is searched in titles, file names and texts", async () => {
  const { admin } = await office();
  await add(admin, "Políticas", "Devoluções sem custo.");
  await add(admin, "Tabela", "Preços.", {
    kind: "file",
    fileName: "tabela-2026.pdf",
    fileBytes: 100,
  });
  const titles = async (words: string) => {
    const path = `/knowledge?searchParam=${encodeURIComponent(words)}`;
    const { body } = await app.as(admin).get<ReplyOf<"GET /knowledge">>(path);
    return body.items.map(({ title }) => title);
  };
  expect(await titles("politica")).toEqual(["Políticas"]);
  expect(await titles("2026.pdf")).toEqual(["Tabela"]);
  expect(await titles("devolucao")).toEqual(["Políticas"]);
  expect(await titles("devolução preço")).toEqual([]);
});

test("what a text asks for is found without regard to case, accents, plural and typing errors", async () => {
  const { admin } = await office();
  await add(admin, "Trocas e devoluções", "A primeira devolução é grátis. O prazo é de 30 dias.");
  await add(admin, "Vocês entregam no interior?", "Sim, em até cinco dias úteis.", {
    kind: "question",
  });
  await add(
    admin,
    "Horários",
    "A loja abre às 9h. Aos domingos a loja fecha. A loja tem estacionamento.",
  );
  await add(admin, "Entregas antigas", "Entregamos em dez dias.", { isActive: false });
  const first = async (text: string) => (await search(admin, text))[0]?.title ?? null;
  for (const [asked, title] of [
    ["QUAL O PRAZO DE DEVOLUCAO?", "Trocas e devoluções"],
    ["como faço as devoluções na loja", "Trocas e devoluções"],
    ["oi, bom dia, a entrega chega em quanto tempo?", "Vocês entregam no interior?"],
    ["tem estacionamento na loja", "Horários"],
    ["horarrios", "Horários"],
    ["devoluçoens", "Trocas e devoluções"],
    ["Você não tem?", null],
    ["bicicletas", null],
    ["' | ! & <-> :* \\ (", null],
  ] as const) {
    expect([asked, await first(asked)]).toEqual([asked, title]);
  }
  // What only the text says is found beside what a title says.
  const both = await search(admin, "prazo de entrega");
  expect(both.map(({ title }) => title).toSorted()).toEqual([
    ...["Trocas e devoluções", "Vocês entregam no interior?"],
  ]);
  const stranger = await given.admin({ company: await given.company() });
  expect(await search(stranger, "prazo de devolução")).toEqual([]);
});

test("long items are quoted by their parts: the best six, at most some 6,000 characters", async () => {
  const { admin } = await office();
  const filling =
    "Conserve o recibo junto do aparelho durante todo o período da cobertura. ".repeat(10);
  const chapters = Array.from(
    { length: 9 },
    (_, n) => `Garantia do modelo ${n + 1}.\n\n${filling}`,
  );
  const { id } = await add(
    admin,
    "Manual",
    `${chapters.join("\n\n")}\n\nO fogão azul tem garantia vitalícia.`,
  );
  const [best, ...others] = await search(admin, "garantia vitalícia do fogão azul");
  expect(best).toMatchObject({
    itemId: id,
    title: "Manual",
    text: /fogão azul tem garantia vitalícia/,
  });
  expect(others.length).toBeLessThanOrEqual(5);
  const found = await search(admin, "recibo do aparelho");
  expect(found).toHaveLength(6);
  expect(found.map(({ text }) => text).join("").length).toBeLessThanOrEqual(6_000);
  await app.as(admin).put(`/knowledge/${id}`, { text: "Só isto." });
  expect(await search(admin, "fogão azul")).toEqual([]);
});

test.each<[what: string, text: string, parts: string[]]>([
  ["nothing", " \n\n ", []],
  ["short paragraphs stay together", "Um.\n\nDois.", ["Um.\n\nDois."]],
  [
    "long ones are cut at the ends of sentences, and the last sentence begins the next part",
    `${"a".repeat(700)}. Fim do começo. ${"b".repeat(700)}.`,
    [`${"a".repeat(700)}. Fim do começo.`, `Fim do começo. ${"b".repeat(700)}.`],
  ],
  ["text without ends is cut between characters", "😀".repeat(401), ["😀".repeat(400), "😀"]],
])("parts: %s", (_what, text, parts) => {
  expect(partsOf(text)).toEqual(parts);
});

test("a file's text is read for correction, and nothing is stored", async () => {
  const { admin } = await office();
  const send = async (content: Uint8Array, name: string) => {
    const body = new FormData();
    body.append("file", new Blob([new Uint8Array(content)]), name);
    const headers = { authorization: `Bearer ${admin.token}` };
    const reply = await fetch(`${app.url}/api/knowledge/upload`, { method: "POST", headers, body });
    return { status: reply.status, body: await reply.json() };
  };
  const pdf = pdfOf([["Troca em 30 dias."]]);
  // Its name does not matter.
  expect(await send(pdf, "trocas.txt")).toMatchObject({
    status: 200,
    body: {
      fileName: "trocas.txt",
      fileBytes: pdf.length,
      text: "Troca em 30 dias.",
      isCut: false,
    },
  });
  expect(await send(Buffer.from([0, 1, 2]), "trocas.pdf")).toMatchObject({
    ...{ status: 400, body: { code: "ERR_DOCUMENT_NOT_ONE" } },
  });
  expect((await app.as(admin).get("/knowledge")).body).toMatchObject({ count: 0 });
});

test("a company has so many items and no more; agents and companies without the plan have none", async () => {
  const { company, admin } = await office();
  await app.database.db.transaction({ companyId: company.id }, (tx) =>
    tx.query(sql`
      insert into knowledge_items (company_id, kind, title, text)
      select ${company.id}, 'article', n::text, 'x' from generate_series(1, ${limits.knowledgeItemsMax - 1}) n`),
  );
  const body = { kind: "question", title: "Um a mais?", text: "Não." };
  const both = await Promise.all([1, 2].map(() => app.as(admin).post("/knowledge", body)));
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
  expect(both.find(({ status }) => status === 400)?.body).toMatchObject({
    ...{ code: "ERR_KNOWLEDGE_LIMIT", data: { max: limits.knowledgeItemsMax } },
  });
  const agent = await given.agent({ company });
  expect((await app.as(agent).get("/knowledge")).status).toBe(403);
  const poor = await given.admin({ company: await given.company({ plan: { useOpenAi: false } }) });
  expect((await app.as(poor).get("/knowledge")).status).toBe(403);
});
