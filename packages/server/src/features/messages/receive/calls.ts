import { acks, renderVariables } from "@balcao/contract";
import type { CallEvent } from "../../../channels/port.ts";
import type { ConnectionRef, Outbox } from "../../../channels/runtime/index.ts";
import type { Ctx } from "../../../platform/context.ts";
import { systemCtx } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/database.ts";
import { keyedAddresses } from "../../contacts/index.ts";
import type { Outgoing } from "../send/outgoing.ts";
import type { Arrivals } from "./arrivals.ts";
import type { Conversations } from "./conversations.ts";

export type CallsDeps = {
  outbox: Pick<Outbox, "refuseCall">;
  conversations: Conversations;
  arrivals: Arrivals;
  outgoing: Outgoing;
};

/** The answer follows this long after the call. */
const ANSWER_AFTER_SECONDS = 3;

const ANSWER =
  "*Mensagem Automática:*\nAs chamadas de voz e vídeo estão desabilitadas para esse WhatsApp, favor enviar uma mensagem de texto. Obrigado";

/** Calls are refused where the company does not take them (behaviour 2.12). */
export function createCalls({ outbox, conversations, arrivals, outgoing }: CallsDeps) {
  return {
    /**
     * Refuses the call and, for somebody who has a ticket, notes it there and answers with a text; a closed ticket waits
     * again. The same call twice is one.
     */
    async ring(tx: Tx, connection: ConnectionRef, call: CallEvent): Promise<void> {
      const { companyId, connectionId } = connection;
      const ctx = systemCtx(companyId, "channel", call.id);
      const { isRefused, timeZone } = await callRule(ctx, tx);
      if (!isRefused || call.chat.kind === "group") return;
      await outbox.refuseCall(tx, ctx, connectionId, call);

      const addresses = keyedAddresses([call.chat, ...call.from.addresses]);
      const person = { addresses, isGroup: false };
      const conversation = await conversations.open(ctx, tx, connectionId, person, null);
      if (!conversation) return;
      const { contact } = conversation;
      const time = renderVariables("{{hora}}", { contactName: "", now: call.at, timeZone });
      const after = await arrivals.store(ctx, tx, {
        connectionId,
        conversation,
        providerId: call.id,
        content: {
          mediaType: "call_log",
          body: `Chamada de voz/vídeo perdida às ${time.slice(0, "HH:mm".length)}`,
          details: { kind: "call", isVideo: call.isVideo },
          media: null,
        },
        file: null,
        fromMe: false,
        origin: "live",
        isCalling: true,
        isForwarded: false,
        at: call.at,
        ack: acks.written,
        unread: "keep",
        writer: contact,
        quoted: null,
      });
      if (after === null) return;
      await outgoing.send(ctx, tx, after, {
        text: ANSWER,
        isLiteral: true,
        delaySeconds: ANSWER_AFTER_SECONDS,
      });
    },
  };
}

/** Calls are refused unless the company has them taken. */
async function callRule(ctx: Ctx, tx: Tx): Promise<{ isRefused: boolean; timeZone: string }> {
  const [rule] = await tx.query<{ isRefused: boolean; timeZone: string }>(ruleStatement, [
    ctx.companyId,
  ]);
  if (!rule) throw new Error("the company is gone");
  return rule;
}

const ruleStatement = {
  name: "messages.call-rule",
  text: `
select c.time_zone as "timeZone", coalesce(s.value, 'disabled') <> 'enabled' as "isRefused"
from companies c left join settings s on s.company_id = c.id and s.key = 'call'
where c.id = $1`,
};
