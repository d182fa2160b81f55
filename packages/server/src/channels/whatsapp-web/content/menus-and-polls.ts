import type { proto, WAMessage, WAMessageContent, WAMessageKey } from "baileys";
import { decryptPollVote } from "baileys";
import { createHash } from "node:crypto";
import type { InboundContent } from "../../port.ts";
import type { Self } from "./addresses.ts";
import { base64Of, bytesOf, countOf, firstText, listOf, textOf, unwrap } from "./fields.ts";
import { fileContent } from "./files.ts";

/** A pressed button or a chosen row: its id (else its text), with the text beside the id. */
export function choiceContent(content: WAMessageContent): InboundContent | null {
  const { buttonsResponseMessage, listResponseMessage, templateButtonReplyMessage } = content;
  if (buttonsResponseMessage) {
    const { selectedButtonId, selectedDisplayText } = buttonsResponseMessage;
    return choice("buttonsResponseMessage", selectedButtonId, selectedDisplayText);
  }
  if (listResponseMessage) {
    const { singleSelectReply, title, description } = listResponseMessage;
    return choice("listResponseMessage", singleSelectReply?.selectedRowId, title, description);
  }
  if (templateButtonReplyMessage) {
    const { selectedId, selectedDisplayText } = templateButtonReplyMessage;
    return choice("templateButtonReplyMessage", selectedId, selectedDisplayText);
  }
  const flow = content.interactiveResponseMessage;
  if (!flow) return null;
  const { paramsJson, name } = flow.nativeFlowResponseMessage ?? {};
  return choice("interactiveResponseMessage", chosenId(paramsJson), flow.body?.text, name);
}

function choice(type: string, given: unknown, ...texts: readonly unknown[]): InboundContent | null {
  const text = firstText(...texts);
  const id = firstText(given, text);
  if (id === "") return null;
  return { kind: "choice", type, id, ...(text === "" || text === id ? {} : { text }) };
}

/** The id in the JSON of an answered form. */
function chosenId(paramsJson: unknown): string {
  try {
    const params: unknown = JSON.parse(textOf(paramsJson));
    return typeof params === "object" && params !== null && "id" in params ? textOf(params.id) : "";
  } catch {
    return "";
  }
}

type MenuFile = Pick<WAMessageContent, "imageMessage" | "videoMessage" | "documentMessage">;
type Menu = { text: string; choices: readonly string[]; content: MenuFile };

/**
 * Buttons, lists and templates of other companies: the text in bold, then the choices (behaviour 1.2). With a file it
 * is the file's caption.
 */
export function menuContent(content: WAMessageContent, key: WAMessageKey): InboundContent | null {
  const menu = buttonsMenu(content) ?? listMenu(content) ?? templateMenu(content);
  if (!menu) return null;
  const title = menu.text === "" ? [] : [`*${menu.text}*`];
  const text = [...title, ...menu.choices.filter(Boolean)].join("\n\n");
  const file = fileContent(menu.content, { key, isViewOnce: false });
  if (file?.kind === "media") return { ...file, ...(text === "" ? {} : { caption: text }) };
  return text === "" ? null : { kind: "text", text };
}

function buttonsMenu({ buttonsMessage: menu }: WAMessageContent): Menu | null {
  if (!menu) return null;
  return {
    text: firstText(menu.contentText, menu.text),
    choices: listOf(menu.buttons).map((button) => textOf(button?.buttonText?.displayText)),
    content: fileIn(menu),
  };
}

function listMenu({ listMessage: menu }: WAMessageContent): Menu | null {
  if (!menu) return null;
  const rows = listOf(menu.sections).flatMap((section) => listOf(section?.rows));
  return {
    text: firstText(menu.description, menu.title),
    choices: rows.map((row) => textOf(row?.title)),
    content: {},
  };
}

function templateMenu({ templateMessage, interactiveMessage }: WAMessageContent): Menu | null {
  const template = templateMessage?.hydratedTemplate ?? templateMessage?.hydratedFourRowTemplate;
  if (template) {
    const buttons = listOf(template.hydratedButtons);
    return {
      text: firstText(template.hydratedContentText, template.hydratedTitleText),
      choices: buttons.map(buttonText),
      content: fileIn(template),
    };
  }
  const menu = interactiveMessage ?? templateMessage?.interactiveMessageTemplate;
  if (!menu) return null;
  const { header } = menu;
  return {
    text: firstText(menu.body?.text, header?.title),
    choices: [],
    content: fileIn(header),
  };
}

function fileIn(menu: MenuFile | null | undefined): MenuFile {
  const { imageMessage = null, videoMessage = null, documentMessage = null } = menu ?? {};
  return { imageMessage, videoMessage, documentMessage };
}

type Shown = { displayText?: string | null } | null;
type TemplateButton = { quickReplyButton?: Shown; urlButton?: Shown; callButton?: Shown } | null;

function buttonText(button: TemplateButton): string {
  const shown = button?.quickReplyButton ?? button?.urlButton ?? button?.callButton;
  return textOf(shown?.displayText);
}

const POLLS = [
  "pollCreationMessage",
  "pollCreationMessageV2",
  "pollCreationMessageV3",
  "pollCreationMessageV5",
] as const;

function findPoll(content: WAMessageContent) {
  for (const type of POLLS) {
    const poll = content[type];
    if (poll) return { type, poll };
  }
  return null;
}

function pollOptions(poll: proto.Message.IPollCreationMessage): string[] {
  return listOf(poll.options).map((option) => textOf(option?.optionName));
}

export function pollContent(content: WAMessageContent): InboundContent | null {
  const found = findPoll(content);
  if (!found) return null;
  const { type, poll } = found;
  return {
    kind: "poll",
    type,
    question: textOf(poll.name),
    options: pollOptions(poll).filter(Boolean),
    // Zero: any number of options.
    severalAllowed: countOf(poll.selectableOptionsCount) !== 1,
  };
}

/** The data for reading a poll's votes: plain JSON, stored by message id. Contains a secret. */
type PollKey = { id: string; secret: string; options: string[]; creators: string[] };

/** The key of a poll; null for other messages and for a poll without its secret. */
export function pollKeyOf(message: WAMessage, self: Self): PollKey | null {
  const found = findPoll(unwrap(message?.message)?.content ?? {});
  const id = textOf(message?.key?.id);
  if (!found || id === "") return null;
  const secret = secretOf(message) || base64Of(found.poll.encKey);
  if (secret === "") return null;
  return { id, secret, options: pollOptions(found.poll), creators: writersOf(message, self) };
}

/** The secret is a field beside the poll, or beside its wrapping. */
function secretOf({ message }: WAMessage): string {
  const inner = unwrap(message)?.content.messageContextInfo?.messageSecret;
  const outer = message?.messageContextInfo?.messageSecret;
  return base64Of(inner) || base64Of(outer);
}

/** The id of the poll that a vote belongs to; null for other messages. */
export function votedPollId(message: WAMessage): string | null {
  return textOf(voteIn(message)?.pollCreationMessageKey?.id) || null;
}

function voteIn(message: WAMessage) {
  return unwrap(message?.message)?.content.pollUpdateMessage;
}

/** The chosen options (none: the vote was withdrawn); null when the vote cannot be decrypted with this poll. */
export function readPollVote(message: WAMessage, poll: PollKey, self: Self): string[] | null {
  const vote = voteIn(message)?.vote;
  const encPayload = bytesOf(vote?.encPayload);
  const encIv = bytesOf(vote?.encIv);
  const pollEncKey = bytesOf(poll.secret);
  // Either side may have used its number or its privacy id; only the right pair decrypts.
  for (const pollCreatorJid of poll.creators) {
    for (const voterJid of writersOf(message, self)) {
      const context = { pollCreatorJid, pollMsgId: poll.id, pollEncKey, voterJid };
      const chosen = decrypted({ encPayload, encIv }, context);
      if (chosen) return chosen.map((hash) => optionOf(poll, hash)).filter(Boolean);
    }
  }
  return null;
}

function decrypted(...args: Parameters<typeof decryptPollVote>): readonly Uint8Array[] | null {
  try {
    return decryptPollVote(...args).selectedOptions ?? [];
  } catch {
    // The wrong pair of addresses: nothing else can tell.
    return null;
  }
}

/** A vote names options by their hashes. */
function optionOf({ options }: PollKey, hash: Uint8Array): string {
  const named = Buffer.from(hash).toString("hex");
  return (
    options.find((option) => createHash("sha256").update(option).digest("hex") === named) ?? ""
  );
}

/** All addresses that the network may use for a message's author. */
function writersOf(message: WAMessage, self: Self): string[] {
  const { key } = message;
  const own = [self.pn && `${self.pn}@s.whatsapp.net`, self.lid && `${self.lid}@lid`];
  const other = [
    firstText(key?.participant, message.participant, key?.remoteJid),
    firstText(key?.participantAlt, key?.remoteJidAlt),
  ];
  const jids = key?.fromMe === true ? own : other;
  return jids.map((jid) => textOf(jid).replace(/:\d+@/, "@")).filter(Boolean);
}
