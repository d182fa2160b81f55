import type {
  BillingLookup,
  HolidayCalendar,
  IntegrationId,
  IntegrationType,
  PromptId,
  QueueId,
  QueueOptionId,
  ScheduleEntry,
  UserId,
} from "@balcao/contract";
import type { StoredFile } from "../media/index.ts";
import type { TicketState } from "../tickets/index.ts";

/** Everything that the attendant's decision depends on, read once under the ticket's lock. */
export type TurnFacts = {
  /** Not before the newest of the messages. */
  now: Date;
  /** IANA name of the company's time zone. */
  timeZone: string;
  ticket: Place &
    Pick<TicketState, "status" | "userId"> & {
      isGroup: boolean;
      disableBot: boolean;
      /** It has taken the ticket, and answers until it leaves it or a person acts. */
      helper: Helper | null;
    };
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
    /** Answers before the customer has a queue, in place of the menu. */
    helper: Helper | null;
  };
  /** The connection's queues in their order. */
  queues: readonly QueueFacts[];
  /** The ticket's queue, which need not be one of the connection's. */
  ticketQueue: QueueFacts | null;
  scheduleType: "disabled" | "queue" | "company";
  companySchedules: readonly ScheduleEntry[];
  /** The company's; they close its queues too. */
  holidays: HolidayCalendar;
  /** Setting sendGreetingMessageOneQueues. */
  greetsWithOneQueue: boolean;
  /** The company's texts, its own or the defaults. */
  texts: AttendantTexts;
  /** The customer's unhandled messages, in the chat's order. */
  messages: readonly CustomerMessage[];
};

export type AttendantTexts = Readonly<Record<(typeof attendantTextKeys)[number], string>>;
/** The automatic texts of a company that the attendant says. */
export const attendantTextKeys = ["outOfHours", "invalidOption", "personComes"] as const;

/**
 * An AI agent, integration or billing look-up that answers a customer outside of the menus; of a company whose plan has it.
 * The look-up belongs to a queue by its name, and has the queue's id.
 */
export type Helper =
  | { kind: "prompt"; id: PromptId }
  | { kind: "billing"; id: QueueId; lookup: BillingLookup }
  | { kind: "integration"; id: IntegrationId; type: IntegrationType };

/** The attendant's position in a ticket: queue, chatbot and option. */
export type Place = Pick<TicketState, "queueId" | "chatbot" | "queueOptionId">;

export type QueueFacts = {
  id: QueueId;
  name: string;
  greetingMessage: string;
  outOfHoursMessage: string;
  schedules: readonly ScheduleEntry[];
  file: AttendantFile | null;
  /** When a publication last changed what can be chosen; null: never. */
  menuChangedAt: Date | null;
  options: readonly OptionFacts[];
  /** Answers a customer who enters, in place of greeting and options. */
  helper: Helper | null;
};

export type OptionFacts = {
  id: QueueOptionId;
  parentId: QueueOptionId | null;
  /** The number that chooses it. */
  number: number;
  title: string;
  message: string;
  file: AttendantFile | null;
};

export type AttendantFile = { key: string; name: string };

export type CustomerMessage = { seq: number; at: Date; body: string; isText: boolean };

/** The attendant's memory within one attendance. */
export type TurnMemory = {
  menusSent: number;
  /** When the menu or level that waits for an answer was shown; null: none waits. */
  lastMenuAt: Date | null;
  /** Consecutive answers that chose nothing. */
  wrongAnswers: number;
  /** When the greeting of a connection without queues was sent. */
  greetedAt: Date | null;
  /** End of the closed period whose out-of-hours text was sent. */
  closedToldUntil: Date | null;
};

/** Why the helper, which has this name, hands over; the team reads it. */
export type HandOverNote = { by: string; note: string };

/** The decision; nothing of it has been carried out. */
export type TurnPlan = {
  /** The ticket's place afterwards. */
  place: Place;
  /** A queue was assigned now: its waiting time starts. */
  isQueuedNow: boolean;
  /** A menu or greeting step ran (behaviour 2.13, chatbotAt). */
  usedChatbot: boolean;
  memory: TurnMemory;
  /** In this order, each as a message of its own. */
  sends: readonly AttendantMessage[];
  /** It has the ticket afterwards. */
  helper: Helper | null;
  /** Left for those who have the ticket then. */
  note?: HandOverNote | undefined;
  /** After the messages: the ticket is given to a user of its queue, or is closed (`isQuiet`: without the closing message). */
  ends: { kind: "assigned"; userId: UserId } | { kind: "closed"; isQuiet: boolean } | null;
};

/** A text, or a file. `pauseMs` passes between the message before and this one. */
export type AttendantMessage = { pauseMs?: number | undefined } & (
  | {
      kind: "text";
      text: string;
      /** Variables are not replaced: it was written outside. */
      isLiteral?: boolean | undefined;
    }
  | {
      kind: "file";
      file: AttendantFile;
      /** Where it was stored just now, and need not be examined. */
      stored?: StoredFile | undefined;
    }
);

export function isSameHelper(one: Helper | null, other: Helper | null): boolean {
  return one?.kind === other?.kind && one?.id === other?.id;
}

/** The files among the messages that are to be examined. */
export function filesIn(sends: readonly AttendantMessage[]): AttendantFile[] {
  return sends.flatMap((message) =>
    message.kind === "file" && !message.stored ? [message.file] : [],
  );
}
