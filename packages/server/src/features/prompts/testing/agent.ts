import type { ConnectionId, Prompt, QueueId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect } from "vitest";
import type { TestApp } from "../../../testing/app.ts";
import type { GivenUser } from "../../../testing/given.ts";
import { recorded, tone } from "../../../testing/media-samples.ts";
import type { Desk } from "../../attendant/testing/desk.ts";

/** Instructions that are long enough. */
export const instructions =
  "Você é a Lia, da loja. Responda sobre trocas, prazos e horários: https://loja.example/ajuda";

/** The body of a prompt at the stub; the key says how the service behaves. */
export const promptBodyOf = (baseUrl: string, queueId: QueueId, apiKey: string) => ({
  ...{ name: "Lia da loja", prompt: instructions, baseUrl, model: "gpt-a", apiKey },
  ...{ queueId, maxMessages: 6, maxTokens: 200 },
});

/** Makes a prompt and lets it answer for a connection. */
export async function givenAgent(
  app: TestApp,
  admin: GivenUser,
  connectionId: ConnectionId,
  body: ReturnType<typeof promptBodyOf> & Record<string, unknown>,
): Promise<Prompt> {
  const made = await app.as(admin).post<Prompt>("/prompt", body);
  expect([made.status, made.body]).toEqual([200, expect.anything()]);
  const set = await app.as(admin).put(`/whatsapp/${connectionId}`, { promptId: made.body.id });
  expect([set.status, set.body]).toMatchObject([200, { promptId: made.body.id }]);
  return made.body;
}

/** The stored keys of a company's prompts, as they are in the database. */
export const storedKeys = (app: TestApp, { companyId }: GivenUser): Promise<{ key: Buffer }[]> =>
  app.database.db.transaction({ companyId }, (tx) =>
    tx.query<{ key: Buffer }>(sql`select api_key as key from prompts`),
  );

/** A customer, or a group of them, sends a voice note or a picture; resolves when the file is here. */
export async function sendFile(
  app: TestApp,
  { connectionId, admin }: Pick<Desk, "connectionId" | "admin">,
  phone: string,
  kind: "image" | "voice",
): Promise<void> {
  const content =
    kind === "voice"
      ? await recorded("voz.ogg", [...tone(1), "-c:a", "libopus"])
      : Buffer.from("iVBORw0KGgo=", "base64");
  const form = new FormData();
  form.append("as", kind);
  form.append(
    "file",
    new Blob([new Uint8Array(content)]),
    kind === "voice" ? "voz.ogg" : "foto.png",
  );
  const path = `/simulator/connections/${connectionId}/chats/${phone}/messages`;
  const reply = await fetch(`${app.url}/api${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${admin.token}` },
    body: form,
  });
  expect(reply.status).toBe(200);
  await app.idle();
}
