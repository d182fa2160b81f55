// Written by `npm run client` from the contract. Changes belong there.

/** A file with its name. */
export type FileToSend = { name: string; content: Blob };

export type Contact = {
  id: number;
  name: string;
  number: string;
  email: string;
  isGroup: boolean;
  optedOut: boolean;
  extraInfo: {
    name: string;
    value: string;
  }[];
  createdAt: string;
  updatedAt: string;
};

export type Message = {
  id: string;
  ticketId: number;
  contactId: number | null;
  fromMe: boolean;
  user: {
    id: number;
    name: string;
  } | null;
  body: string;
  type: string;
  file: {
    url: string;
    name: string;
    mime: string;
  } | null;
  state: "received" | "waiting" | "sent" | "delivered" | "read" | "failed";
  isDeleted: boolean;
  isEdited: boolean;
  quotedMessageId: string | null;
  createdAt: string;
};

export type Ticket = {
  id: number;
  uuid: string;
  status: "pending" | "open" | "closed";
  contact: {
    id: number;
    name: string;
    number: string;
  };
  isGroup: boolean;
  queue: {
    id: number;
    name: string;
    color: string;
  } | null;
  user: {
    id: number;
    name: string;
  } | null;
  connection: {
    id: number;
    name: string;
  } | null;
  tags: {
    id: number;
    name: string;
    color: string;
  }[];
  unreadMessages: number;
  lastMessage: string;
  lastMessageAt: string | null;
  waitingSince: string | null;
  createdAt: string;
  updatedAt: string;
};

export type Template = {
  name: string;
  language: string;
  category: string;
  header: {
    format: string;
    text: string;
    parameters: number;
  } | null;
  body: string;
  bodyParameters: number;
  footer: string | null;
  buttons: {
    type: string;
    text: string;
    parameters: number;
  }[];
};

/** Each call by its method and path below `/api`. */
export type Calls = {
  /** Sends a text, or files as multipart, with the token of a connection */
  "POST /messages/send": {
    request: { body: {
      number?: string | number | null;
      body?: string | null;
      closeTicket?: boolean;
      queueId?: number;
      userId?: number;
      status?: "pending" | "open";
      idempotencyKey?: string | null;
    }; files: readonly FileToSend[] };
    reply: {
      mensagem: "Mensagem enviada";
      messageId: string;
      ticketId: number;
    };
  };
  /** Sends a text, a template, or files as multipart, in a ticket or to a number. Header Idempotency-Key: the same key with the same request sends once and answers the same */
  "POST /v1/messages": {
    request: { body: {
      ticketId?: number;
      number?: string | number;
      connectionId?: number;
      body?: string;
      template?: {
        name: string;
        language: string;
        headerParameters?: string[];
        bodyParameters?: string[];
        buttonParameters?: string[];
      };
      queueId?: number;
      userId?: number;
      status?: "pending" | "open";
      closeTicket?: boolean;
    }; files: readonly FileToSend[] };
    reply: {
      messageIds: string[];
      ticketId: number;
      contactId: number;
    };
  };
  /** The messages of a ticket, the newest first; reading them marks nothing as read */
  "GET /v1/messages": {
    request: { query: {
      ticketId: number;
      cursor?: string;
    } };
    reply: {
      data: Message[];
      nextCursor: string | null;
    };
  };
  /** The contacts in the order in which they were made, or the one with a number */
  "GET /v1/contacts": {
    request: { query: {
      cursor?: string;
      limit?: number;
      number?: string;
    } };
    reply: {
      data: Contact[];
      nextCursor: string | null;
    };
  };
  /** One contact */
  "GET /v1/contacts/:contactId": {
    request: { params: {
      contactId: number;
    } };
    reply: Contact;
  };
  /** A new contact (201), or the one that has the number already, unchanged (isNew false) */
  "POST /v1/contacts": {
    request: { body: {
      name: string;
      number: string;
      email?: string;
      extraInfo?: {
        name: string;
        value: string;
      }[];
    } };
    reply: {
      id: number;
      name: string;
      number: string;
      email: string;
      isGroup: boolean;
      optedOut: boolean;
      extraInfo: {
        name: string;
        value: string;
      }[];
      createdAt: string;
      updatedAt: string;
      isNew: boolean;
    };
  };
  /** Changes a contact; omitted fields stay, extraInfo replaces all */
  "PUT /v1/contacts/:contactId": {
    request: { params: {
      contactId: number;
    }; body: {
      name?: string;
      number?: string;
      email?: string;
      extraInfo?: {
        name: string;
        value: string;
      }[];
      disableBot?: boolean;
    } };
    reply: Contact;
  };
  /** The tickets, the last changed first, as far as the token may see them; without status and search those that wait or are served */
  "GET /v1/tickets": {
    request: { query: {
      cursor?: string;
      limit?: number;
      status?: "pending" | "open" | "closed";
      tagIds?: readonly number[];
      queueIds?: readonly number[];
      connectionIds?: readonly number[];
      search?: string;
    } };
    reply: {
      data: Ticket[];
      nextCursor: string | null;
    };
  };
  /** One ticket */
  "GET /v1/tickets/:ticketId": {
    request: { params: {
      ticketId: number;
    } };
    reply: Ticket;
  };
  /** Accepts, returns, resolves, reopens or transfers a ticket */
  "PUT /v1/tickets/:ticketId": {
    request: { params: {
      ticketId: number;
    }; body: {
      status?: "pending" | "open" | "closed";
      userId?: number | null;
      queueId?: number | null;
      note?: string;
    } };
    reply: Ticket;
  };
  /** Makes these the only tags of a ticket */
  "PUT /v1/tickets/:ticketId/tags": {
    request: { params: {
      ticketId: number;
    }; body: {
      tagIds: number[];
    } };
    reply: Ticket;
  };
  /** Proposes an answer, which a person reads before it is sent: the owner's draft with a personal token, a note of the ticket with the company's */
  "POST /v1/tickets/:ticketId/draft": {
    request: { params: {
      ticketId: number;
    }; body: {
      body: string;
    } };
    reply: {
      ticketId: number;
      keptAs: "draft" | "note";
    };
  };
  /** The company's tags */
  "GET /v1/tags": {
    request: { query: {
      cursor?: string;
      limit?: number;
    } };
    reply: {
      data: {
        id: number;
        name: string;
        color: string;
      }[];
      nextCursor: string | null;
    };
  };
  /** The company's queues in their order, all of them */
  "GET /v1/queues": {
    request: Record<string, never>;
    reply: {
      data: {
        id: number;
        name: string;
        color: string;
      }[];
      nextCursor: string | null;
    };
  };
  /** The approved templates of a connection, all of them */
  "GET /v1/templates": {
    request: { query: {
      connectionId: number;
    } };
    reply: {
      data: Template[];
      nextCursor: string | null;
    };
  };
};

/** The permissions that a token can have. */
export type Scope = "messages:send" | "messages:read" | "messages:draft" | "contacts:read" | "contacts:write" | "tickets:read" | "tickets:write" | "tags:read" | "tags:write" | "queues:read" | "templates:read";
