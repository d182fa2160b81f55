import type { Message, MessageTemplate } from "@balcao/contract";
import { expect, test } from "vitest";
import { cloudWorld } from "../../channels/cloud-api/testing/cloud-office.ts";
import { sampleTemplate } from "../../channels/cloud-api/testing/graph-stub.ts";
import { createProgram, tokenOf } from "../api/testing/programs.ts";

const world = await cloudWorld({ cloudApiSettings: { templatesMs: 60_000 } });
const { product, stub } = world;

async function lineWithTemplates() {
  const line = await world.newLine();
  const named = (name: string, more: object = {}) => ({ ...sampleTemplate, name, ...more });
  stub.templates.set(line.account.businessAccountId, [
    named("zeta"),
    named("em_analise", { status: "PENDING" }),
    named("no_mapa", { components: [{ type: "HEADER", format: "LOCATION" }] }),
    named("alfa"),
    sampleTemplate,
    { broken: true },
  ]);
  return line;
}

const filled = {
  name: sampleTemplate.name,
  language: "pt_BR",
  headerParameters: ["7"],
  bodyParameters: ["Helena", "amanhã"],
  buttonParameters: ["p7"],
};

let people = 0;
/** A ticket whose customer wrote two days ago. */
async function closedWindow() {
  const line = await lineWithTemplates();
  people += 1;
  const phone = `55119444${String(10_000 + people)}`;
  await line.writes({ phone }, "Oi", { at: new Date(Date.now() - 48 * 3_600_000) });
  return { line, phone, ticket: await line.ticketOf(phone) };
}

test("the approved templates of a connection, by name, from all pages, asked for once a minute", async () => {
  const line = await lineWithTemplates();
  const agent = await product.given.agent({ company: line.company });
  const before = stub.counts.get("GET message_templates") ?? 0;
  const list = () =>
    product
      .as(agent)
      .get<{ templates: MessageTemplate[] }>(`/whatsapp/${line.connectionId}/templates`);
  const { body } = await list();
  expect(body.templates.map(({ name }) => name)).toEqual(["alfa", "boas_vindas", "zeta"]);
  expect(body.templates[1]).toEqual({
    name: "boas_vindas",
    language: "pt_BR",
    category: "UTILITY",
    header: { format: "TEXT", text: "Pedido {{1}}", parameters: 1 },
    body: "Olá {{1}}, seu pedido sai {{2}}.",
    bodyParameters: 2,
    footer: "Loja Paulista",
    buttons: [
      { type: "QUICK_REPLY", text: "Falar com alguém", parameters: 0 },
      { type: "URL", text: "Acompanhar", parameters: 1 },
    ],
  });
  const asked = (stub.counts.get("GET message_templates") ?? 0) - before;
  expect(asked).toBe(3);
  await list();
  expect((stub.counts.get("GET message_templates") ?? 0) - before).toBe(asked);
});

test("a template goes out when the window is closed, and stands in the ticket as the customer reads it", async () => {
  const { line, phone, ticket } = await closedWindow();
  const reply = await product
    .as(line.admin)
    .post<Message>(`/messages/${ticket.id}/template`, filled);
  expect(reply).toMatchObject({
    status: 200,
    body: {
      body: "Pedido 7\n\nOlá Helena, seu pedido sai amanhã.\n\nLoja Paulista",
      fromMe: true,
      user: { id: line.admin.id },
    },
  });
  const [sent] = await line.sent(1);
  expect(sent?.body).toMatchObject({
    to: phone,
    type: "template",
    template: {
      name: "boas_vindas",
      language: { code: "pt_BR" },
      components: [
        { type: "header", parameters: [{ type: "text", text: "7" }] },
        {
          type: "body",
          parameters: [
            { type: "text", text: "Helena" },
            { type: "text", text: "amanhã" },
          ],
        },
        { type: "button", sub_type: "url", index: "1", parameters: [{ type: "text", text: "p7" }] },
      ],
    },
  });
  const text = await product.as(line.admin).post(`/messages/${ticket.id}`, { body: "E agora?" });
  expect(text.status).toBe(400);
});

test("a program sends one by /v1/messages, also when the window is closed, and no text then", async () => {
  const { line, phone, ticket } = await closedWindow();
  const program = createProgram(product, (await tokenOf(product, line.admin)).token);
  const { connectionId } = line;
  const send = (json: object) =>
    program("POST", "/v1/messages", { json: { number: phone, connectionId, ...json } });
  const reply = await send({ template: filled });
  expect([reply.status, reply.body]).toMatchObject([201, { ticketId: ticket.id }]);
  const [sent] = await line.sent(1);
  expect(sent?.body).toMatchObject({
    ...{ to: phone, type: "template", template: { name: "boas_vindas" } },
  });
  expect((await line.messages(ticket.id)).at(-1)).toMatchObject({
    body: "Pedido 7\n\nOlá Helena, seu pedido sai amanhã.\n\nLoja Paulista",
    user: null,
  });
  expect((await send({ body: "E agora?" })).body).toMatchObject({ code: "ERR_WAPP_WINDOW_CLOSED" });
});

test("the same client id again is the same message", async () => {
  const { line, ticket } = await closedWindow();
  const body = { ...filled, clientId: "0193a000-0000-7000-8000-000000000001" };
  const send = () => product.as(line.admin).post<Message>(`/messages/${ticket.id}/template`, body);
  const [one, two] = [await send(), await send()];
  expect([one.status, two.status, two.body.id]).toEqual([200, 200, one.body.id]);
  await product.idle();
  expect(stub.sent(line.account)).toHaveLength(1);
});

test.each([
  ["an unknown name", { name: "nada" }],
  ["another language", { language: "en_US" }],
  ["too few parameters", { bodyParameters: ["Helena"] }],
  ["a blank parameter", { buttonParameters: [" "] }],
])("a template with %s is refused and nothing is stored", async (_what, change) => {
  const { line, ticket } = await closedWindow();
  const reply = await product
    .as(line.admin)
    .post<{ code: string }>(`/messages/${ticket.id}/template`, { ...filled, ...change });
  expect([reply.status, reply.body.code]).toEqual([400, "ERR_WAPP_TEMPLATE"]);
  expect(await line.messages(ticket.id)).toHaveLength(1);
});

test("another company's connection and ticket are not found; another agent's ticket is forbidden", async () => {
  const { line, ticket } = await closedWindow();
  const stranger = product.as((await world.newLine({ wanted: false })).admin);
  const list = await stranger.get(`/whatsapp/${line.connectionId}/templates`);
  const send = await stranger.post(`/messages/${ticket.id}/template`, filled);
  expect([list.status, send.status]).toEqual([404, 404]);

  const queueId = await product.given.queue({ company: line.company });
  const agent = await product.given.agent({ company: line.company });
  await product.as(line.admin).put(`/tickets/${ticket.id}`, { queueId });
  const refused = await product.as(agent).post(`/messages/${ticket.id}/template`, filled);
  expect(refused.status).toBe(403);
  expect(stub.sent(line.account)).toEqual([]);
});

test("a channel without templates has none; a Meta that does not answer is told as that", async () => {
  const { line, ticket } = await closedWindow();
  const simulator = await product.given.connection({ company: line.company });
  const api = product.as(line.admin);
  const none = await api.get(`/whatsapp/${simulator}/templates`);
  expect(none.body).toEqual({ templates: [] });
  stub.revoke(line.account);
  const list = await api.get<{ code: string }>(`/whatsapp/${line.connectionId}/templates`);
  const send = await api.post<{ code: string }>(`/messages/${ticket.id}/template`, filled);
  expect([list.status, list.body.code]).toEqual([400, "ERR_WAPP_TEMPLATES_UNAVAILABLE"]);
  expect([send.status, send.body.code]).toEqual([400, "ERR_WAPP_TEMPLATES_UNAVAILABLE"]);
});
