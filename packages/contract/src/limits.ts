/** Constants and limits of the product (spec 9, wire-contract 1). Lengths in characters, times with their unit. */
export const limits = {
  nameMin: 2,
  nameMax: 50,
  connectionNameMax: 50,
  queueOptionTitleMax: 100,
  /** Options of one level of a chatbot, and of a whole queue. */
  queueOptionsPerLevel: 100,
  queueOptionsPerQueue: 1_000,
  /** The longest target of a queue for its answers: a day of opening hours, in minutes. */
  targetMinutesMax: 1_440,
  /** Times that are set in minutes end within a month. */
  connectionMinutesMax: 43_200,
  passwordMin: 5,
  passwordMax: 50,
  /** The code with which a user sets a new password, how long it is valid, and its wrong tries. */
  resetCodeLength: 8,
  resetCodeMinutes: 30,
  resetCodeTries: 5,
  /** The code of an invitation is valid for longer: its user has not asked for it. */
  invitationHours: 72,
  /** Seconds after which a page offers to send another code. */
  resetAgainSeconds: 60,
  emailMax: 254,
  /** A text message of the chat app. */
  messageBodyMax: 65_536,
  /** Hours after the customer's last message in which the official API takes anything but a template (channels.md 4). */
  freeTextWindowHours: 24,
  /** How long after sending a message its text may be edited (behaviour 1.10). */
  editWithinMs: 15 * 60_000,
  /** Seconds in which a send, a change of a ticket or a deletion can be undone, where the user wants that. */
  undoSecondsMax: 10,
  /** Days of its own on which a company is closed. */
  ownHolidaysMax: 100,
  /** Open tickets that a user can have at most by automatic assignment. */
  ticketLimitMax: 200,
  /** Users that the team's list has at most. */
  teamMax: 500,
  /** Roles of a company, beyond the profiles. */
  rolesMax: 50,
  /** Macros of a company. */
  macrosMax: 50,
  /** The longest wait that lists are narrowed to. */
  waitFilterMinutesMax: 10_080,
  /** Saved views of one user, and shared views of a company. */
  viewsMax: 20,
  viewNameMax: 40,
  /** The count of a saved view is exact up to this. */
  viewCountMax: 99,
  /** Tickets that one call changes together. */
  bulkMax: 50,
  /** Tickets that wait or are served and that one user has pinned. */
  pinsMax: 20,
  /** A ticket is put off no longer than this. */
  snoozeDaysMax: 366,
  /** Reasons that a company offers when a ticket is resolved. */
  resolveReasonsMax: 50,
  quickReplyLabelMax: 35,
  quickReplyTermMin: 2,
  contactSearchMin: 3,
  /** Characters of a search inside a conversation, and the matches of one reply. */
  conversationSearchMin: 2,
  conversationMatchesMax: 100,
  /** The longest list that is offered for a choice. */
  choicesMax: 100,
  userSearchMin: 3,
  noteMin: 2,
  noteMax: 4_000,
  /** People, and queues, that one note mentions. */
  noteMentionsMax: 50,
  tagNameMin: 3,
  /** Lanes of the board, and the cards of all lanes together that are read at once. */
  lanesMax: 100,
  boardCardsMax: 1_500,
  shortcodeMax: 60,
  folderMax: 40,
  fileListNameMin: 3,
  /** Files of one list. */
  fileListOptionsMax: 50,
  /** The caption of a file of a list. */
  fileCaptionMax: 1_024,
  chatTitleMax: 60,
  /** Members of an internal chat. */
  chatMembersMax: 200,
  announcementTitleMax: 120,
  announcementTextMax: 5_000,
  /** Announcements that an account is told of as unseen. */
  unseenAnnouncementsMax: 100,
  /** Title and description of a help video. */
  helpTextMin: 3,
  suspensionReasonMax: 200,
  /** Brands of the installation, and their texts. A name of a host has 253 characters. */
  brandsMax: 100,
  brandNameMax: 40,
  brandOwnerMax: 60,
  hostMax: 253,
  supportReasonMin: 3,
  supportReasonMax: 200,
  /** How long a visit of the provider lasts. */
  supportVisitMinutes: 60,
  passkeyNameMax: 60,
  passkeysPerUser: 20,
  recoveryCodes: 10,
  planCountMax: 100_000,
  /** A name, a street, a city. */
  payerTextMax: 120,
  /** Reais a month. */
  planValueMax: 1_000_000,
  /** A text that the AI service puts in other words. */
  aiTextMax: 4_000,
  helpTitleMax: 120,
  helpDescriptionMax: 1_000,
  scheduleBodyMin: 5,
  /** Default moment of a new scheduled message: this much later. */
  scheduleAheadMs: 60 * 60_000,
  /** Days that the calendar of scheduled messages shows at once, and messages of one day that it lists. */
  calendarDaysMax: 62,
  calendarPerDayMax: 200,
  /** Items of a company's knowledge base, and what one has at most. */
  knowledgeItemsMax: 500,
  knowledgeTitleMax: 200,
  knowledgeTextMax: 200_000,
  knowledgeFileMaxBytes: 10_000_000,
  /** A text that is searched for: what a customer has written. */
  knowledgeSearchMax: 4_000,
  apiTokenNameMin: 2,
  apiTokenNameMax: 50,
  /** Tokens of a company. */
  apiTokensMax: 50,
  webhooksMax: 20,
  idempotencyKeyMax: 200,
  /** Rows of a page for other programs. */
  apiPageDefault: 50,
  apiPageMax: 200,
  apiTagsMax: 100,
  /** An answer that a program proposes; as a note it also says that it is one. */
  apiDraftMax: 3_800,
  /** Characters of each text that an assistant reads. */
  mcpTextMax: 4_000,
  numberMin: 8,
  numberMax: 50,
  retentionDaysMin: 7,
  retentionDaysMax: 3_650,
  privacyTextMax: 4_000,
  consentNoteMax: 500,
  extraInfoMax: 50,
  /** People on one contact list. */
  contactListMax: 100_000,
  /** Lists up to this size have their numbers checked by themselves; larger ones when somebody asks for it. */
  contactListCheckedMax: 2_000,
  /** One text of a campaign, the variables of a company, and the text of one of them. */
  campaignTextMax: 4_096,
  campaignVariablesMax: 100,
  campaignVariableMax: 1_024,
  optOutWordsMax: 30,
  /** Recipients, and people of the list, in the reply that other clients read. */
  campaignRowsMax: 5_000,
  /** A campaign that is planned can be changed until so long before. */
  campaignLockedMs: 60 * 60_000,
  /** Spreadsheets: the file, what it may grow to when it is opened, rows, columns, and the row of the titles. */
  sheetMaxBytes: 25 * 1024 * 1024,
  sheetOpenedMaxBytes: 120 * 1024 * 1024,
  sheetRowsMax: 100_000,
  importColumnsMax: 100,
  importTitleRowMax: 5,
  /** New tags that one import makes; a column with more of them is none of tags. */
  importNewTagsMax: 500,
  /** Spreadsheets that are imported at once (wire-contract 9, behaviour 6.5). */
  smallSheetMaxBytes: 5 * 1024 * 1024,
  smallSheetRowsMax: 20_000,
  /** A spreadsheet of companies, and how many of them one call creates: their passwords and codes take a while. */
  companySheetMaxBytes: 2 * 1024 * 1024,
  companySheetRowsMax: 500,
  companyBatchMax: 10,
  /** A cell of a spreadsheet that a caller has written. */
  sheetCellMax: 1_000,
  /** Contacts that are chosen one by one. */
  chosenContactsMax: 1_000,
  /** Contacts that one call for several of them changes. */
  contactBulkMax: 20,
  /** Days back from today that a filter may reach. */
  filterDaysMax: 3_650,
  /** Days of a dashboard's or report's period: ten years. */
  periodDaysMax: 3_653,
  /** A wait that the dashboard sets beside bad ratings. */
  longWaitMinutes: 20,
  /** Attendances of one exported report. */
  reportExportMax: 100_000,
  /** Entries of one exported audit. */
  auditExportMax: 100_000,
  /** Rows of a page that other clients ask for. */
  reportPageMax: 1_000,
  /** How many rows of a long list are counted; its `count` says no more than that there are at least so many. */
  listCountMax: 1_000,
  /** For a template (Meta's own limits are smaller and differ by field). */
  templateParameters: 50,
  templateParameterMax: 1_024,
  draftMax: 65_536,
  recordingMinBytes: 10_000,
  recordingKbps: 128,
  mediasPerRequest: 10,
  /** Messages forwarded at once. */
  forwardMax: 30,
  /** Images and audio are media of the chat app; videos and documents may be as large as it takes documents. */
  imageMaxBytes: 16 * 1024 * 1024,
  audioMaxBytes: 16 * 1024 * 1024,
  videoMaxBytes: 256 * 1024 * 1024,
  documentMaxBytes: 256 * 1024 * 1024,
  /** Pixels of an image that is decoded; a larger one is refused unread. */
  imageMaxPixels: 100_000_000,
  fileNameMax: 255,
  signedPathSeconds: 24 * 60 * 60,
  jsonBodyBytes: 10 * 1024 * 1024,
  mobileNameLength: 10,
  composerRowsMax: 5,
  searchDebounceMs: 500,
  nextPageDistancePx: 100,
  olderMessagesDistancePx: 50,
  timeLabelRefreshMs: 30_000,
  connectionWarningDelayMs: 2_000,
  toastMs: 3_000,
  errorToastMs: 2_000,
  otherLoginReloadMs: 1_000,
  subscriptionWarningDays: 5,
  socketPingMs: 18_000,
  userStatusMs: 300_000,
  drawerWidthPx: 240,
  drawerOpenAbovePx: 1200,
  drawerOverlayBelowPx: 600,
} as const;

/** Rows of one page (wire-contract 1, "Sizes of pages"). */
export const pageSizes = {
  tickets: 40,
  messages: 20,
  contacts: 30,
  users: 20,
  tags: 5_000,
  kanbanCards: 50,
  auditEntries: 50,
  /** Cards of each lane in the first view of the board. The tallest screen shows fewer. */
  kanbanFirstCards: 25,
  kanbanTickets: 400,
  quickMessages: 20,
  contactLists: 20,
  contactListItems: 20,
  campaigns: 20,
  campaignRecipients: 50,
  contactImports: 20,
  importRows: 50,
  fileLists: 20,
  prompts: 20,
  knowledge: 500,
  integrations: 20,
  deliveries: 40,
  chats: 20,
  chatMessages: 20,
  announcements: 20,
  helps: 20,
  plans: 20,
  companies: 50,
  supportVisits: 20,
  signIns: 20,
  invoices: 20,
  openCharges: 20,
  unclearPayments: 20,
  mails: 50,
  schedules: 20,
  attendances: 20,
  contactHistory: 20,
  contactNotes: 20,
  contactFiles: 20,
  duplicates: 20,
  connectionsHealth: 50,
  reportRows: 50,
} as const;

/** The colour of a tag that is given none (behaviour 8.4). */
export const defaultTagColor = "#A4CCCC";

/** Acknowledgement levels of a message (spec 4): 0 clock, 1-2 one check, 3 two checks, 4-5 two blue checks. */
export const acks = {
  waiting: 0,
  written: 1,
  server: 2,
  delivered: 3,
  read: 4,
  played: 5,
} as const;
