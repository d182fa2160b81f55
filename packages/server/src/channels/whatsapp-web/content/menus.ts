import type { WAMessageContent, WAMessageKey } from "baileys";
import type { InboundContent } from "../../port.ts";
import { firstText, listOf, textOf } from "./fields.ts";
import { fileContent } from "./files.ts";

/** A pressed button or a chosen row: its id, else what stands on it, and that text beside the id. */
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

/** The id in what a form answers with, which is JSON. */
function chosenId(paramsJson: unknown): string {
  try {
    const params: unknown = JSON.parse(textOf(paramsJson));
    return typeof params === "object" && params !== null && "id" in params ? textOf(params.id) : "";
  } catch {
    return "";
  }
}

type Menu = { text: string; choices: readonly string[]; content: WAMessageContent };

/**
 * Buttons, lists and templates, which companies send: the text in bold, then what can be chosen (behaviour 1.2). With a
 * picture or a file it is that file's caption.
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
    content: {
      imageMessage: menu.imageMessage ?? null,
      videoMessage: menu.videoMessage ?? null,
      documentMessage: menu.documentMessage ?? null,
    },
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
      content: {
        imageMessage: template.imageMessage ?? null,
        videoMessage: template.videoMessage ?? null,
        documentMessage: template.documentMessage ?? null,
      },
    };
  }
  const menu = interactiveMessage ?? templateMessage?.interactiveMessageTemplate;
  if (!menu) return null;
  const { header } = menu;
  return {
    text: firstText(menu.body?.text, header?.title),
    choices: [],
    content: {
      imageMessage: header?.imageMessage ?? null,
      videoMessage: header?.videoMessage ?? null,
      documentMessage: header?.documentMessage ?? null,
    },
  };
}

type TemplateButton = {
  quickReplyButton?: { displayText?: string | null } | null;
  urlButton?: { displayText?: string | null } | null;
  callButton?: { displayText?: string | null } | null;
} | null;

function buttonText(button: TemplateButton): string {
  const shown = button?.quickReplyButton ?? button?.urlButton ?? button?.callButton;
  return textOf(shown?.displayText);
}
