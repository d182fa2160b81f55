import type { ReplyOf, SimulatorMessage, Ticket } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { testApp } from "../../testing/app.ts";
import { unique } from "../../testing/given.ts";
import { SCALE } from "./testing/rated-office.ts";

test("2.8, 2.9: resolving sends the request to the phone; a digit rates and the completion message follows", async () => {
  const app = await testApp();
  const { given } = app;
  const company = await given.company({ settings: { userRating: "enabled" } });
  const admin = await given.admin({ company });
  const office = app.as(admin);
  const connectionId = await given.connection({ company });
  await app.database.db.acrossCompanies((tx) =>
    tx.query(
      sql`update connections set complation_message = 'Até logo, {{name}}' where id = ${connectionId}`,
    ),
  );
  await vi.waitFor(async () => {
    const { body } = await office.get<{ status: string }>(`/whatsapp/${connectionId}`);
    expect(body.status).toBe("CONNECTED");
  });
  const line = `/simulator/connections/${connectionId}`;
  const phone = `55119${70_000_000 + unique()}`;
  await office.post(`${line}/chats`, { name: "Ana *Lima* {{ms}}", phone });
  const write = async (body: string): Promise<void> => {
    await office.post(`${line}/chats/${phone}/messages`, { body });
    await app.idle();
  };
  const onPhone = async (): Promise<string[]> => {
    await app.idle();
    const { body } = await office.get<SimulatorMessage[]>(`${line}/chats/${phone}/messages`);
    return body.map((message) => message.body);
  };
  const listed = async (status: Ticket["status"]): Promise<Ticket[]> =>
    (await office.get<ReplyOf<"GET /tickets">>(`/tickets?showAll=true&status=${status}`)).body
      .tickets;

  await write("Olá");
  const [ticket] = await listed("pending");
  await office.put(`/tickets/${ticket?.id}`, { status: "open", userId: admin.id });
  await office.put(`/tickets/${ticket?.id}`, { status: "closed", userId: null });
  expect(await onPhone()).toEqual(["Olá", `\u200e${SCALE}`]);
  expect(await listed("open")).toEqual([]);

  await write("2");
  expect(await onPhone()).toEqual([
    "Olá",
    `\u200e${SCALE}`,
    "2",
    "\u200eAté logo, Ana *Lima* {{ms}}",
  ]);
  expect(await listed("pending")).toEqual([]);
  expect(await listed("closed")).toMatchObject([{ id: ticket?.id, unreadMessages: 0 }]);
  const { body } = await office.get<ReplyOf<"GET /tickets/:ticketId/attendances">>(
    `/tickets/${ticket?.id}/attendances`,
  );
  expect(body.attendances).toMatchObject([{ rated: true, user: { id: admin.id } }]);
  // Our own texts come back from the network and are not stored twice.
  const page = await office.get<ReplyOf<"GET /messages/:ticketId">>(`/messages/${ticket?.id}`);
  expect(page.body.messages.map((message) => message.body)).toEqual([
    "Olá",
    SCALE,
    "2",
    "Até logo, Ana *Lima* {{ms}}",
  ]);
});
