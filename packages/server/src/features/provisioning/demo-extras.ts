import type { CompanyId, MessageId } from "@balcao/contract";
import { eq } from "drizzle-orm";
import type { Tx } from "../../platform/db/database.ts";
import { messageMedia, messageReactions, messages } from "../../platform/db/schema/index.ts";
import type { DemoFileName } from "./demo-files.ts";
import { demoFiles } from "./demo-files.ts";
import type { DemoCompany } from "./demo-company.ts";
import type { Conversation } from "./demo-script.ts";
import type { DatedLine } from "./demo-timeline.ts";
import type { InsertedMessage, MessageValues } from "./histories.ts";

/** A line of the demo as a message. */
export type Written = {
  conversation: Conversation;
  line: DatedLine;
  repliesTo: DatedLine | null;
  values: MessageValues & { ack: number; read: boolean };
};
export type Sent = Written & { inserted: InsertedMessage };

/** A message of the demo whose file is still to be stored. */
export type WantedFile = { messageId: MessageId; file: DemoFileName };

/** What lines are beyond their text: quotes, reactions, and files that cannot be had until they are stored. */
export async function storeExtras(
  tx: Tx,
  company: DemoCompany,
  sent: readonly Sent[],
): Promise<WantedFile[]> {
  const idOf = new Map(sent.map(({ line, inserted }) => [line, inserted.id]));
  for (const { repliesTo, inserted } of sent) {
    const quotedMessageId = repliesTo && idOf.get(repliesTo);
    if (!quotedMessageId) continue;
    const reply = { quotedMessageId, mediaType: "extendedTextMessage" };
    await tx.orm.update(messages).set(reply).where(eq(messages.id, inserted.id));
  }
  await tx.orm.insert(messageReactions).values(sent.flatMap((each) => reactionRow(company, each)));
  const files = sent.flatMap(({ line, inserted }) =>
    line.file === undefined ? [] : [{ messageId: inserted.id, file: line.file }],
  );
  await tx.orm.insert(messageMedia).values(files.map((each) => mediaRow(company.companyId, each)));
  return files;
}

function reactionRow(company: DemoCompany, { conversation, line, values, inserted }: Sent) {
  if (line.reaction === undefined) return [];
  const cycle = conversation.cycles.at(-1);
  const agent = cycle && "agent" in cycle ? cycle.agent : undefined;
  const isCustomers = line.agent !== null;
  return [
    {
      companyId: company.companyId,
      messageId: inserted.id,
      author: isCustomers ? `contact:${values.contactId}` : "company",
      contactId: isCustomers ? values.contactId : null,
      userId: isCustomers || agent === undefined ? null : company.userIds[agent],
      emoji: line.reaction,
      createdAt: values.at,
    },
  ];
}

function mediaRow(companyId: CompanyId, { messageId, file }: WantedFile) {
  const { kind, name, mime } = demoFiles[file];
  return { companyId, messageId, kind, name, mime, state: "unavailable" as const };
}
