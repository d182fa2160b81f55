import { sql } from "drizzle-orm";
import { beforeAll, expect, test, vi } from "vitest";
import { eventually } from "../../channels/testing/eventually.ts";
import type { TestApp } from "../../testing/app.ts";
import { createDesk, quickAttendant } from "../attendant/testing/desk.ts";
import {
  arrived,
  connectionStatus,
  newCustomer,
  patience,
  schedulingApp,
} from "../schedules/testing/line.ts";
import type { Line } from "../schedules/testing/line.ts";
import {
  newMember,
  planned,
  query,
  recipients,
  setSettings,
  tally,
  untilCampaign,
} from "./testing/running.ts";

let app: TestApp;
beforeAll(async () => {
  app = await schedulingApp({ attendantSettings: quickAttendant });
});

/** A line whose attendant shows a menu to everybody who writes. */
async function menuLine(): Promise<Line> {
  const desk = await createDesk(app, {
    greeting: "Escolha uma opção",
    queues: [{ name: "Vendas" }, { name: "Suporte" }],
  });
  const { company, admin, connectionId, agent } = desk;
  const line = { company, admin, connectionId, agent: { ...agent, name: "Ana" } };
  await vi.waitFor(
    async () => expect(await connectionStatus(app, line)).toBe("CONNECTED"),
    patience,
  );
  await setSettings(app, line, { messageInterval: 0, greaterInterval: 0 });
  return line;
}

const write = ({ admin, connectionId }: Line, phone: string, body: string) =>
  app.as(admin).post(`/simulator/connections/${connectionId}/chats/${phone}/messages`, { body });
const bodies = async (line: Line, phone: string) =>
  (await arrived(app, line, phone)).map(({ body }) => body);
const untilTally = (id: Parameters<typeof tally>[1], wanted: Record<string, number>) =>
  vi.waitFor(async () => {
    app.clock.advance(1_000);
    expect(await tally(app, id)).toEqual(wanted);
  }, patience);

test("any answer to the question for the confirmation brings the message, without the menu", async () => {
  const line = await menuLine();
  const [yes, silent] = [newMember("Ana"), newMember("Bia")];
  const id = await planned(app, line, {
    members: [yes, silent],
    confirmations: ["Pode ser, {nome}?"],
  });
  await untilTally(id, { asked: 2 });
  expect(await bodies(line, yes.phone)).toEqual(["\u200c Pode ser, Ana?"]);
  await write(line, yes.phone, "claro");
  await vi.waitFor(async () => {
    app.clock.advance(1_000);
    expect(await bodies(line, yes.phone)).toEqual(["\u200c Pode ser, Ana?", "\u200c Oi Ana"]);
  }, patience);
  app.clock.advance(72 * 3_600_000 + 1_000);
  await vi.waitFor(async () => {
    app.clock.advance(15_000);
    await untilCampaign(app, id, "FINALIZADA");
  }, patience);
  const [confirmed, other] = await recipients(app, id);
  expect(confirmed?.confirmedAt).not.toBeNull();
  expect(other?.status).toBe("notConfirmed");
});

test("a word that ends it marks the contact, is confirmed once, and gets no menu", async () => {
  const line = await menuLine();
  const member = newMember("Ana");
  const id = await planned(app, line, { members: [member] });
  await vi.waitFor(async () => {
    app.clock.advance(1_000);
    await untilCampaign(app, id, "FINALIZADA");
  }, patience);
  await write(line, member.phone, " Sair! ");
  await eventually(async () => expect((await recipients(app, id))[0]?.leftAt).not.toBeNull());
  await write(line, member.phone, "sair");
  await app.idle();
  const heard = await bodies(line, member.phone);
  expect(heard[0]).toBe("\u200c Oi Ana");
  expect(heard[1]).toContain("não recebe mais nossas promoções");
  expect(heard).toHaveLength(2);
  const contacts = await query<{ source: string }>(
    app,
    sql`select opt_out_source as source from contacts where company_id = ${line.company.id}`,
  );
  expect(contacts).toEqual([{ source: "word" }]);
});

test("the word in a sentence, and from somebody without a campaign, is an ordinary message", async () => {
  const line = await menuLine();
  const member = newMember("Ana");
  const other = await newCustomer(app, line, "Zoe");
  const id = await planned(app, line, { members: [member] });
  await vi.waitFor(async () => {
    app.clock.advance(1_000);
    await untilCampaign(app, id, "FINALIZADA");
  }, patience);
  await write(line, member.phone, "posso sair do grupo?");
  await write(line, other.phone, "sair");
  await eventually(async () => expect(await bodies(line, member.phone)).toHaveLength(2));
  await eventually(async () => expect(await bodies(line, other.phone)).toHaveLength(1));
  expect((await bodies(line, member.phone))[1]).toContain("Escolha uma opção");
  const out = await query(
    app,
    sql`select 1 from contacts where company_id = ${line.company.id} and opted_out_at is not null`,
  );
  expect(out).toEqual([]);
});

test("an answer is noted, and goes to the queue and gets the tag that the campaign wishes", async () => {
  const line = await menuLine();
  const answerQueueId = await app.given.queue({ company: line.company, name: "Campanhas" });
  const [tag] = await query<{ id: number }>(
    app,
    sql`insert into tags (company_id, name, color) values (${line.company.id}, 'Respondeu', '#116655') returning id`,
  );
  const member = newMember("Ana");
  const id = await planned(app, line, {
    ...{ members: [member], answerQueueId, answerTagId: tag?.id ?? 0 },
  });
  await vi.waitFor(async () => {
    app.clock.advance(1_000);
    await untilCampaign(app, id, "FINALIZADA");
  }, patience);
  await write(line, member.phone, "Quero saber mais");
  await eventually(async () => expect((await recipients(app, id))[0]?.answeredAt).not.toBeNull());
  const tickets = await query(
    app,
    sql`select status, queue_id as "queueId" from tickets where company_id = ${line.company.id}`,
  );
  expect(tickets).toEqual([{ status: "pending", queueId: answerQueueId }]);
  const tagged = await query(
    app,
    sql`select tag_id as id from ticket_tags where company_id = ${line.company.id}`,
  );
  expect(tagged).toEqual([tag]);
});
