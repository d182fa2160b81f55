import type { CompanyId, ConnectionId, QueueId, TagId, UserId } from "@balcao/contract";
import type { AgentName, QueueName, TagName } from "./demo-script.ts";

/** The rows that the demo's words stand for. */
export type DemoCompany = {
  companyId: CompanyId;
  connectionId: ConnectionId;
  queueIds: Readonly<Record<QueueName, QueueId>>;
  userIds: Readonly<Record<AgentName, UserId>>;
  tagIds: Readonly<Record<TagName, TagId>>;
};
