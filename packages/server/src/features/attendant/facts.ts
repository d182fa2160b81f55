import type { QueueId, QueueOptionId, ScheduleEntry } from "@balcao/contract";
import type { TicketState } from "../tickets/index.ts";

/** What the attendant knows when it looks at a ticket: one reading, under the ticket's lock. */
export type TurnFacts = {
  /** Not before the newest of the messages. */
  now: Date;
  /** IANA name of the company's time zone. */
  timeZone: string;
  ticket: Place &
    Pick<TicketState, "status" | "userId"> & { isGroup: boolean; disableBot: boolean };
  /** When a person first acted in the attendance. */
  attendedAt: Date | null;
  memory: TurnMemory;
  connection: {
    greetingMessage: string;
    outOfHoursMessage: string;
    /** 0: any number of menus. */
    maxUseBotQueues: number;
    /** 0: at any time again. */
    timeUseBotQueuesMinutes: number;
  };
  /** The connection's queues in their order. */
  queues: readonly QueueFacts[];
  /** The ticket's queue, which need not be one of the connection's. */
  ticketQueue: QueueFacts | null;
  scheduleType: "disabled" | "queue" | "company";
  companySchedules: readonly ScheduleEntry[];
  /** Setting sendGreetingMessageOneQueues. */
  greetsWithOneQueue: boolean;
  /** What the customer wrote and nobody has looked at, in the chat's order. */
  messages: readonly CustomerMessage[];
};

/** Where a ticket stands for the attendant. */
export type Place = Pick<TicketState, "queueId" | "chatbot" | "queueOptionId">;

export type QueueFacts = {
  id: QueueId;
  name: string;
  greetingMessage: string;
  outOfHoursMessage: string;
  schedules: readonly ScheduleEntry[];
  file: AttendantFile | null;
  options: readonly OptionFacts[];
};

export type OptionFacts = {
  id: QueueOptionId;
  parentId: QueueOptionId | null;
  /** What the customer writes to choose it. */
  number: number;
  title: string;
  message: string;
  file: AttendantFile | null;
};

export type AttendantFile = { key: string; name: string };

export type CustomerMessage = { seq: number; at: Date; body: string; isText: boolean };

/** What it remembers within one attendance. */
export type TurnMemory = {
  menusSent: number;
  /** When the menu or level was shown that waits for an answer; null: none does. */
  lastMenuAt: Date | null;
  /** Answers in a row that chose nothing. */
  wrongAnswers: number;
  /** The greeting of a connection without queues. */
  greetedAt: Date | null;
  /** Until when the closed period lasts that the customer was told of. */
  closedToldUntil: Date | null;
};

/** What it does: nothing of it is done yet. */
export type TurnPlan = {
  /** The ticket's place afterwards. */
  place: Place;
  /** A queue was assigned: its waiting time counts from now. */
  isQueuedNow: boolean;
  /** A menu or greeting step ran (behaviour 2.13, chatbotAt). */
  usedChatbot: boolean;
  memory: TurnMemory;
  /** In this order, each as a message of its own. */
  sends: readonly AttendantMessage[];
};

/** A text whose variables are still to be replaced, or a file. */
export type AttendantMessage =
  | { kind: "text"; text: string }
  | { kind: "file"; file: AttendantFile };
