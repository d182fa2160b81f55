import type { CompanyEvents, QueueId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { subMinutes } from "date-fns/subMinutes";
import { beforeAll, expect, test } from "vitest";
import type { Realtime, Room } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import { systemSources } from "../../platform/sources.ts";
import { quietLog } from "../../testing/app.ts";
import type { GivenTicket, GivenUser, TicketWish } from "../../testing/given.ts";
import type { ChannelSide } from "../messages/testing/channel-side.ts";
import { channelSide, textEvent } from "../messages/testing/channel-side.ts";
import { createAnswerTargets } from "./index.ts";

type Miss = CompanyEvents["targetMiss"];

let side: ChannelSide;
let queueId: QueueId;
let people: Record<"admin" | "supervisor" | "otherSupervisor" | "agent", GivenUser>;
const told: { miss: Miss; to: readonly Room[] }[] = [];
const realtime: Realtime = {
  publish: (_companyId, _subject, payload, to) => {
    told.push({ miss: payload as Miss, to }); // the job publishes nothing else
  },
};

const check = (): Promise<void> =>
  createAnswerTargets({
    ...{ db: side.database.db, sources: systemSources, log: quietLog(), realtime },
  }).check();

beforeAll(async () => {
  side = await channelSide();
  const { given, company } = side;
  queueId = await given.queue({ company, name: "Suporte" });
  const other = await given.queue({ company });
  people = {
    admin: await given.admin({ company }),
    supervisor: await given.supervisor({ company, queueIds: [queueId] }),
    otherSupervisor: await given.supervisor({ company, queueIds: [other] }),
    agent: await given.agent({ company, queueIds: [queueId] }),
  };
  await side.rows(
    sql`update queues set first_answer_minutes = 30, next_answer_minutes = 10 where id = ${queueId}`,
  );
});

/** A ticket of the queue since an hour ago, whose customer wrote so many minutes ago. */
async function waiting(minutes: number, wish: TicketWish = {}): Promise<GivenTicket> {
  const { given, company, connectionId } = side;
  const ticket = await given.ticket({
    ...{ company, connectionId, queueId, at: subMinutes(new Date(), 60) },
    ...wish,
  });
  await given.message(ticket, { at: subMinutes(new Date(), minutes) });
  return ticket;
}

const missesOf = ({ id }: GivenTicket) =>
  side.rows<Record<string, unknown>>(sql`
    select kind, minutes, user_id as "userId", queue_id as "queueId" from target_misses
    where ticket_id = ${id} order by started_at`);

const heardOf = ({ id }: GivenTicket) => told.filter(({ miss }) => miss.ticket.id === id);

test("a missed first answer is kept and told to admins and the queue's supervisors, once", async () => {
  const ticket = await waiting(31);
  const early = await waiting(29);
  await Promise.all([check(), check()]);
  await check();
  expect(await missesOf(ticket)).toEqual([{ kind: "first", minutes: 30, userId: null, queueId }]);
  expect(heardOf(ticket)).toEqual([
    {
      miss: {
        ...{ action: "create", kind: "first", minutes: 30 },
        ticket: { id: ticket.id, uuid: ticket.uuid, status: "pending" },
        contact: { name: expect.any(String) },
        queue: { id: queueId, name: "Suporte", color: expect.any(String) },
      },
      to: [people.admin, people.supervisor].map(({ id }) => rooms.user(side.companyId, id)),
    },
  ]);
  expect(await missesOf(early)).toEqual([]);
});

test("a further answer has its own target, and each wait counts anew", async () => {
  const ticket = await waiting(45, { status: "open", userId: people.agent.id });
  await check();
  const { given } = side;
  await given.message(ticket, { fromMe: true, at: subMinutes(new Date(), 40) });
  await given.message(ticket, { at: subMinutes(new Date(), 11) });
  await check();
  const by = { userId: people.agent.id, queueId };
  expect(await missesOf(ticket)).toEqual([
    { kind: "first", minutes: 30, ...by },
    { kind: "next", minutes: 10, ...by },
  ]);
});

test.each<[string, ReturnType<typeof sql>]>([
  ["a ticket that came into the queue a moment ago", sql`queued_at = now()`],
  ["a ticket that the chatbot holds", sql`chatbot = true`],
  ["a group", sql`is_group = true`],
  ["a ticket whose customer was answered", sql`waiting_since = null`],
])("%s has missed nothing", async (_what, values) => {
  const ticket = await waiting(50);
  await side.rows(sql`update tickets set ${values} where id = ${ticket.id}`);
  await check();
  expect([await missesOf(ticket), heardOf(ticket)]).toEqual([[], []]);
});

test("only opening hours count: the company's, or the queue's, as the setting says", async () => {
  const ticket = await waiting(50);
  const closed = JSON.stringify([
    ...["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"].map(
      (weekdayEn) => ({ weekday: weekdayEn, weekdayEn, startTime: "00:00", endTime: "00:00" }),
    ),
  ]);
  const use = (type: string) =>
    side.rows(sql`
      insert into settings (company_id, key, value) values (${side.companyId}, 'scheduleType', ${type})
      on conflict (company_id, key) do update set value = excluded.value`);
  await side.rows(sql`update queues set schedules = ${closed}::jsonb where id = ${queueId}`);
  await use("queue");
  await check();
  expect(await missesOf(ticket)).toEqual([]);
  await use("disabled");
  await check();
  expect(await missesOf(ticket)).toHaveLength(1);
});

test("the customer's next message is no new wait: nothing is told twice", async () => {
  const ticket = await waiting(50);
  await check();
  await side.receive(textEvent({ chat: { kind: "pn", value: ticket.phone }, text: "Alô?" }));
  await check();
  expect(await missesOf(ticket)).toHaveLength(1);
  expect(heardOf(ticket)).toHaveLength(1);
});
