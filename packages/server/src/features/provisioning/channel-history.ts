import type { CompanyId, ConnectionId } from "@balcao/contract";
import type { Tx } from "../../platform/db/database.ts";

/** A message as the chat network knows it. */
export type ChannelMessage = {
  /** The network's id. */
  id: string;
  fromCustomer: boolean;
  body: string;
  /** A customer's: 2 taken by the connection, 4 read by an agent. The company's: 2 to 4. */
  ack: number;
  at: Date;
};

/** A connection's conversations as the chat network knows them, each oldest first. */
export type ChannelHistory = {
  companyId: CompanyId;
  connectionId: ConnectionId;
  customers: readonly { phone: string; name: string; messages: readonly ChannelMessage[] }[];
};

/**
 * Links the connection and puts the conversations on the channel's side, so that it delivers and reports nothing of them
 * again. Answers the number that the connection has there.
 */
export type SeedChannel = (tx: Tx, history: ChannelHistory) => Promise<{ number: string }>;
