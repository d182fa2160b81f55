import type { ReplyOf } from "@balcao/contract";
import { sql } from "drizzle-orm";
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

type Found = ReplyOf<"GET /messages/:ticketId/search">;
const search = (user: GivenUser, { id }: GivenTicket, words: string, more = "") =>
  app.as(user).get<Found>(`/messages/${id}/search?searchParam=${encodeURIComponent(words)}${more}`);

test("finds words of the conversation without regard to case and accents, newest first, and only in it", async () => {
  const place = await office();
  const [ticket, other] = [await openTicketOf(place), await openTicketOf(place)];
  const first = await app.given.message(ticket, { body: "A troca não chegou" });
  await app.given.message(ticket, { body: "Bom dia" });
  const second = await app.given.message(ticket, { body: "TROCA Não feita", fromMe: true });
  await app.given.message(other, { body: "troca nao" });
  const gone = await app.given.message(ticket, { body: "troca nao apagada" });
  const hidden = await app.given.message(ticket, { body: "troca nao", queueId: place.support });
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`update messages set is_deleted = true where id = ${gone}`),
  );
  const { body } = await search(place.ana, ticket, " troca nao");
  expect(body.matches.map(({ id }) => id)).toEqual([second, first]);
  expect(body.nextBeforeId).toBeNull();
  const ofAdmin = await search(place.admin, ticket, "troca nao");
  expect(ofAdmin.body.matches.map(({ id }) => id)).toEqual([hidden, second, first]);
  expect((await search(place.ana, ticket, "100%")).body.matches).toEqual([]);
  expect((await search(place.ana, ticket, "t")).body.matches).toEqual([]);
  expect(answer(await search(place.caio, ticket, "troca"))).toEqual(
    refusal("ERR_TICKET_FORBIDDEN", 403),
  );
});

test("a reply has at most 100 matches and says where the next one goes on", async () => {
  const place = await office();
  const ticket = await openTicketOf(place);
  const { db } = app.database;
  await db.acrossCompanies((tx) =>
    tx.query(sql`
      insert into messages (company_id, id, ticket_id, provider_id, body, from_me, read, ack, created_at)
      select ${place.company.id}, gen_random_uuid(), ${ticket.id}, 'S' || n, 'pedido ' || n, false, true, 0,
        now() - (n || ' minutes')::interval
      from generate_series(1, 130) n`),
  );
  const { body: newest } = await search(place.ana, ticket, "pedido");
  expect(newest.matches).toHaveLength(100);
  expect(newest.nextBeforeId).toBe(newest.matches.at(-1)?.id);
  const more = `&beforeId=${newest.nextBeforeId}`;
  const { body: older } = await search(place.ana, ticket, "pedido", more);
  expect([older.matches.length, older.nextBeforeId]).toEqual([30, null]);
  expect(newest.matches.concat(older.matches)).toEqual(
    newest.matches.concat(older.matches).toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1)),
  );
});
