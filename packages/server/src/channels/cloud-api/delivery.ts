import { z } from "zod";

/**
 * The parts of Meta's webhook deliveries that the product reads. Meta adds and removes fields, so all others are
 * ignored, and a message or status in another form fails alone.
 */
const change = z.looseObject({ field: z.string(), value: z.unknown() });
const delivery = z.looseObject({
  entry: z.array(z.looseObject({ changes: z.array(change) })),
});

const contact = z.looseObject({
  profile: z
    .looseObject({ name: z.string().optional(), username: z.string().optional() })
    .optional(),
  wa_id: z.string().optional(),
  user_id: z.string().optional(),
});
export type DeliveredContact = z.output<typeof contact>;

const file = z.looseObject({
  id: z.string(),
  mime_type: z.string().default("application/octet-stream"),
  sha256: z.string().optional(),
  caption: z.string().optional(),
  filename: z.string().optional(),
  voice: z.boolean().optional(),
});
export type DeliveredFile = z.output<typeof file>;

const fault = z.looseObject({ code: z.number(), title: z.string().optional() });

const choice = z.looseObject({ id: z.string(), title: z.string().default("") });

const message = z.looseObject({
  id: z.string().min(1),
  from: z.string().optional(),
  from_user_id: z.string().optional(),
  /** For messages written on the company's phone. */
  to: z.string().optional(),
  to_user_id: z.string().optional(),
  timestamp: z.coerce.number(),
  type: z.string(),
  context: z
    .looseObject({
      id: z.string().optional(),
      forwarded: z.boolean().optional(),
      frequently_forwarded: z.boolean().optional(),
    })
    .optional(),
  referral: z
    .looseObject({
      source_url: z.string().default(""),
      headline: z.string().default(""),
      body: z.string().default(""),
    })
    .optional(),
  text: z.looseObject({ body: z.string() }).optional(),
  image: file.optional(),
  video: file.optional(),
  audio: file.optional(),
  document: file.optional(),
  sticker: file.optional(),
  location: z
    .looseObject({
      latitude: z.coerce.number(),
      longitude: z.coerce.number(),
      name: z.string().optional(),
      address: z.string().optional(),
    })
    .optional(),
  contacts: z
    .array(
      z.looseObject({
        name: z.looseObject({ formatted_name: z.string().default("") }).optional(),
        phones: z
          .array(z.looseObject({ phone: z.string().optional(), wa_id: z.string().optional() }))
          .default([]),
      }),
    )
    .optional(),
  reaction: z
    .looseObject({ message_id: z.string(), emoji: z.string().nullable().optional() })
    .optional(),
  interactive: z
    .looseObject({
      type: z.string(),
      button_reply: choice.optional(),
      list_reply: choice.optional(),
      nfm_reply: z.looseObject({ body: z.string().default("") }).optional(),
    })
    .optional(),
  button: z
    .looseObject({ payload: z.string().optional(), text: z.string().default("") })
    .optional(),
  order: z
    .looseObject({
      text: z.string().default(""),
      product_items: z
        .array(
          z.looseObject({
            product_retailer_id: z.string().default(""),
            quantity: z.coerce.number().default(1),
          }),
        )
        .default([]),
    })
    .optional(),
  system: z
    .looseObject({
      body: z.string().default(""),
      type: z.string().optional(),
      /** The new number of a customer who changed numbers. Older API versions call it `new_wa_id`. */
      wa_id: z.string().optional(),
      new_wa_id: z.string().optional(),
      user_id: z.string().optional(),
    })
    .optional(),
  edit: z
    .looseObject({
      original_message_id: z.string(),
      message: z.looseObject({
        text: z.looseObject({ body: z.string() }).optional(),
      }),
    })
    .optional(),
  revoke: z.looseObject({ original_message_id: z.string() }).optional(),
  errors: z.array(fault).default([]),
});
export type DeliveredMessage = z.output<typeof message>;

const status = z.looseObject({
  id: z.string().min(1),
  status: z.string(),
  recipient_id: z.string().optional(),
  recipient_user_id: z.string().optional(),
  biz_opaque_callback_data: z.string().optional(),
  errors: z.array(fault).default([]),
});
export type DeliveredStatus = z.output<typeof status>;

const value = z.looseObject({
  metadata: z.looseObject({ phone_number_id: z.string() }),
  contacts: z.array(z.unknown()).default([]),
  messages: z.array(z.unknown()).default([]),
  message_echoes: z.array(z.unknown()).default([]),
  statuses: z.array(z.unknown()).default([]),
});

/** One part of a delivery for the given number. */
export type DeliveredPart = {
  contacts: readonly DeliveredContact[];
  messages: readonly DeliveredMessage[];
  /** Messages written by the company on its phone. */
  echoes: readonly DeliveredMessage[];
  statuses: readonly DeliveredStatus[];
};

export type Delivery = {
  parts: readonly DeliveredPart[];
  /** Names of the other fields (templates, quality, account). */
  notices: readonly { field: string; event: string }[];
  /** Messages and statuses that could not be read. */
  faults: number;
};

const MESSAGE_FIELDS = new Set(["messages", "smb_message_echoes"]);

/** Reads the body of a delivery; null for any other body. Entries of other numbers are left out. */
export function readDelivery(body: string, phoneNumberId: string): Delivery | null {
  const parsed = delivery.safeParse(parseJson(body));
  if (!parsed.success) return null;
  const parts: DeliveredPart[] = [];
  const notices: { field: string; event: string }[] = [];
  let faults = 0;
  const readable = <S extends z.ZodType>(schema: S, items: readonly unknown[]): z.output<S>[] =>
    items.flatMap((item) => {
      const one = schema.safeParse(item);
      if (!one.success) faults += 1;
      return one.success ? [one.data] : [];
    });

  for (const { field, value: given } of parsed.data.entry.flatMap(({ changes }) => changes)) {
    if (!MESSAGE_FIELDS.has(field)) {
      notices.push({ field, event: eventOf(given) });
      continue;
    }
    const part = value.safeParse(given);
    if (!part.success) {
      faults += 1;
      continue;
    }
    const { metadata, contacts, messages, message_echoes: echoes, statuses } = part.data;
    if (metadata.phone_number_id !== phoneNumberId) continue;
    parts.push({
      // An unreadable contact only loses its name.
      contacts: contacts.flatMap((one) => {
        const read = contact.safeParse(one);
        return read.success ? [read.data] : [];
      }),
      messages: readable(message, messages),
      echoes: readable(message, echoes),
      statuses: readable(status, statuses),
    });
  }
  return { parts, notices, faults };
}

const event = z.looseObject({ event: z.string() });

function eventOf(given: unknown): string {
  return event.safeParse(given).data?.event ?? "";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // `readDelivery` returns null.
    return undefined;
  }
}
