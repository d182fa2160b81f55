import { tz } from "@date-fns/tz";
import { addSeconds } from "date-fns/addSeconds";
import { constructFrom } from "date-fns/constructFrom";
import { set } from "date-fns/set";
import { startOfSecond } from "date-fns/startOfSecond";
import { subDays } from "date-fns/subDays";
import { subMinutes } from "date-fns/subMinutes";
import type { Block, Conversation, Cycle, Line, When } from "./demo-script.ts";

export type DatedLine = Line & { at: Date };
/** A cycle with the time of each of its lines, ascending. */
export type DatedCycle = { cycle: Cycle; lines: readonly DatedLine[] };

/** Blocks of one conversation stand at least this far apart. */
const BLOCK_GAP_SECONDS = 30 * 60;
/** The newest line is at least this old. */
const NEWEST_AGE_SECONDS = 60;

/** Gives every line of a conversation its time before `now`; the times grow strictly from the first line to the last. */
export function dateConversation(
  conversation: Conversation,
  now: Date,
  timeZone: string,
): DatedCycle[] {
  const dated: DatedCycle[] = [];
  let latest = addSeconds(now, -NEWEST_AGE_SECONDS);
  // From the newest backwards: wherever blocks would meet (the clock shows shortly after midnight), the older one gives way.
  for (const cycle of conversation.cycles.toReversed()) {
    const lines: DatedLine[] = [];
    for (const block of cycle.blocks.toReversed()) {
      const placed = placeBlock(block, now, timeZone, latest);
      lines.unshift(...placed);
      const first = placed[0];
      if (first) latest = addSeconds(first.at, -BLOCK_GAP_SECONDS);
    }
    dated.unshift({ cycle, lines });
  }
  return dated;
}

function placeBlock(block: Block, now: Date, timeZone: string, latest: Date): DatedLine[] {
  const offsets = lineOffsets(block.lines);
  const duration = offsets.at(-1) ?? 0;
  const wanted = blockStart(block.when, duration, now, timeZone);
  const last = addSeconds(latest, -duration);
  const start = startOfSecond(wanted < last ? wanted : last);
  return block.lines.map((line, index) => ({
    ...line,
    at: addSeconds(start, offsets[index] ?? 0),
  }));
}

function blockStart(when: When, durationSeconds: number, now: Date, timeZone: string): Date {
  if ("endedMinutesAgo" in when) {
    return addSeconds(subMinutes(now, when.endedMinutesAgo), -durationSeconds);
  }
  const [hours = 0, minutes = 0] = when.time.split(":").map(Number);
  const day = subDays(now, when.daysAgo, { in: tz(timeZone) });
  return constructFrom(now, set(day, { hours, minutes, seconds: 0, milliseconds: 0 }));
}

/** Seconds from the first line of a block to each line: time to read, to type, and pauses the script asks for. */
function lineOffsets(lines: readonly Line[]): number[] {
  let elapsed = 0;
  return lines.map((line, index) => {
    const previous = lines[index - 1];
    if (previous === undefined) return 0;
    const readingSeconds = previous.agent === line.agent ? 4 : 40;
    const typingSeconds = 6 + Math.round(line.text.length * 0.3);
    elapsed +=
      line.afterMinutes === undefined ? readingSeconds + typingSeconds : line.afterMinutes * 60;
    return elapsed;
  });
}
