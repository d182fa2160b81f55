import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { CallEvent } from "../../../channels/port.ts";
import { unique } from "../../../testing/given.ts";
import type { ChannelSide } from "../testing/channel-side.ts";
import { channelSide, newPhone, textEvent } from "../testing/channel-side.ts";

let side: ChannelSide;
beforeAll(async () => {
  side = await channelSide();
});

const answersTo = (phone: string) =>
  side.rows<{ text: string; afterSeconds: number }>(sql`
    select o.body::json ->> 'text' as text, extract(epoch from o.due_at - m.created_at)::float as "afterSeconds"
    from outbound o join messages m on m.id = o.message_id where o.to_value = ${phone}`);

test("a refused caller is answered 3 seconds later, word for word", async () => {
  const chat = newPhone();
  await side.receive(textEvent({ chat }));
  const from = { addresses: [chat] };
  const call: CallEvent = {
    ...{ type: "call", id: `C${unique()}`, chat, from, isVideo: false, at: new Date() },
  };
  await side.receive(call);
  const [answer, ...more] = await answersTo(chat.value);
  expect(answer?.text).toBe(
    "*Mensagem Automática:*\nAs chamadas de voz e vídeo estão desabilitadas para esse WhatsApp, favor enviar uma mensagem de texto. Obrigado",
  );
  expect(answer?.afterSeconds).toBeGreaterThan(2.5);
  expect(answer?.afterSeconds).toBeLessThan(3.5);
  expect(more).toEqual([]);
});
