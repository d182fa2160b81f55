import type { CompanyId, QueueId, TicketStatus, UserId } from "@balcao/contract";
import { planFlags, ticketStatuses } from "@balcao/contract";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { Ctx, UserActor } from "../../platform/context.ts";
import { systemCtx } from "../../platform/context.ts";
import { systemSources } from "../../platform/sources.ts";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import { createGiven } from "../../testing/given.ts";
import type { TicketVisibility, Viewer } from "./audience.ts";
import { canSee, viewerOf, visibleCondition } from "./audience.ts";

const company = 1 as CompanyId;
const me = 7 as UserId;
const other = 8 as UserId;
const sales = 1 as QueueId;
const support = 2 as QueueId;

function ctxOf(actor: Partial<UserActor> = {}): Ctx {
  const plan = Object.fromEntries(planFlags.map((flag) => [flag, true])) as UserActor["plan"];
  return {
    companyId: company,
    requestId: "test",
    actor: {
      kind: "user",
      userId: me,
      name: "Ana",
      profile: "user",
      super: false,
      seesNoQueue: false,
      queueIds: [sales],
      ownerlessQueueIds: [],
      plan,
      ...actor,
    },
  };
}

function ticket(fields: Partial<TicketVisibility>): TicketVisibility {
  return {
    status: "pending",
    userId: null,
    queueId: null,
    servedByUserId: null,
    servedByQueueId: null,
    ...fields,
  };
}

describe("visibility of a ticket (wire-contract 4.4, architecture D6)", () => {
  const cases: [why: string, ticket: TicketVisibility, sees: boolean, withNoQueue: boolean][] = [
    ["waiting in an own queue", ticket({ queueId: sales }), true, true],
    ["waiting in another queue", ticket({ queueId: support }), false, false],
    ["waiting without queue", ticket({}), false, true],
    ["own, in another queue", ticket({ status: "open", userId: me, queueId: support }), true, true],
    ["own, without queue", ticket({ status: "open", userId: me }), true, true],
    [
      "a colleague's in an own queue",
      ticket({ status: "open", userId: other, queueId: sales }),
      false,
      false,
    ],
    ["nobody's in an own queue", ticket({ status: "open", queueId: sales }), true, true],
    ["nobody's in another queue", ticket({ status: "open", queueId: support }), false, false],
    ["nobody's without queue", ticket({ status: "open" }), false, false],
    [
      "closed, served by oneself in another queue",
      ticket({ status: "closed", servedByUserId: me, servedByQueueId: support }),
      true,
      true,
    ],
    [
      "closed, served by a colleague in an own queue",
      ticket({ status: "closed", servedByUserId: other, servedByQueueId: sales }),
      true,
      true,
    ],
    [
      "closed, served by a colleague in another queue",
      ticket({ status: "closed", servedByUserId: other, servedByQueueId: support }),
      false,
      false,
    ],
    ["closed, served by nobody", ticket({ status: "closed" }), false, false],
  ];

  test.each(cases)("an agent, a ticket %s", (_why, row, sees, withNoQueue) => {
    expect(canSee(ctxOf(), row)).toBe(sees);
    expect(canSee(ctxOf({ seesNoQueue: true }), row)).toBe(withNoQueue);
  });

  test.each(cases)("a supervisor sees what an agent sees: %s", (_why, row, sees) => {
    expect(canSee(ctxOf({ profile: "supervisor" }), row)).toBe(sees);
  });

  test.each(cases)("an admin and the product see it: %s", (_why, row) => {
    expect(canSee(ctxOf({ profile: "admin", queueIds: [] }), row)).toBe(true);
    expect(canSee(systemCtx(company, "test", "test"), row)).toBe(true);
  });
});

describe("the same rule in SQL", () => {
  type StoredTicket = TicketVisibility & { id: number };
  let database: TestDatabase;
  let companyId: CompanyId;
  let userIds: UserId[];
  let queueIds: QueueId[];
  let stored: StoredTicket[];

  beforeAll(async () => {
    database = await testDatabase();
    const given = createGiven({ ...database, sources: systemSources, idle: async () => undefined });
    const home = await given.company();
    companyId = home.id;
    userIds = [];
    queueIds = [];
    for (let n = 0; n < 3; n += 1) {
      userIds.push((await given.agent({ company: home })).id);
      queueIds.push(await given.queue({ company: home }));
    }
    stored = [];
    const connectionId = await given.connection({ company: home, linked: false });
    const anyUser = fc.constantFrom(null, ...userIds);
    const anyQueue = fc.constantFrom(null, ...queueIds);
    const wishes = fc.sample(
      fc.record({
        status: fc.constantFrom<TicketStatus>(...ticketStatuses),
        userId: anyUser,
        queueId: anyQueue,
        servedByUserId: anyUser,
        servedByQueueId: anyQueue,
      }),
      150,
    );
    for (const wish of wishes) {
      const isClosed = wish.status === "closed";
      const userId = wish.status === "open" ? wish.userId : null;
      const queueId = isClosed ? null : wish.queueId;
      const served = {
        userId: isClosed ? wish.servedByUserId : userId,
        queueId: isClosed ? wish.servedByQueueId : queueId,
      };
      const { id } = await given.ticket({
        company: home,
        connectionId,
        status: wish.status,
        userId,
        queueId,
        servedBy: served,
      });
      const servedBy = { servedByUserId: served.userId, servedByQueueId: served.queueId };
      stored.push({ id, status: wish.status, userId, queueId, ...servedBy });
    }
  });

  async function visibleBySql(viewer: Viewer): Promise<number[]> {
    const values: unknown[] = [companyId];
    const conditions = ticketStatuses.map((status) =>
      visibleCondition(viewer, status, (value) => `$${values.push(value)}`),
    );
    const text = `
      select t.id from tickets t
      where t.company_id = $1 and ((${conditions.join(") or (")})) order by t.id`;
    const rows = await database.db.transaction({ companyId }, (tx) =>
      tx.query<{ id: number }>({ name: "", text }, values),
    );
    return rows.map((row) => row.id);
  }

  test("agrees with the predicate for every viewer and every ticket", async () => {
    const viewers = fc.record({
      userId: fc.constantFrom(...userIds),
      queueIds: fc.subarray(queueIds),
      seesNoQueue: fc.boolean(),
    });
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(viewers, async (wish) => {
        const ctx = ctxOf(wish);
        const viewer = viewerOf(ctx);
        if (viewer === "everything") throw new Error("an agent sees everything");
        const expected = stored.filter((row) => canSee(ctx, row)).map(({ id }) => id);
        seen += expected.length;
        expect(await visibleBySql(viewer)).toEqual(expected.toSorted((a, b) => a - b));
      }),
      { numRuns: 60 },
    );
    expect(seen).toBeGreaterThan(0);
  });
});
