import type { MessageId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import type { DurableEvent, ProviderErrorKind } from "../../../channels/port.ts";
import type { TestApp } from "../../../testing/app.ts";
import { channelSide } from "./channel-side.ts";
import type { Office } from "./office.ts";

/** The chat network's reports about messages of an office, whose product runs without its channels. */
export async function networkSide({ database }: TestApp) {
  const side = await channelSide({ database });
  const { db } = database;

  async function record(
    { company, connectionId }: Office,
    messageId: MessageId,
    outcome: "done" | "failed",
    kind: ProviderErrorKind = "bad-request",
  ): Promise<void> {
    const [row] = await db.acrossCompanies((tx) =>
      tx.query<{ command: "edit" | "revoke" | "reaction"; before: string | null }>(sql`
        update outbound set state = ${outcome}
        where id = (select min(id) from outbound
          where message_id = ${messageId} and state = 'queued' and command <> 'message')
        returning command, before`),
    );
    if (!row) throw new Error("no change is waiting");
    const told =
      outcome === "done"
        ? ({ result: "accepted" } as const)
        : ({ result: "failed", failure: { kind } } as const);
    await side.sent({ messageId, ...row, ...told }, { companyId: company.id, connectionId });
  }

  return {
    /** It takes the oldest change of the message that waits. */
    accepts: (place: Office, id: MessageId) => record(place, id, "done"),
    /** It refuses that change. */
    refuses: (place: Office, id: MessageId) => record(place, id, "failed"),

    receive: ({ company, connectionId }: Office, event: DurableEvent) =>
      side.receive(event, { companyId: company.id, connectionId }),

    /** The message is on its way, or there. */
    async hasSent(id: MessageId): Promise<void> {
      await db.acrossCompanies(async (tx) => {
        await tx.query(sql`
          update outbound set state = 'done', attempted_at = now()
          where message_id = ${id} and command = 'message'`);
        await tx.query(sql`update messages set ack = 3 where id = ${id}`);
      });
    },
  };
}

export type NetworkSide = Awaited<ReturnType<typeof networkSide>>;
