import type { Routes } from "../../platform/http/routes.ts";
import {
  attachOptionFile,
  countOptions,
  createOption,
  detachOptionFile,
  listOptions,
  orderOptions,
  removeOption,
  showOption,
  updateOption,
} from "./options.ts";
import type { QueuesDeps } from "./queues.ts";
import {
  attachQueueFile,
  createQueue,
  detachQueueFile,
  listQueues,
  showQueue,
  updateQueue,
} from "./queues.ts";
import { changeGreeting, discardDraft, publishDraft, showChatbot } from "./publishing.ts";
import { removeQueue, showQueueUse } from "./removal.ts";

/** The queues ("filas") of a company and their menus (wire-contract 5.18). */
export function createQueuesFeature(deps: QueuesDeps) {
  return {
    register(routes: Routes): void {
      registerQueues(deps, routes);
      registerOptions(deps, routes);
      registerChatbots(deps, routes);
    },
  };
}

/** Clients of the family show these texts. */
const ATTACHED = { mensagem: "Arquivo Salvo" };
const DETACHED = { mensagem: "Arquivo excluído" };
const OPTION_DELETED = { message: "Option Delected" };

function registerQueues(deps: QueuesDeps, routes: Routes): void {
  routes.handle("GET /queue", ({ ctx, query }) => listQueues(deps, ctx, query.companyId));
  routes.handle("GET /queue/:queueId", ({ ctx, params }) => showQueue(deps, ctx, params.queueId));
  routes.handle("POST /queue", ({ ctx, body }) => createQueue(deps, ctx, body));
  routes.handle("PUT /queue/:queueId", ({ ctx, params, body }) =>
    updateQueue(deps, ctx, params.queueId, body),
  );
  routes.handle("GET /queue/:queueId/use", ({ ctx, params }) =>
    showQueueUse(deps, ctx, params.queueId),
  );
  routes.handle("DELETE /queue/:queueId", ({ ctx, params, query }) =>
    removeQueue(deps, ctx, params.queueId, query.targetQueueId ?? null),
  );
  routes.handle("POST /queue/:queueId/media-upload", async ({ ctx, params, upload }) => {
    await attachQueueFile(deps, ctx, params.queueId, upload.files());
    return ATTACHED;
  });
  routes.handle("DELETE /queue/:queueId/media-upload", async ({ ctx, params }) => {
    await detachQueueFile(deps, ctx, params.queueId);
    return DETACHED;
  });
}

function registerOptions(deps: QueuesDeps, routes: Routes): void {
  routes.handle("GET /queue-options", ({ ctx, query }) =>
    listOptions(deps, ctx, query.queueId, query.parentId ?? "all"),
  );
  routes.handle("GET /queue-options/count", ({ ctx }) => countOptions(deps, ctx));
  routes.handle("GET /queue-options/:queueOptionId", ({ ctx, params }) =>
    showOption(deps, ctx, params.queueOptionId),
  );
  routes.handle("POST /queue-options", ({ ctx, body }) => createOption(deps, ctx, body));
  routes.handle("POST /queue-options/order", ({ ctx, body }) => orderOptions(deps, ctx, body));
  routes.handle("PUT /queue-options/:queueOptionId", ({ ctx, params, body }) =>
    updateOption(deps, ctx, params.queueOptionId, body),
  );
  routes.handle("DELETE /queue-options/:queueOptionId", async ({ ctx, params, query }) => {
    await removeOption(deps, ctx, params.queueOptionId, query);
    return OPTION_DELETED;
  });
  routes.handle(
    "POST /queue-options/:queueOptionId/media-upload",
    async ({ ctx, params, upload }) => {
      const wish = await upload.fields();
      await attachOptionFile(deps, ctx, params.queueOptionId, upload.files(), wish);
      return ATTACHED;
    },
  );
  routes.handle(
    "DELETE /queue-options/:queueOptionId/media-upload",
    async ({ ctx, params, query }) => {
      await detachOptionFile(deps, ctx, params.queueOptionId, query);
      return DETACHED;
    },
  );
}

function registerChatbots(deps: QueuesDeps, routes: Routes): void {
  routes.handle("GET /queue/:queueId/chatbot", ({ ctx, params }) =>
    showChatbot(deps, ctx, params.queueId),
  );
  routes.handle("PUT /queue/:queueId/chatbot", ({ ctx, params, body }) =>
    changeGreeting(deps, ctx, params.queueId, body.greetingMessage),
  );
  routes.handle("POST /queue/:queueId/chatbot/publish", ({ ctx, params, body }) =>
    publishDraft(deps, ctx, params.queueId, body.draftAt),
  );
  routes.handle("DELETE /queue/:queueId/chatbot", ({ ctx, params }) =>
    discardDraft(deps, ctx, params.queueId),
  );
}
