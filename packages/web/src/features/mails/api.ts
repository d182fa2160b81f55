import type { Mail, MailId, ReplyOf } from "@balcao/contract";
import type { MailState } from "@balcao/contract/mail-choices";
import { call } from "../../api/client.ts";
import { createSessionStore } from "../../api/session-store.ts";
import { currentLanguage } from "../../i18n/index.ts";
import { livePages } from "../../realtime/live-list.ts";
import { useStore } from "../../store/index.ts";

type Outbox = Pick<ReplyOf<"GET /mails">, "totals" | "server">;

const outbox = createSessionStore<Outbox | null>(null);

/** How many e-mails each state has, and where they go; null while unknown. */
export const useOutbox = (): Outbox | null => useStore(outbox);

export type MailQuery = Readonly<{ words: string; state: MailState | null }>;

/** The e-mails, the newest first. No event tells of them. */
export const mailPages = livePages<Mail, MailQuery>({
  key: ["mails", "page"],
  identify: ({ id }) => id,
  async read({ words, state }, pageNumber, signal) {
    const query = { searchParam: words, pageNumber, ...(state === null ? {} : { state }) };
    const {
      mails: rows,
      totals,
      server,
      ...rest
    } = await call("GET /mails", { query }, { signal });
    outbox.set({ totals, server });
    return { rows, ...rest };
  },
});

/** Sends a test to the user's own address. Returns the e-mail, and what the mail server said. */
export async function sendTest(): Promise<ReplyOf<"POST /mails/test">> {
  const reply = await call("POST /mails/test", { body: { language: currentLanguage() } });
  mailPages.readAgain();
  return reply;
}

export async function sendAgain(mailId: MailId): Promise<Mail> {
  const mail = await call("POST /mails/:mailId/send", { params: { mailId } });
  mailPages.readAgain();
  return mail;
}
