import type { ErrorCode } from "@balcao/contract";
import { acks } from "@balcao/contract";
import type { AckEvent, ProviderErrorKind, SendFailedEvent } from "../../../channels/port.ts";
import type { ConnectionRef, DeliveryOutcome } from "../../../channels/runtime/index.ts";
import { systemCtx } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/database.ts";
import type { Clock } from "../../../platform/sources.ts";
import type { ChangeOutcomes } from "../change/change-outcomes.ts";
import type { MessageChanges } from "../change/message-changes.ts";
import { keepEarly } from "./early-events.ts";
import type { MessageEvents } from "../events.ts";
import { noteFailure, raiseAck } from "../delivery-repository.ts";
import { UNCONFIRMED } from "../message-row.ts";

export type ReporterDeps = {
  clock: Clock;
  events: MessageEvents;
  changes: Pick<MessageChanges, "releaseFile">;
  changeRefused: ChangeOutcomes;
};

/** Takes in what the chat network reports about sent messages. */
export function createReporter(deps: ReporterDeps) {
  const { clock, events, changes, changeRefused } = deps;
  const ctxOf = ({ companyId }: ConnectionRef) => systemCtx(companyId, "channel", "report");

  return {
    /** Acknowledgements only move up; one of an unknown message waits for it. */
    async ack(tx: Tx, connection: ConnectionRef, event: AckEvent): Promise<void> {
      const { connectionId } = connection;
      const { providerId, level } = event;
      const now = clock.now();
      const ctx = ctxOf(connection);
      const raised = await raiseAck(ctx, tx, {
        of: { connectionId, providerId },
        level,
        now,
      });
      if (raised) events.updated(tx, raised);
      else await keepEarly(ctx, tx, connectionId, event);
    },

    /** The network gave a message back that it had taken. */
    async sendFailed(tx: Tx, connection: ConnectionRef, event: SendFailedEvent): Promise<void> {
      const { connectionId } = connection;
      const failed = await noteFailure(ctxOf(connection), tx, {
        of: { connectionId, providerId: event.providerId },
        code: codeOf[event.failure.kind],
        now: clock.now(),
      });
      if (failed) events.updated(tx, failed);
    },

    /** What became of a message, or of a change of one, that was handed to the network. */
    async sent(tx: Tx, connection: ConnectionRef, outcome: DeliveryOutcome): Promise<void> {
      const { messageId, command } = outcome;
      if (command !== "message") {
        // What the network takes stands as it is shown already; a deletion cannot be taken back any more.
        if (outcome.result === "failed") await changeRefused(tx, connection, messageId, command);
        else if (command === "revoke" && outcome.result === "accepted") {
          await changes.releaseFile(ctxOf(connection), tx, messageId);
        }
        return;
      }
      const ctx = ctxOf(connection);
      const now = clock.now();
      const of = messageId;
      const changed =
        outcome.result === "failed"
          ? await noteFailure(ctx, tx, { of, code: codeOf[outcome.failure.kind], now })
          : await raiseAck(ctx, tx, { of, level: levelOf[outcome.result], now });
      if (changed) events.updated(tx, changed);
    },
  };
}

const levelOf = { written: acks.written, accepted: acks.server } as const;

/** Why a message was not sent, in the words of the specification. */
const codeOf: Record<ProviderErrorKind, ErrorCode> = {
  "not-connected": "ERR_WAPP_NOT_INITIALIZED",
  "logged-out": "ERR_WAPP_NOT_INITIALIZED",
  "lease-lost": "ERR_WAPP_NOT_INITIALIZED",
  "recipient-unknown": "ERR_WAPP_INVALID_CONTACT",
  "recipient-unchecked": "ERR_WAPP_CHECK_CONTACT",
  "rate-limited": "ERR_SENDING_WAPP_MSG",
  "bad-request": "ERR_SENDING_WAPP_MSG",
  auth: "ERR_WAPP_NOT_INITIALIZED",
  banned: "ERR_WAPP_ACCOUNT_BANNED",
  restricted: "ERR_WAPP_ACCOUNT_RESTRICTED",
  "window-closed": "ERR_WAPP_WINDOW_CLOSED",
  unsupported: "ERR_SENDING_WAPP_MSG",
  "media-missing": "ERR_SENDING_WAPP_MSG",
  "media-too-big": "ERR_FILE_TOO_LARGE",
  temporary: "ERR_SENDING_WAPP_MSG",
  unconfirmed: UNCONFIRMED,
};
