import type { QueueId, UserId } from "@balcao/contract";

/** Who had a ticket, or has it now. */
export type Holder = { queueId: QueueId | null; userId: UserId | null };
export type NamedHolder = Holder & { queueName: string | null; userName: string | null };

/**
 * What a customer is told when an agent transfers his ticket (behaviour 2.7); null when it is no transfer. Variables are
 * not replaced in it.
 */
export function transferText(before: Holder, after: NamedHolder): string | null {
  const { queueName: queue, userName: user } = after;
  const isQueued = queue !== null && after.queueId !== before.queueId;
  const isOtherQueue = before.queueId !== null && isQueued;
  const isOtherUser = before.userId !== null && user !== null && after.userId !== before.userId;
  const isSameQueue = after.queueId === before.queueId;
  const isSameUser = after.userId === before.userId;
  const isGivenBack = before.userId !== null && after.userId === null;

  if (isOtherQueue && isOtherUser) {
    return automatic(
      `Você foi transferido para o departamento *${queue}* e contará com a presença de *${user}*`,
    );
  }
  if ((isOtherQueue && isSameUser) || (isQueued && isGivenBack)) {
    return automatic(`Você foi transferido para o departamento *${queue}*`);
  }
  if (isOtherUser && isSameQueue) return automatic(`Foi transferido para o atendente *${user}*`);
  return null;
}

function automatic(text: string): string {
  return `*Mensagem automática*:\n${text}\naguarde, já vamos te atender!`;
}
