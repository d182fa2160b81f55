import type { SameShape } from "../same-shape.ts";
import type { composer as pt } from "../pt/composer.ts";

export const composer: SameShape<typeof pt> = {
  field: "Message to {{name}}",
  placeholder: "Message, or / for quick replies",
  send: "Send",
  save: "Save the edit",
  sign: "Sign",
  signHelp: "Puts your name above the message",
  tools: "Message tools",

  reply: "Replying to {{name}}",
  replySelf: "Replying to you",
  replyCancel: "Do not reply to this message",
  edit: "Editing the message",
  editCancel: "Cancel the edit",

  emoji: "Emoji",
  emojiSearch: "Search emoji",
  emojiEmpty: "No emoji found",
  emojiSkin: "Change the skin tone",

  quick: "Quick replies",
  quickSearch: "Search quick replies",
  quickEmpty: "No quick replies",
  quickNone: "No quick reply with “{{term}}”",
  quickFile: "with a file",
  quickFileFailed: "The file of the quick reply could not be fetched.",
  quickCount_one: "{{count}} quick reply",
  quickCount_other: "{{count}} quick replies",

  variable: "Insert a variable",

  attach: "Attach files",
  drop: "Drop the files to attach them",
  tray: "Files to send",
  caption: "Caption of {{name}}",
  captionHint: "Caption (optional)",
  removeFile: "Remove {{name}}",
  fileUp: "Move {{name}} up",
  fileDown: "Move {{name}} down",
  refusedTitle: "Not attached",
  dismiss: "Dismiss",

  record: "Record audio",
  recording: "Recording audio",
  recordStarting: "Opening the microphone…",
  recordCancel: "Cancel",
  recordSend: "Send audio",
  recordShort: "The audio is too short: nothing was sent.",
  recordFull: "This is the longest an audio can be. Send it or cancel.",
  recordLost: "The microphone was switched off. Send what was recorded or cancel.",
  microphone: {
    denied: "The browser may not use the microphone. Allow it in the settings of the site.",
    missing: "No microphone found.",
    busy: "Another program is using the microphone.",
    insecure: "The microphone only works at secure addresses (https).",
    failed: "This browser could not record audio.",
  },

  sendMore: "More ways to send",
  sendLater: "Send later",
  undo: "Undo send for 5 s",
  undoHelp: "The message waits 5 seconds before it leaves",

  answered: "{{name}} answered while you were writing",
  answeredElsewhere: "Another answer was sent while you were writing",
  answeredShow: "Show",
  answeredSend: "Send anyway",
  answeredAgain: "Press Enter again to send anyway.",
};
