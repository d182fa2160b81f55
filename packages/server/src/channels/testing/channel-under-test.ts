import type { ChannelKind } from "@balcao/contract";
import type { Capabilities } from "../port.ts";
import type { LineRef } from "../simulator/line.ts";
import type { ProcessOptions, TestProcess } from "./process.ts";

/** A company's message as a customer's phone shows it. */
export type SeenMessage = {
  text: string;
  /** The quoted message: the customer's own id, or ours for a message of the company. */
  quotedId: string | null;
  file: Buffer | null;
  isEdited: boolean;
  isDeleted: boolean;
};

/** A customer's phone on the network. Messages of the company are named by the ids that the product gave them. */
export type CustomerPhone = {
  writes(text: string, more?: { quotedId?: string; id?: string }): Promise<string>;
  sendsPicture(content: Buffer, caption: string): Promise<string>;
  /** `emoji` null takes it back. */
  reacts(id: string, emoji: string | null): Promise<void>;
  edits?(id: string, text: string): Promise<void>;
  deletes?(id: string): Promise<void>;
  /** Opens the chat: what is in it was read. */
  reads(): Promise<void>;
  /** The company's messages, in the order of arrival. */
  sees(): Promise<readonly SeenMessage[]>;
  /** The company's reactions to the customer's message. */
  reactionsTo(id: string): Promise<readonly string[]>;
};

/** The network of one line. */
export type TestNetwork = {
  /** Before the line's first session: makes its account known. */
  prepare(): Promise<void>;
  /** While its first session runs: links it, where that takes a person. */
  link?(): Promise<void>;
  customer(phone: string): Promise<CustomerPhone>;
  /** The line breaks and stays broken. */
  breaks(): Promise<void>;
  comesBack(): Promise<void>;
  /** From now on the network refuses what is sent to it. */
  refuses(): Promise<void>;
};

/** A channel as the suite needs it: all that differs is said by its capabilities. */
export type ChannelUnderTest = {
  channel: ChannelKind;
  capabilities: Capabilities;
  /** Adapters for the test processes; undefined when they have the channel already. */
  adapters?: ProcessOptions["adapters"];
  settings?: ProcessOptions["settings"];
  networkOf(process: TestProcess, line: LineRef): TestNetwork;
};
