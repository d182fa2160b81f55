/**
 * Every error code the server can answer, with its HTTP status (wire-contract 10). The web translates codes in one
 * place; clients of the family print unknown ones as they are.
 */
export const errorStatus = {
  ERR_INVALID_REQUEST: 400,
  ERR_BODY_TOO_LARGE: 413,
  ERR_UNSUPPORTED_MEDIA_TYPE: 415,
  ERR_TOO_MANY_REQUESTS: 429,
  /** Too much of the company's work waits for its turn. */
  ERR_COMPANY_BUSY: 429,
  ERR_ROUTE_NOT_FOUND: 404,
  ERR_UNAVAILABLE: 503,
  ERR_INTERNAL: 500,

  ERR_INVALID_CREDENTIALS: 401,
  /** The password was right; the second step needs the code of an app. */
  ERR_SECOND_FACTOR: 401,
  /** The password was right; the company demands a second factor that the user has not set up. */
  ERR_FACTOR_SETUP: 401,
  /** The password was right; the company demands a second factor, and the user has passkeys alone. */
  ERR_PASSKEY_NEEDED: 401,
  ERR_FACTOR_WRONG: 400,
  ERR_FACTOR_ON: 400,
  ERR_FACTOR_OFF: 400,
  ERR_FACTOR_DEMANDED: 400,
  /** The step before was too long ago, was in another browser, or has been answered. */
  ERR_CHALLENGE_OVER: 400,
  ERR_PASSKEY_REFUSED: 400,
  ERR_PASSKEYS_NOT_OFFERED: 400,
  ERR_PASSKEY_LIMIT: 400,
  ERR_NO_PASSKEY_FOUND: 404,
  ERR_NO_SESSION_FOUND: 404,
  ERR_USER_CREATION_DISABLED: 403,
  ERR_INVALID_TOKEN: 401,
  ERR_SESSION_EXPIRED: 401,
  ERR_TOKEN_EXPIRED: 403,
  ERR_SUBSCRIPTION_EXPIRED: 400,
  ERR_COMPANY_DISABLED: 400,
  ERR_NO_PERMISSION: 403,
  ERR_TICKET_FORBIDDEN: 403,
  ERR_OTHER_COMPANY: 400,

  ERR_NO_COMPANY_FOUND: 404,
  ERR_NO_PLAN_FOUND: 404,
  ERR_COMPANY_INVALID_NAME: 400,
  ERR_COMPANY_NAME_ALREADY_EXISTS: 400,
  /** The company has super users, so it cannot be suspended. */
  ERR_COMPANY_IS_PROVIDER: 400,
  ERR_PLAN_INVALID_NAME: 400,
  ERR_PLAN_NAME_ALREADY_EXISTS: 400,
  ERR_PLAN_IN_USE: 400,
  ERR_NO_INVOICE_FOUND: 404,
  ERR_INVOICE_PAID: 400,
  ERR_NO_CHARGE_FOUND: 404,
  ERR_NO_PAYMENT_FOUND: 404,
  /** The provider has not said to which key companies pay. */
  ERR_PIX_KEY_MISSING: 400,
  ERR_BANK_ACCESS_MISSING: 400,
  ERR_BANK_CERTIFICATE: 400,
  ERR_BANK_REFUSED: 400,
  ERR_BANK_AWAY: 503,
  ERR_NO_MAIL_FOUND: 404,
  ERR_NO_MAIL_SERVER: 400,
  /** The code that the e-mail brings has expired. */
  ERR_MAIL_OVER: 400,
  ERR_NO_SETTING_FOUND: 404,
  ERR_NO_CONTACT_FOUND: 404,
  ERR_NO_TICKET_FOUND: 404,
  ERR_NO_USER_FOUND: 404,
  ERR_NO_WAPP_FOUND: 404,
  ERR_NO_MESSAGE_FOUND: 404,
  ERR_NO_TAG_FOUND: 404,
  ERR_NO_ROLE_FOUND: 404,
  ERR_NO_CONTACTLIST_FOUND: 404,
  ERR_NO_CONTACTLISTITEM_FOUND: 404,
  ERR_NO_CAMPAIGN_FOUND: 404,
  ERR_NO_IMPORT_FOUND: 404,
  ERR_NO_REASON_FOUND: 404,
  ERR_NO_MACRO_FOUND: 404,
  ERR_NO_VIEW_FOUND: 404,
  ERR_QUEUE_NOT_FOUND: 404,
  ERR_NO_QUEUE_OPTION_FOUND: 404,
  ERR_NO_TICKETNOTE_FOUND: 404,
  ERR_NO_QUICKMESSAGE_FOUND: 404,
  ERR_NO_SCHEDULE_FOUND: 404,
  ERR_NO_FILE_FOUND: 404,
  ERR_PRIVACY_CONFIRMATION: 400,
  ERR_PRIVACY_HOLD: 409,
  ERR_NO_CHAT_FOUND: 404,
  ERR_NO_ANNOUNCEMENT_FOUND: 404,
  ERR_NO_HELP_FOUND: 404,
  /** A file list that is to be removed (wire-contract 5.23). */
  ERR_NO_RATING_FOUND: 404,

  ERR_OTHER_OPEN_TICKET: 400,
  ERR_TICKET_TRANSITION: 400,
  ERR_TICKET_CLOSED: 400,
  ERR_CREATING_TICKET: 400,
  ERR_CREATING_MESSAGE: 400,
  ERR_MESSAGE_EMPTY: 400,
  ERR_MESSAGE_NOT_FAILED: 400,
  ERR_MESSAGE_UNCONFIRMED: 409,
  ERR_FETCH_WAPP_MSG: 400,
  ERR_WAPP_NOT_INITIALIZED: 400,
  ERR_NO_DEF_WAPP_FOUND: 400,
  ERR_NO_OTHER_WHATSAPP: 400,
  ERR_WAPP_NAME_EXISTS: 400,
  ERR_WAPP_TOKEN_EXISTS: 400,
  ERR_WAPP_GREETING_REQUIRED: 400,
  ERR_WAPP_LIMIT_REACHED: 400,
  ERR_WAPP_CREDENTIALS: 400,
  ERR_WAPP_WINDOW_CLOSED: 400,
  ERR_WAPP_ACCOUNT_BANNED: 400,
  ERR_WAPP_ACCOUNT_RESTRICTED: 400,
  ERR_WAPP_TEMPLATE: 400,
  ERR_WAPP_TEMPLATES_UNAVAILABLE: 400,
  ERR_WEBHOOK_SIGNATURE: 401,
  ERR_WAPP_INVALID_CONTACT: 400,
  ERR_WAPP_CHECK_CONTACT: 400,
  ERR_SENDING_WAPP_MSG: 400,
  ERR_EDITING_WAPP_MSG: 400,
  ERR_DELETE_WAPP_MSG: 400,
  ERR_REACTION_WAPP_MSG: 400,
  ERR_MESSAGE_SENT: 400,
  ERR_WAPP_DOWNLOAD_MEDIA: 400,
  ERR_TICKET_EXISTS: 409,
  ERR_UNDO_OVER: 409,
  ERR_UNDO_CHANGED: 409,
  ERR_SNOOZE_TIME: 400,
  ERR_PIN_LIMIT_REACHED: 400,
  ERR_VIEW_LIMIT_REACHED: 400,
  ERR_REASON_REQUIRED: 400,
  ERR_REASON_EXISTS: 400,
  ERR_REASON_LIMIT_REACHED: 400,
  ERR_MACRO_KEY_TAKEN: 400,
  ERR_MACRO_LIMIT_REACHED: 400,
  ERR_QUEUE_REQUIRED: 400,
  ERR_QUEUE_INVALID_NAME: 400,
  ERR_QUEUE_NAME_ALREADY_EXISTS: 400,
  ERR_QUEUE_INVALID_COLOR: 400,
  ERR_QUEUE_COLOR_ALREADY_EXISTS: 400,
  ERR_QUEUE_LIMIT_REACHED: 400,
  ERR_QUEUE_OPTION_EXISTS: 400,
  ERR_QUEUE_OPTIONS_LIMIT: 400,
  ERR_CHATBOT_DRAFT_CHANGED: 409,
  ERR_USER_LIMIT_REACHED: 400,
  ERR_USER_EMAIL_EXISTS: 400,
  ERR_USER_IS_SELF: 400,
  ERR_USER_LAST_ADMIN: 400,
  ERR_ROLE_EXISTS: 400,
  ERR_ROLE_LIMIT_REACHED: 400,
  /** Users have the role, and nothing says what they get instead. */
  ERR_ROLE_IN_USE: 400,
  /** The role belongs to another profile. */
  ERR_ROLE_PROFILE: 400,
  /** The role, or the user, has a permission that the caller lacks. */
  ERR_ROLE_BEYOND_OWN: 403,
  ERR_PASSWORD_SHORT: 400,
  ERR_PASSWORD_EASY: 400,
  ERR_PASSWORD_WEAK: 400,
  ERR_RESET_CODE_WRONG: 404,
  /** It has expired, was used, was replaced, or had too many wrong tries. */
  ERR_RESET_CODE_OVER: 404,
  ERR_PASSWORD_CONFIRM: 400,
  ERR_PASSWORD_WRONG: 400,
  ERR_NO_SUPER: 403,
  ERR_NUMBER_FORMAT: 400,
  ERR_DUPLICATED_CONTACT: 400,
  ERR_CONTACT_HAS_TICKET: 400,
  ERR_CONTACT_NUMBER_FORBIDDEN: 403,
  ERR_CONTACT_NUMBER_CHANGED: 400,
  ERR_CONTACT_OPTED_OUT: 400,
  ERR_CONTACT_CHANGED: 409,
  ERR_CONTACTS_NOT_MERGEABLE: 400,
  ERR_CONTACTS_BOTH_SERVED: 409,
  ERR_TICKETNOTE_INVALID_NAME: 400,
  ERR_TICKETNOTE_TOO_OLD: 409,
  ERR_MESSAGE_NOT_FORWARDABLE: 400,
  ERR_TAG_INVALID_NAME: 400,
  ERR_TAG_EXISTS: 400,
  ERR_CARD_MOVED: 409,
  ERR_CONTACTLIST_INVALID_NAME: 400,
  ERR_CONTACTLISTITEM_INVALID_NAME: 400,
  ERR_CONTACTLIST_FULL: 400,
  ERR_CAMPAIGN_REQUIRED: 400,
  ERR_CAMPAIGN_INVALID_NAME: 400,
  ERR_CAMPAIGN_LOCKED: 400,
  ERR_CAMPAIGN_RUNNING: 400,
  ERR_CAMPAIGN_STATE: 409,
  ERR_CAMPAIGN_PAST: 400,
  ERR_CAMPAIGN_NO_LIST: 400,
  ERR_CAMPAIGN_NO_TEXT: 400,
  ERR_CAMPAIGN_VARIABLE: 400,
  ERR_CAMPAIGN_TEMPLATE: 400,
  ERR_CAMPAIGN_IN_USE_SINCE: 400,
  ERR_IN_CAMPAIGN: 400,
  ERR_IMPORT_STATE: 409,
  ERR_IMPORT_SETTINGS: 400,
  ERR_SHEET_NOT_ONE: 400,
  ERR_SHEET_ENCRYPTED: 400,
  ERR_SHEET_DAMAGED: 400,
  ERR_SHEET_TOO_LARGE: 400,
  ERR_SHEET_TOO_MANY_ROWS: 400,
  ERR_SHEET_EMPTY: 400,
  ERR_SHEET_NO_NUMBERS: 400,
  ERR_SHEET_TOO_WIDE: 400,
  ERR_SHEET_NO_COMPANIES: 400,
  /** The name of a file list (wire-contract 5.23). */
  ERR_RATING_NAME_ALREADY_EXISTS: 400,
  ERR_QUICKMESSAGE_REQUIRED: 400,
  /** Not a member of the chat, or not its owner (wire-contract 5.17). */
  UNAUTHORIZED: 400,
  ERR_CHAT_TITLE: 400,
  ERR_CHAT_USERS: 400,
  ERR_CHAT_LEAVE: 400,
  ERR_CHAT_MESSAGE_TOO_OLD: 400,
  ERR_ANNOUNCEMENT_REQUIRED: 400,
  ERR_HELP_REQUIRED: 400,
  ERR_HELP_INVALID_NAME: 400,
  ERR_NO_PROMPT_FOUND: 404,
  ERR_PROMPT_NAME_INVALID: 400,
  ERR_PROMPT_INTELLIGENCE_INVALID: 400,
  ERR_PROMPT_PROMPT_INVALID: 400,
  ERR_PROMPT_APIKEY_INVALID: 400,
  ERR_PROMPT_QUEUEID_INVALID: 400,
  ERR_PROMPT_MAX_MESSAGES_INVALID: 400,
  ERR_PROMPT_ADDRESS_INVALID: 400,
  /** A connection or queue uses it. */
  ERR_PROMPT_IN_USE: 400,
  ERR_PROMPT_KEY_REFUSED: 400,
  ERR_PROMPT_NO_CREDIT: 400,
  ERR_PROMPT_RATE_LIMITED: 400,
  ERR_PROMPT_MODEL_UNKNOWN: 400,
  /** The provider's answer could not be read, or was empty. */
  ERR_PROMPT_BAD_REPLY: 400,
  ERR_PROMPT_NO_ANSWER: 400,
  ERR_PROMPT_BUDGET_USED: 400,
  ERR_NO_KNOWLEDGE_FOUND: 404,
  ERR_KNOWLEDGE_LIMIT: 400,
  /** Neither a PDF nor a text. */
  ERR_DOCUMENT_NOT_ONE: 400,
  ERR_DOCUMENT_ENCRYPTED: 400,
  ERR_DOCUMENT_DAMAGED: 400,
  /** Without text, as scanned pages are. */
  ERR_DOCUMENT_EMPTY: 400,
  ERR_DOCUMENT_TOO_LARGE: 400,
  /** The company has no AI service, or it does not help, or it is stopped by a fault. */
  ERR_AI_NOT_OFFERED: 403,
  /** It is no voice note whose file is here, or too large. */
  ERR_NO_TRANSCRIPT: 400,
  /** There is no text of the conversation to work with. */
  ERR_AI_HELP_NOTHING: 400,
  /** Two proposals are being written for this user. */
  ERR_AI_HELP_BUSY: 429,
  ERR_NO_DIALOG_FOUND: 404,
  ERR_NO_DELIVERY_FOUND: 404,
  ERR_INTEGRATION_NAME_INVALID: 400,
  ERR_INTEGRATION_NAME_EXISTS: 400,
  ERR_INTEGRATION_ADDRESS_INVALID: 400,
  ERR_INTEGRATION_SLUG_INVALID: 400,
  ERR_INTEGRATION_KEY_INVALID: 400,
  ERR_INTEGRATION_LANGUAGE_INVALID: 400,
  ERR_INTEGRATION_IN_USE: 400,
  ERR_TEST_SESSION_DIALOG: 400,
  ERR_TEST_REPLY_DIALOG: 400,
  ERR_NO_API_TOKEN_FOUND: 404,
  ERR_API_TOKEN_LIMIT: 400,
  ERR_NO_WEBHOOK_FOUND: 404,
  ERR_WEBHOOK_LIMIT: 400,
  ERR_PUSH_SERVICE: 400,
  /** The token lacks the scope of the call. */
  ERR_API_SCOPE: 403,
  ERR_CURSOR_INVALID: 400,
  /** The user has written an unsent text in this ticket, which no program overwrites. */
  ERR_DRAFT_EXISTS: 409,
  /** The same `Idempotency-Key` came with another request. */
  ERR_IDEMPOTENCY_KEY_REUSED: 409,
  /** The first request with this key has not ended yet. */
  ERR_IDEMPOTENCY_RUNNING: 409,
  ERR_NUMBER_REQUIRED: 400,
  /** The number is not on the chat network; of `POST /messages/send`. */
  ERR_CHECK_NUMBER: 400,
  ERR_TRY_LATER: 400,
  ERR_NO_BRAND_FOUND: 404,
  ERR_BRAND_HOST_INVALID: 400,
  ERR_BRAND_HOST_TAKEN: 400,
  ERR_BRAND_LIMIT: 400,
  ERR_SCHEDULE_BODY_SHORT: 400,
  ERR_SCHEDULE_PAST: 400,
  ERR_SCHEDULE_REPEAT: 400,
  ERR_SCHEDULE_SENT: 400,
  /** It was brought from another system and is not sent by itself. */
  ERR_SCHEDULE_IMPORTED: 400,
  ERR_FILE_MISSING: 400,
  ERR_FILE_TOO_LARGE: 413,
  ERR_TOO_MANY_FILES: 413,
  ERR_FILE_TYPE_FORBIDDEN: 415,
  ERR_FILE_TYPE_MISMATCH: 415,
  ERR_FILE_DAMAGED: 415,
  ERR_PERIOD_REQUIRED: 400,
  ERR_PERIOD_REVERSED: 400,
  ERR_PERIOD_TOO_LONG: 400,
  ERR_REPORT_TOO_LONG: 400,
  ERR_SIMULATOR_CODE: 400,
  ERR_SIMULATOR_NOT_LINKED: 400,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof errorStatus;

/**
 * Codes whose `error` text on the wire is not the code itself, because clients of the family print or test that text.
 * `{date}` is replaced by the due date as DD/MM/YYYY; the text of ERR_TICKET_EXISTS is its data as JSON.
 */
export const errorWireText = {
  ERR_SUBSCRIPTION_EXPIRED:
    "Opss! Sua assinatura venceu {date}. Entre em contato com o Suporte para mais informações!",
  ERR_COMPANY_DISABLED: "Esta empresa está desativada. Entre em contato com o Suporte.",
  ERR_INVALID_TOKEN: "Acesso não permitido",
  ERR_TICKET_FORBIDDEN: "Acesso não permitido",
  ERR_OTHER_COMPANY: "Você não possui permissão para acessar este recurso!",
  ERR_QUEUE_REQUIRED: "Selecione uma fila",
  ERR_TICKET_CLOSED: "Este atendimento está resolvido. Reabra-o para escrever.",
  ERR_CONTACT_HAS_TICKET:
    "Este contato tem um atendimento aberto. Resolva-o antes de excluir o contato.",
  ERR_PROMPT_IN_USE:
    "Não foi possível excluir! Verifique se este prompt está sendo usado nas conexões Whatsapp!",
  ERR_INTEGRATION_NAME_EXISTS: "This integration name is already used.",
  ERR_NUMBER_REQUIRED: "O número é obrigatório",
  ERR_TRY_LATER: "Não foi possível enviar a mensagem, tente novamente em alguns instantes",
  ERR_WAPP_NAME_EXISTS: "Esse nome já está sendo utilizado por outra conexão",
  ERR_WAPP_TOKEN_EXISTS: "This whatsapp token is already used.",
  ERR_WAPP_LIMIT_REACHED: "Número máximo de conexões já alcançado: {max}",
  ERR_QUEUE_LIMIT_REACHED: "Número máximo de filas já alcançado: {max}",
  ERR_USER_LIMIT_REACHED: "Número máximo de usuários já alcançado: {max}",
  ERR_USER_EMAIL_EXISTS: "An user with this email already exists.",
  ERR_PASSWORD_SHORT: "A senha precisa ter no mínimo {min} caracteres.",
  ERR_PASSWORD_EASY: "Esta senha é fácil de adivinhar. Escolha outra.",
  ERR_PASSWORD_WEAK:
    "Sua senha precisa ter no mínimo 8 caracteres, sendo uma letra maiúscula, uma minúscula e um número.",
  ERR_RESET_CODE_WRONG: "Verifique o Token informado",
  ERR_RESET_CODE_OVER: "Verifique o Token informado",
  ERR_PASSWORD_CONFIRM: "Informe a senha atual para mudar o e-mail ou a senha.",
  ERR_PASSWORD_WRONG: "A senha atual não está correta.",
  ERR_SECOND_FACTOR:
    "Sua conta pede um código além da senha. Entre por um navegador com a versão atual do sistema.",
  ERR_FACTOR_SETUP:
    "Sua empresa exige um segundo fator. Entre por um navegador com a versão atual do sistema para configurá-lo.",
  ERR_PASSKEY_NEEDED: "Sua empresa exige um segundo fator. Entre com sua chave de acesso.",
  ERR_NUMBER_FORMAT: "Invalid number format. Only numbers is allowed.",
  ERR_CAMPAIGN_LOCKED: "Só é permitido alterar campanha Inativa e Programada",
  ERR_CAMPAIGN_RUNNING: "Não é permitido excluir campanha em andamento",
  ERR_CAMPAIGN_NO_LIST: "Selecione uma lista de contatos ou tag",
  ERR_SHEET_NOT_ONE: "O arquivo não é uma planilha.",
  ERR_SHEET_ENCRYPTED: "A planilha tem senha. Salve sem senha e envie de novo.",
  ERR_SHEET_DAMAGED: "A planilha está danificada.",
  ERR_SHEET_TOO_LARGE: "A planilha é grande demais ao abrir.",
  ERR_SHEET_TOO_MANY_ROWS: "A planilha tem {rows} linhas; o limite é {max}.",
  ERR_SHEET_EMPTY: "A planilha está vazia.",
  ERR_SHEET_NO_NUMBERS: "Nenhuma coluna da planilha parece ter números.",
  ERR_SHEET_TOO_WIDE: "A planilha tem mais de {max} colunas.",
  ERR_SHEET_NO_COMPANIES: "A planilha precisa das colunas nome, e-mail e plano.",
  ERR_PERIOD_REQUIRED: "Parametrize o filtro",
  ERR_PERIOD_REVERSED: "A data final vem antes da inicial.",
  ERR_TOKEN_EXPIRED: "Invalid token. We'll try to assign a new one on next request",
  ERR_INTERNAL: "Internal server error",
} as const satisfies Partial<Record<ErrorCode, string>>;

/** The `data` of some codes in the reply. */
export type ErrorData = {
  ERR_INVALID_REQUEST: { issues: { path: string; message: string }[] };
  ERR_OTHER_OPEN_TICKET: {
    ticketId: number;
    user: { id: number; name: string } | null;
    queue: { id: number; name: string } | null;
  };
  /** The agent and queue of the ticket that is in the way; never its content (wire-contract 6.3). */
  ERR_TICKET_EXISTS: {
    id: number;
    uuid: string;
    status: string;
    userId: number | null;
    queueId: number | null;
    contactId: number;
    whatsappId: number | null;
    user: { id: number | null; name: string };
    queue: { id: number | null; name: string; color: string };
  };
  /** The campaign that uses what was to be removed. */
  ERR_IN_CAMPAIGN: { campaign: string };
  /** The variables of the texts that do not exist, or the shortcut that is taken. */
  ERR_CAMPAIGN_VARIABLE: { names: string[] };
  /** The contact as it is now, and who changed which field since the caller read it: the last change of each. */
  ERR_CONTACT_CHANGED: {
    contact: {
      updatedAt: string;
      name: string;
      number: string;
      email: string;
      extraInfo: { id: number; name: string; value: string }[];
    };
    changes: {
      field: string;
      label: string;
      at: string;
      user: { id: number; name: string } | null;
    }[];
  };
  /** Where the card is, and who moved it there and when, as far as that is known. */
  ERR_CARD_MOVED: {
    lane: { id: number | null; name: string };
    by: { id: number; name: string } | null;
    at: string | null;
  };
  ERR_CONTACTS_BOTH_SERVED: { tickets: { id: number; uuid: string; contactId: number }[] };
  ERR_WAPP_LIMIT_REACHED: { max: number };
  ERR_QUEUE_LIMIT_REACHED: { max: number };
  ERR_REASON_LIMIT_REACHED: { max: number };
  ERR_MACRO_LIMIT_REACHED: { max: number };
  ERR_KNOWLEDGE_LIMIT: { max: number };
  ERR_USER_LIMIT_REACHED: { max: number };
  ERR_ROLE_LIMIT_REACHED: { max: number };
  ERR_ROLE_IN_USE: { users: number };
  ERR_ROLE_BEYOND_OWN: { permissions: string[] };
  ERR_PASSWORD_SHORT: { min: number };
  ERR_RESET_CODE_WRONG: { triesLeft: number };
  ERR_QUEUE_OPTIONS_LIMIT: { max: number };
  ERR_FILE_TOO_LARGE: { name: string; maxBytes: number };
  ERR_TOO_MANY_FILES: { maxFiles: number };
  ERR_SHEET_NOT_ONE: { kind: string };
  ERR_SHEET_TOO_LARGE: { maxBytes: number };
  ERR_SHEET_TOO_MANY_ROWS: { rows: number; max: number };
  ERR_SHEET_TOO_WIDE: { max: number };
  ERR_PERIOD_TOO_LONG: { maxDays: number };
  ERR_REPORT_TOO_LONG: { max: number };
  ERR_FILE_TYPE_FORBIDDEN: { name: string };
  ERR_FILE_TYPE_MISMATCH: { name: string };
  ERR_FILE_DAMAGED: { name: string };
  /** The words of the bank. */
  ERR_BANK_REFUSED: { words: string };
  /** `old`: of a kind that this server's encryption does not read any more. */
  ERR_BANK_CERTIFICATE: { reason: "old" | "passphrase" | "unreadable" | "expired" };
  /** An admin with the right password gets a token that pays the open invoice and does nothing else, for 30 minutes. */
  ERR_SUBSCRIPTION_EXPIRED: { date: string; payToken?: string };
  /** Names the step that `POST /auth/second-factor` answers, for five minutes in this browser. */
  ERR_SECOND_FACTOR: { challenge: string };
  /** A token for the calls that set up a second factor, for 15 minutes. */
  ERR_FACTOR_SETUP: { setUpToken: string };
  ERR_PASSKEY_LIMIT: { max: number };
  ERR_API_SCOPE: { scope: string };
  ERR_API_TOKEN_LIMIT: { max: number };
  ERR_WEBHOOK_LIMIT: { max: number };
  ERR_TOO_MANY_REQUESTS: { retryAfterSeconds: number };
  ERR_COMPANY_BUSY: { retryAfterSeconds: number };
};

/**
 * The JSON body of every 4xx and 5xx reply: `error` is always a text (wire-contract 1, "Errors"); `code` names the
 * entry of this table also where the text differs from it. `invalido` stands beside ERR_WAPP_INVALID_CONTACT for clients
 * that look at nothing else (wire-contract 5.10).
 */
export type ErrorReply = {
  error: string;
  code: ErrorCode;
  data?: unknown;
  requestId?: string;
  invalido?: true;
};
