import { randomBytes } from "node:crypto";
import type { StubAccount } from "./graph-stub.ts";

export type Person = { phone?: string; userId?: string; name?: string };

const newWamid = (): string => `wamid.${randomBytes(16).toString("base64")}`;

/** A delivery of one change of the account's number. */
export function delivery(
  { businessAccountId, phoneNumberId, displayNumber }: StubAccount,
  value: Readonly<Record<string, unknown>>,
  field = "messages",
): unknown {
  return {
    object: "whatsapp_business_account",
    entry: [
      {
        id: businessAccountId,
        changes: [
          {
            field,
            value: {
              messaging_product: "whatsapp",
              metadata: { display_phone_number: displayNumber, phone_number_id: phoneNumberId },
              ...value,
            },
          },
        ],
      },
    ],
  };
}

export function contactOf({ phone, userId, name = "Helena" }: Person): unknown {
  return {
    profile: { name },
    ...(phone === undefined ? {} : { wa_id: phone }),
    ...(userId === undefined ? {} : { user_id: userId }),
  };
}

/** A message as Meta words it; `content` names its type and what it says. */
export function messageFrom(
  { phone, userId }: Person,
  content: Readonly<Record<string, unknown>> & { type: string },
  { id = newWamid(), at = new Date() }: { id?: string; at?: Date } = {},
): { id: string } & Record<string, unknown> {
  return {
    id,
    timestamp: String(Math.floor(at.getTime() / 1_000)),
    ...(phone === undefined ? {} : { from: phone }),
    ...(userId === undefined ? {} : { from_user_id: userId }),
    ...content,
  };
}

export const textMessage = (from: Person, body: string, more: { id?: string; at?: Date } = {}) =>
  messageFrom(from, { type: "text", text: { body } }, more);

export function statusOf(
  { wamid, body }: { wamid: string; body: { to?: string; biz_opaque_callback_data?: string } },
  status: string,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    id: wamid,
    status,
    timestamp: String(Math.floor(Date.now() / 1_000)),
    recipient_id: body.to,
    biz_opaque_callback_data: body.biz_opaque_callback_data,
    ...more,
  };
}
