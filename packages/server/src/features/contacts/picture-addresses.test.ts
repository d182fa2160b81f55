import type { CompanyEvents } from "@balcao/contract";
import { clientEvents, companyEvent } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { testApp } from "../../testing/app.ts";
import { picture } from "../../testing/media-samples.ts";
import { attached } from "../media/testing/attached.ts";

/** All `profilePicUrl` of a value that are set. */
function addressesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === "profilePicUrl" && inner !== "" ? [String(inner)] : addressesIn(inner),
  );
}

test("wherever a contact stands, the address of its picture opens it for a day and is made anew by the next reading", async () => {
  const app = await testApp();
  const { given } = app;
  const company = await given.company();
  const admin = await given.admin({ company });
  const ticket = await given.ticket({ company, contactName: "Marta" });
  await given.message(ticket, { body: "Olá" });
  const { key } = await attached(app, admin, "foto.png", new Uint8Array(await picture("png")));
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`
      update contacts set picture_key = ${key} where id = ${ticket.contactId}`),
  );
  const user = app.as(admin);
  const live = await app.live(admin);
  live.socket.emit(clientEvents.joinTickets, "pending");

  const paths = [
    "/contacts?searchParam=Marta",
    "/contacts/list?name=Marta",
    `/contacts/${ticket.contactId}`,
    "/tickets?showAll=true",
    "/tickets?showAll=true&searchParam=Marta",
    `/tickets/${ticket.id}`,
    `/tickets/u/${ticket.uuid}`,
    `/messages/${ticket.id}`,
  ];
  const read = async (path: string): Promise<string[]> => addressesIn((await user.get(path)).body);
  const address = (await read(`/tickets/${ticket.id}`))[0] ?? "";
  expect(address).toContain(key);
  for (const path of paths) {
    expect([path, new Set(await read(path))]).toEqual([path, new Set([address])]);
  }
  // The ticket's contact, and the message's author.
  expect(await read(`/messages/${ticket.id}`)).toHaveLength(2);
  const changed = await user.put(`/contacts/${ticket.contactId}`, { name: "Marta Lima" });
  const tagged = await user.post("/tags/sync", { ticketId: ticket.id, tags: [] });
  const accepted = await user.put(`/tickets/${ticket.id}`, { status: "open", userId: admin.id });
  for (const { body } of [changed, tagged, accepted]) expect(addressesIn(body)).toEqual([address]);
  const told = (subject: keyof CompanyEvents): string[] =>
    live.heard.flatMap(({ name, payload }) =>
      name === companyEvent(company.id, subject) ? addressesIn(payload) : [],
    );
  await vi.waitFor(() => {
    for (const subject of ["contact", "ticket"] as const) expect(told(subject)).toContain(address);
  });

  const status = async (path: string): Promise<number> => {
    const reply = await fetch(`${app.url}${path}`);
    await reply.arrayBuffer(); // else the connection stays open, and the product waits for it at the end
    return reply.status;
  };
  expect(await status(address)).toBe(200);
  app.clock.advance(24 * 3_600_000);
  expect(await status(address)).toBe(200);
  app.clock.advance(2 * 3_600_000);
  expect(await status(address)).toBe(404);
  const token = await given.token(admin, { at: app.clock.now() });
  const again = await app.as({ ...admin, token }).get(`/tickets/${ticket.id}`);
  expect(await status(addressesIn(again.body)[0] ?? "")).toBe(200);
});
