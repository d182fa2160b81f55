import { gapBefore, isSendingTime, localDay } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { systemCtx } from "../../platform/context.ts";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import { seed, seededRandom, sized } from "../../testing/soak.ts";
import { limitOfLine, readRules, readSettings } from "./settings.ts";
import { newMembers, planned, query, setSettings, statusOf } from "./testing/running.ts";

const WORLDS = sized({ test: 2, soak: 40 });
/** Few a day, so that the limits are reached. */
const FIXED_LIMIT = 5;
const DAY_MS = 24 * 3_600_000;
const PEOPLE = sized({ test: 20, soak: 80 });

let app: TestApp;
beforeAll(async () => {
  // Nothing works by itself: the test takes the steps, with its own clock.
  app = await testApp({ environment: { ROLES: "http" } });
});

type Sent = { at: number; place: number; isKnown: boolean };

test(
  `no two messages closer than set, none outside the hours, and no day above its limit (seed ${seed})`,
  { timeout: 600_000 },
  async () => {
    for (let world = 0; world < WORLDS; world += 1) await play(seededRandom(seed + world));
  },
);

async function play(random: () => number): Promise<void> {
  const pick = <T>(choices: readonly T[]): T => {
    const chosen = choices[Math.floor(random() * choices.length)];
    if (chosen === undefined) throw new Error("nothing to choose from");
    return chosen;
  };
  const company = await app.given.company({ timeZone: pick(["America/Sao_Paulo", "UTC"]) });
  const admin = await app.given.admin({ company });
  const agent = await app.given.agent({ company, name: "Ana" });
  const connectionId = await app.given.connection({ company, linked: false });
  await query(app, sql`update connections set status = 'CONNECTED' where id = ${connectionId}`);
  const line = { company, admin, agent, connectionId };
  const limitsByDay = pick([true, false]);
  // Tomorrow is a holiday of the company's own.
  const tomorrow = localDay(new Date(app.clock.now().getTime() + DAY_MS), "UTC");
  const own = [{ date: tomorrow, name: "Aniversário", everyYear: false, isOn: true }];
  await query(
    app,
    sql`update companies set holidays = ${JSON.stringify({ national: {}, own })}::jsonb where id = ${company.id}`,
  );
  await setSettings(app, line, {
    pausesOnHolidays: pick([true, false]),
    messageInterval: pick([0, 5, 20]),
    longerIntervalAfter: pick([0, 3, 5]),
    greaterInterval: pick([0, 60, 1_800]),
    varies: pick([true, false]),
    hours: pick([null, { weekdays: [1, 2, 3, 4, 5], from: "08:00", to: "20:00" }]),
    limitsByDay,
  });
  const members = newMembers(PEOPLE);
  if (limitsByDay) {
    const path = `/campaign-lines/${connectionId}`;
    await app.as(admin).put(path, { fixedLimit: FIXED_LIMIT });
  }
  // Some have written before: they count by another limit.
  const known = members.filter(() => random() < 0.3).map(({ phone }) => phone);
  await query(
    app,
    sql`with made as (
        insert into contacts (company_id, name, number) select ${company.id}, number, number
        from json_array_elements_text(${JSON.stringify(known)}::json) number returning *),
      linked as (
        insert into contact_addresses (company_id, kind, key, value, contact_id) select company_id, 'pn', number, number, id from made)
      insert into tickets (company_id, uuid, contact_id, connection_id, status, last_customer_message_at)
      select company_id, gen_random_uuid(), id, ${connectionId}, 'closed', now() - interval '9 days' from made`,
  );
  const half = PEOPLE / 2;
  const ids = [
    await planned(app, line, { members: members.slice(0, half) }),
    await planned(app, line, { members: members.slice(half) }),
  ];
  const ctx = systemCtx(company.id, "test", "test");
  const { settings, rules } = await app.database.db.transaction(ctx, async (tx) => {
    const read = await readSettings(ctx, tx);
    return { settings: read, rules: await readRules(ctx, tx, read) };
  });

  const sends: Sent[] = [];
  const ends: number[] = [];
  const days = new Map<string, { new: number; known: number }>();
  const [use] = await query<{ inUseSince: string }>(
    app,
    sql`select created_at::date::text as "inUseSince" from connections where id = ${connectionId}`,
  );
  for (let steps = 0; steps < 20_000; steps += 1) {
    await app.app.runDueCampaigns();
    const now = app.clock.now();
    const [sending] = await query<{ messageId: string; place: number; isKnown: boolean }>(
      app,
      sql`select r.message_id as "messageId", c.sent_in_run - 1 as place, r.is_known as "isKnown"
        from campaign_lines n
        join campaign_recipients r on r.id = n.sending_id
        join campaigns c on c.id = r.campaign_id
        where n.connection_id = ${connectionId}`,
    );
    if (sending) {
      const { place, isKnown } = sending;
      const last = ends.at(-1);
      // The shortest that the gap can be, where it varies.
      const least = gapBefore(place, rules, 0);
      if (last !== undefined) expect(now.getTime() - last).toBeGreaterThanOrEqual(least);
      expect(isSendingTime(now, rules)).toEqual({ isOpen: true });
      const day = localDay(now, rules.timeZone);
      const sent = days.get(day) ?? { new: 0, known: 0 };
      sent[isKnown ? "known" : "new"] += 1;
      days.set(day, sent);
      const limit = limitOfLine(
        { channel: "simulator", inUseSince: use?.inUseSince ?? day, fixedLimit: FIXED_LIMIT },
        settings,
        day,
      );
      expect(sent.new).toBeLessThanOrEqual(limit.new ?? Number.POSITIVE_INFINITY);
      expect(sent.known).toBeLessThanOrEqual(limit.known ?? Number.POSITIVE_INFINITY);
      sends.push({ at: now.getTime(), place, isKnown });
      // It takes a while, and fails now and then.
      app.clock.advance(Math.floor(random() * 8_000));
      const outcome = pick(["sent", "sent", "sent", "failed", "unconfirmed"] as const);
      await query(
        app,
        outcome === "sent"
          ? sql`update messages set ack = 2 where id = ${sending.messageId}`
          : sql`update messages set failed_code = ${outcome === "failed" ? "ERR_SENDING_WAPP_MSG" : "ERR_MESSAGE_UNCONFIRMED"}
              where id = ${sending.messageId}`,
      );
      await query(
        app,
        sql`update campaign_lines set due_at = ${app.clock.now()} where connection_id = ${connectionId}`,
      );
      ends.push(app.clock.now().getTime());
    } else {
      const statuses = await Promise.all(ids.map((id) => statusOf(app, id)));
      if (statuses.every((status) => status === "FINALIZADA")) break;
      // Something looks at the line too early now and then; it must not matter.
      if (random() < 0.3) {
        await query(
          app,
          sql`update campaign_lines set due_at = ${now} where connection_id = ${connectionId}`,
        );
        app.clock.advance(Math.floor(random() * 900));
      } else {
        const [next] = await query<{ dueAt: Date }>(
          app,
          sql`select due_at as "dueAt" from campaign_lines where connection_id = ${connectionId}`,
        );
        const waitMs = (next?.dueAt?.getTime() ?? now.getTime() + 60_000) - now.getTime();
        app.clock.advance(Math.max(1, waitMs));
      }
    }
  }
  expect(await Promise.all(ids.map((id) => statusOf(app, id)))).toEqual([
    "FINALIZADA",
    "FINALIZADA",
  ]);
  expect(sends.length).toBeGreaterThanOrEqual(PEOPLE);
  expect(sends.some(({ isKnown }) => isKnown)).toBe(known.length > 0);
}
