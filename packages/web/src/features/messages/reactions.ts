import type { Message, Reaction } from "@balcao/contract";

/** One emoji under a message, with all who chose it. */
export type ReactionChip = Readonly<{
  emoji: string;
  count: number;
  /** The company's own is among them: a press takes it back. */
  isOwn: boolean;
  names: readonly string[];
}>;

/** Offered at once; all others are a press further. */
export const quickEmojis = ["👍", "❤️", "😂", "😮", "😢", "🙏"] as const;

/** Reactions by emoji, in the order of their first one. */
export function chipsOf(reactions: readonly Reaction[]): readonly ReactionChip[] {
  const chips = new Map<string, ReactionChip>();
  for (const { emoji, fromMe, name } of reactions) {
    const known = chips.get(emoji);
    chips.set(emoji, {
      emoji,
      count: (known?.count ?? 0) + 1,
      isOwn: fromMe || known?.isOwn === true,
      names: [...(known?.names ?? []), name],
    });
  }
  return [...chips.values()];
}

/** The emoji that the company has put under a message, null when none. */
export function ownReaction(message: Message): string | null {
  return message.reactions.find((one) => one.fromMe)?.emoji ?? null;
}

/** The message as it is with the company's reaction; an empty emoji takes it back. */
export function withOwnReaction(message: Message, emoji: string, name: string): Message {
  const others = message.reactions.filter((one) => !one.fromMe);
  if (emoji === "") return { ...message, reactions: others };
  const own: Reaction = { emoji, fromMe: true, contactId: null, name };
  return { ...message, reactions: [...others, own] };
}
