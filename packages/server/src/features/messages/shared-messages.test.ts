import type { Message } from "@balcao/contract";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import type { GivenTicket, GivenUser } from "../../testing/given.ts";
import type { MessageApp } from "./testing/office.ts";
import { answer, messageApp, refusal } from "./testing/office.ts";

let app: TestApp;
let office: MessageApp["office"];
let openTicketOf: MessageApp["openTicketOf"];
beforeAll(async () => {
  ({ app, office, openTicketOf } = await messageApp());
});

type Shared = { messages: Message[]; olderId: string | null };

async function shared(user: GivenUser, { id }: GivenTicket, query = ""): Promise<Shared> {
  const reply = await app.as(user).get<Shared>(`/messages/${id}/shared${query}`);
  expect(reply.status).toBe(200);
  return reply.body;
}

test("messages with a file or a link are found, the newest first, and others are not", async () => {
  const [place, elsewhere] = [await office(), await office()];
  const ticket = await openTicketOf(place);
  await app.given.message(ticket, { body: "Veja https://loja.exemplo.com.br/trocas" });
  await app.given.message(ticket, { body: "Sem nada, http sem endereço" });
  const form = new FormData();
  form.append("medias", new Blob(["nome;valor\nAna;10\n"], { type: "text/csv" }), "notas.csv");
  await fetch(`${app.url}/api/messages/${ticket.id}`, {
    method: "POST",
    headers: { authorization: `Bearer ${place.ana.token}` },
    body: form,
  });
  const { messages, olderId } = await shared(place.ana, ticket);
  expect(messages.map(({ body, media }) => media?.name ?? body)).toEqual([
    "notas.csv",
    "Veja https://loja.exemplo.com.br/trocas",
  ]);
  expect(messages[0]?.media?.url).toMatch(/^\/public\//);
  expect(olderId).toBeNull();
  const reply = await app.as(elsewhere.admin).get(`/messages/${ticket.id}/shared`);
  expect(answer(reply)).toEqual(refusal("ERR_NO_TICKET_FOUND", 404));
});

test("an agent gets only what the agent may read, and nothing of a ticket out of sight", async () => {
  const place = await office();
  const ticket = await openTicketOf(place);
  await app.given.message(ticket, { body: "https://a.example", queueId: place.sales });
  const hidden = await app.given.message(ticket, {
    ...{ body: "https://b.example", queueId: place.support },
  });
  const bodies = async (user: GivenUser) =>
    (await shared(user, ticket)).messages.map(({ body }) => body);
  expect(await bodies(place.admin)).toEqual(["https://b.example", "https://a.example"]);
  expect(await bodies(place.ana)).toEqual(["https://a.example"]);
  const path = `/messages/${ticket.id}/shared`;
  expect((await app.as(place.caio).get(path)).status).toBe(403);
  expect(answer(await app.as(place.ana).get(`${path}?beforeId=${hidden}`))).toEqual(
    refusal("ERR_NO_MESSAGE_FOUND", 404),
  );
});

test("thirty are returned, and a thousand messages are looked at, at a time", async () => {
  const place = await office();
  const ticket = await openTicketOf(place);
  const start = Date.now() - 7_200_000;
  const write = (n: number, body: string) =>
    app.given.message(ticket, { body, at: new Date(start + n * 1_000) });
  await write(0, "https://oldest.example");
  for (let n = 1; n <= 1_005; n += 1) await write(n, "Oi");
  for (let n = 1_006; n <= 1_040; n += 1) await write(n, `https://e.example/${n}`);

  const first = await shared(place.ana, ticket);
  expect(first.messages).toHaveLength(30);
  expect(first.messages[0]?.body).toBe("https://e.example/1040");
  const second = await shared(place.ana, ticket, `?beforeId=${first.olderId}`);
  expect(second.messages.map(({ body }) => body)).toEqual(
    [1_010, 1_009, 1_008, 1_007, 1_006].map((n) => `https://e.example/${n}`),
  );
  const third = await shared(place.ana, ticket, `?beforeId=${second.olderId}`);
  expect(third).toMatchObject({ messages: [{ body: "https://oldest.example" }], olderId: null });
});
