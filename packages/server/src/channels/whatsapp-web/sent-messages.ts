import type { proto as types } from "baileys";
import { proto } from "baileys";
import { z } from "zod";
import type { Database } from "../../platform/db/database.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { ProviderContext } from "../port.ts";
import { readSent, saveSent } from "./sent-rows.ts";

export type SentDeps = {
  db: Database;
  seal: Seal;
  context: Pick<ProviderContext, "companyId" | "connectionId" | "transaction">;
};

/** A message as it goes to the network, the place of its uploaded file included. */
export type SentMessage = {
  jid: string;
  message: types.IMessage;
  /** The network's mark of an edit or a deletion. */
  edit: string | null;
};

const stored = z.object({
  jid: z.string(),
  edit: z.string().nullable(),
  message: z.base64(),
});

/**
 * What was sent in the last day: for a second attempt, which is then the same message with the same file, and for
 * contacts whose phone asks for it again (behaviour 10.3).
 */
export class SentMessages {
  readonly #deps: SentDeps;

  constructor(deps: SentDeps) {
    this.#deps = deps;
  }

  async keep(id: string, { jid, message, edit }: SentMessage): Promise<void> {
    const { seal, context } = this.#deps;
    const bytes = Buffer.from(proto.Message.encode(message).finish());
    const text = JSON.stringify({ jid, edit, message: bytes.toString("base64") });
    const data = seal.close(Buffer.from(text), this.#purposeOf(id));
    await context.transaction((tx) =>
      tx.query(saveSent, [context.companyId, context.connectionId, id, data]),
    );
  }

  async find(id: string): Promise<SentMessage | null> {
    const { db, seal, context } = this.#deps;
    const { companyId, connectionId } = context;
    const [row] = await db.transaction(context, (tx) =>
      tx.query<{ data: Buffer }>(readSent, [companyId, connectionId, id]),
    );
    if (!row) return null;
    const text = seal.open(row.data, this.#purposeOf(id)).toString();
    const { jid, edit, message } = stored.parse(JSON.parse(text));
    return { jid, edit, message: proto.Message.decode(Buffer.from(message, "base64")) };
  }

  #purposeOf(id: string): string {
    return `whatsapp-sent:${this.#deps.context.connectionId}:${id}`;
  }
}
