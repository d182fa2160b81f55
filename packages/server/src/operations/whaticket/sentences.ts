import type {
  WhaticketProblem,
  WhaticketProblemCode,
  WhaticketProblemValue,
} from "@balcao/contract";

/** The sentences of the terminal. The page has its own in three languages. */
const sentences = {
  companyMissing: "there is none with this id",
  nameTaken: 'the name is taken here; it is called "{{name}}"',
  hoursUnreadable: "the opening hours cannot be read and are left empty",
  settingUnknown: "has no counterpart here",
  settingValueUnknown: "has a value that is unknown here; the default stays",
  emailTaken: "the e-mail {{email}} is taken; signs in with {{newEmail}}",
  superUserDropped: "was a super user; is none here",
  passwordUnusable: "has no usable password; needs a new one by e-mail",
  contactsMerged: "several rows are one person and become one contact",
  storiesLeftOut: "is the chat network's list of stories; left out",
  numberUnreadable: "has no number that can be read; kept without one",
  privateAddressOnly: "is known by a private address only",
  nameRepeated: "two have the same name",
  colorRepeated: "two have the same colour, or none",
  parentMissing: "its parent is missing, or is below it; left out",
  queueMissing: "its queue is missing; left out",
  typeUnknown: 'the type "{{type}}" is unknown here; left out',
  integrationsStopped: "comes in stopped: an admin lets it go on",
  channelUnknown: 'the channel "{{channel}}" is unknown here; its history is kept',
  tokenTaken: "its token is taken; programs need a new one",
  closingSwitchedOff: "closed inactive tickets by itself; switch that on again when it is linked",
  movingSwitchedOff: "moved waiting tickets by itself; switch that on again when it is linked",
  tagsMerged: "two are the same and become one",
  tagPairUnusable: "doubled, or without ticket or tag; left out",
  contactMissing: "its contact is missing; left out with its messages",
  statusUnknown: 'the status "{{status}}" is unknown; it waits',
  ticketsMerged: "several of one contact and connection become attendances of one",
  ticketMissing: "its ticket is missing; left out",
  ratingUnusable: "belongs to no attendance that is over, or has no value; left out",
  ratingLowered: "is above 3 and becomes 3",
  ratingReplaced: "a newer one of the same attendance counts",
  ticketOutside: "without ticket, or of a ticket of another company; left out",
  ticketLeftOut: "its ticket was left out",
  timeUnreadable: "its time cannot be read",
  quoteMissing: "quotes a message that is missing, or of another company",
  fileMissing: "is not in the folder; its message says so",
  fileUnreadable: "cannot be read, or is larger than files may be here",
  fileNotCopied: "its files are not copied",
  fileToAttach: "its file is not copied; attach it again",
  scheduleNotSent: "was not sent; plan it again",
  listItemUnusable: "has no list, or no number; left out",
  plannedCampaignCancelled: "was planned; it is cancelled",
  runningCampaignCancelled: "was running; it is cancelled",
  olderInvoiceCancelled: "is unpaid and older than another; it is cancelled",
  dueDateRepeated: "another one has the same due date; it is cancelled",
  relatedMissing: "belongs to something that is missing; left out",
  referenceMissing: "{{column}} points nowhere and is left empty",
  refused: "left out, the database refused it: {{reason}}",
  other: "{{text}}",
} as const satisfies Record<WhaticketProblemCode, string>;

type Holes<Text> = Text extends `${string}{{${infer Hole}}}${infer Rest}`
  ? Hole | Holes<Rest>
  : never;
type HolesOf<Code extends WhaticketProblemCode> = Holes<(typeof sentences)[Code]>;

/** The arguments for the values that the sentence of a code names; none if it names nothing. */
export type ValuesOf<Code extends WhaticketProblemCode> = [HolesOf<Code>] extends [never]
  ? []
  : [Readonly<Record<HolesOf<Code> & WhaticketProblemValue, string>>];

export function sentenceOf({ code, values = {} }: WhaticketProblem): string {
  return sentences[code].replace(
    /\{\{(\w+)\}\}/g,
    (hole, name: WhaticketProblemValue) => values[name] ?? hole,
  );
}
