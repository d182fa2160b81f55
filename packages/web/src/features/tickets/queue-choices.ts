import type { Colleague, Queue } from "@balcao/contract";

type Choice = { value: string; label: string };

/** The queues a ticket can be given to; those of the chosen colleague first. */
export function queueChoices(
  queues: readonly Queue[],
  colleague: Colleague | null,
  names: { own: (name: string) => string; others: string },
): (Choice | { group: string; items: Choice[] })[] {
  const ownIds = new Set(colleague?.queues.map(({ id }) => id));
  const own = queues.filter(({ id }) => ownIds.has(id)).map(choiceOf);
  if (colleague === null || own.length === 0) return queues.map(choiceOf);
  const others = queues.filter(({ id }) => !ownIds.has(id)).map(choiceOf);
  const first = { group: names.own(colleague.name), items: own };
  return others.length === 0 ? [first] : [first, { group: names.others, items: others }];
}

function choiceOf({ id, name }: Queue): Choice {
  return { value: String(id), label: name };
}
