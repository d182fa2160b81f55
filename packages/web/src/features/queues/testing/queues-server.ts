import type { Connection, EditedChatbot, Queue, QueueOption } from "@balcao/contract";
import { queue, queueOption } from "@balcao/contract";
import type { SeenRequest } from "../../../testing/fake-server.ts";
import { fakeServer } from "../../../testing/fake-server.ts";

type Handlers = Parameters<typeof fakeServer>[0];

const at = { createdAt: "2026-11-20T10:00:00.000Z", updatedAt: "2026-11-20T10:00:00.000Z" };

export function givenQueue(id: number, name: string, fields: Partial<Queue> = {}): Queue {
  return queue.parse({
    ...{ id, name, color: "#328bd6", greetingMessage: "", outOfHoursMessage: "", orderQueue: id },
    ...{ integrationId: null, promptId: null, assignment: "manual", schedules: [], companyId: 3 },
    ...{ mediaPath: null, mediaName: null, mediaMime: null, hasChatbotDraft: false },
    ...{ firstAnswerMinutes: null, nextAnswerMinutes: null },
    ...at,
    ...fields,
  });
}

export function givenOption(
  id: number,
  title: string,
  fields: Partial<Pick<QueueOption, "message" | "option" | "mediaName">> & {
    parentId?: number | null;
  } = {},
): QueueOption {
  return queueOption.parse({
    ...{ id, title, queueId: 1, parentId: null, message: "", option: String(id) },
    ...{ mediaPath: null, mediaName: null, mediaMime: null },
    ...at,
    ...fields,
  });
}

export type QueuesServer = {
  queues: Queue[];
  /** The options of the draft; those that customers get are `published`. */
  options: QueueOption[];
  published: QueueOption[];
  greeting: string;
  requests: SeenRequest[];
  /** The writing calls, in order. */
  writes: () => string[];
  bodyOf: (call: string) => unknown;
};

type Given = { queues: Queue[]; options?: QueueOption[]; connections?: Connection[] };

/** The server of the queues page with one chatbot that stores changes; `more` overrides handlers. */
export function queuesServer(given: Given, more: Handlers = {}): QueuesServer {
  const server: QueuesServer = {
    queues: given.queues,
    options: given.options ?? [],
    published: given.options ?? [],
    greeting: given.queues[0]?.greetingMessage ?? "",
    requests: [],
    writes: () => server.requests.map(({ call }) => call).filter((call) => !call.startsWith("GET")),
    bodyOf: (call) => server.requests.findLast((request) => request.call === call)?.body,
  };
  const publishedGreeting = server.greeting;
  const chatbot = (): EditedChatbot => ({
    draftAt: "2026-11-20T11:00:00.000Z",
    draft: { greetingMessage: server.greeting, options: server.options },
    published: { greetingMessage: publishedGreeting, options: server.published },
  });
  const handlers: Handlers = {
    "GET /api/queue": () => ({ body: server.queues }),
    "GET /api/queue/1/chatbot": () => ({ body: chatbot() }),
    "GET /api/queue/9/chatbot": () => ({ body: chatbot() }),
    "PUT /api/queue/1/chatbot": ({ body }) => {
      server.greeting = (body as { greetingMessage: string }).greetingMessage; // what the page itself sends
      return { body: chatbot() };
    },
    "POST /api/queue/1/chatbot/publish": () => {
      server.published = server.options;
      return { body: chatbot() };
    },
    "DELETE /api/queue/1/chatbot": () => {
      server.options = server.published;
      return { body: chatbot() };
    },
    "GET /api/queue-options/count": () => ({ body: countsOf(server.published) }),
    "GET /api/settings": () => ({ body: [] }),
    "GET /api/whatsapp": () => ({ body: given.connections ?? [] }),
    "POST /api/queue": () => ({ body: givenQueue(9, "Nova", { color: "#ca6719" }) }),
    "POST /api/queue-options": () => {
      const added = givenOption(50 + server.options.length, "Nova opção", { option: "3" });
      server.options = [...server.options, added];
      return { body: added };
    },
    "POST /api/queue-options/order": ({ body }) => {
      const { ids } = body as { ids: number[] }; // what the page itself sends
      server.options = server.options.map((option) => {
        const index = ids.indexOf(option.id);
        return index === -1 ? option : { ...option, option: String(index + 1) };
      });
      return { body: [] };
    },
  };
  for (const { id, name } of server.queues) {
    handlers[`PUT /api/queue/${id}`] = () => ({ body: givenQueue(id, name) });
    handlers[`DELETE /api/queue/${id}`] = () => ({});
  }
  for (const { id } of server.options) {
    handlers[`PUT /api/queue-options/${id}`] = ({ body }) => {
      server.options = server.options.map((option) =>
        option.id === id ? Object.assign({ ...option }, body) : option,
      );
      return { body: server.options.find((option) => option.id === id) };
    };
    handlers[`DELETE /api/queue-options/${id}`] = () => {
      server.options = server.options.filter((option) => option.id !== id);
      return { body: { message: "Option Delected" } };
    };
  }
  server.requests = fakeServer({ ...handlers, ...more }).requests;
  return server;
}

function countsOf(options: readonly QueueOption[]): { queueId: number; count: number }[] {
  const byQueue = Map.groupBy(options, ({ queueId }) => queueId);
  return Array.from(byQueue, ([queueId, { length }]) => ({ queueId, count: length }));
}
