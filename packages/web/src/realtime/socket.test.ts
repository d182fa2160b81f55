import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { LiveSocket } from "./socket.ts";
import { openSocket } from "./socket.ts";

/** A fake line; the test is the server. */
class Line extends EventTarget {
  static newest: Line;
  readonly sent: string[] = [];
  isClosed = false;
  readonly address: string;
  constructor(address: URL) {
    super();
    this.address = String(address);
    Line.newest = this;
  }
  send(packet: string): void {
    this.sent.push(packet);
  }
  close(): void {
    this.isClosed = true;
  }
  receive(...packets: string[]): void {
    for (const data of packets) this.dispatchEvent(new MessageEvent("message", { data }));
  }
  cut(): void {
    this.dispatchEvent(new Event("close"));
  }
}

const opening = '0{"sid":"x","upgrades":[],"pingInterval":25000,"pingTimeout":20000}';
let heard: unknown[][];
let socket: LiveSocket;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", Line);
  heard = [];
  socket = openSocket(() => "t");
  for (const event of ["connect", "ready", "connect_error", "disconnect", "company-3-tag"]) {
    socket.on(event, (...values: unknown[]) => heard.push([event, ...values]));
  }
  socket.connect();
});

afterEach(() => vi.useRealTimers());

test("connects with the current token, receives and sends events", () => {
  expect(Line.newest.address).toMatch(/^ws.*\/socket\.io\/\?EIO=4&transport=websocket$/);
  Line.newest.receive(opening);
  socket.emit("too early");
  expect(Line.newest.sent).toEqual(['40{"token":"t"}']);
  Line.newest.receive('40{"sid":"y"}', '42["ready"]', '42["company-3-tag",{"name":"[1]"}]');
  expect(heard).toEqual([["connect"], ["ready"], ["company-3-tag", { name: "[1]" }]]);
  socket.emit("joinTicket", 7);
  expect(Line.newest.sent.at(-1)).toBe('42["joinTicket",7]');
});

test("tells of each packet, before its event", () => {
  const order: string[] = [];
  socket.on("heard", () => order.push("heard"));
  socket.on("ready", () => order.push("ready"));
  Line.newest.receive(opening, '40{"sid":"y"}', "2", '42["ready"]');
  expect(order).toEqual(["heard", "heard", "heard", "heard", "ready"]);
});

test("answers pings, and closes a silent connection", () => {
  Line.newest.receive(opening, '40{"sid":"y"}');
  vi.advanceTimersByTime(40_000);
  Line.newest.receive("2");
  expect(Line.newest.sent.at(-1)).toBe("3");
  vi.advanceTimersByTime(44_999);
  expect(heard).toEqual([["connect"]]);
  vi.advanceTimersByTime(1);
  expect(heard.at(-1)).toEqual(["disconnect", "ping timeout"]);
  expect(Line.newest.isClosed).toBe(true);
});

test("a refusal is reported with the server's reason", () => {
  Line.newest.receive(opening, '44{"message":"ERR_SESSION_EXPIRED"}');
  expect(heard).toEqual([["connect_error", new Error("ERR_SESSION_EXPIRED")]]);
});

test("a connection that never opened is no refusal", () => {
  Line.newest.cut();
  expect(heard).toEqual([["connect_error", new Error("transport close")]]);
});

test.each([
  ["the server ends it", (line: Line) => line.receive("41"), "io server disconnect"],
  ["the line is cut", (line: Line) => line.cut(), "transport close"],
  ["the server closes in its own words", (line: Line) => line.receive("1"), "transport close"],
])("once connected, %s is reported once", (_, end, reason) => {
  Line.newest.receive(opening, '40{"sid":"y"}');
  end(Line.newest);
  Line.newest.cut();
  expect(heard).toEqual([["connect"], ["disconnect", reason]]);
});

test("after closing it reports no more events", () => {
  Line.newest.receive(opening, '40{"sid":"y"}');
  socket.disconnect();
  Line.newest.cut();
  expect(Line.newest.sent.at(-1)).toBe("41");
  vi.advanceTimersByTime(100_000);
  expect(heard).toEqual([["connect"]]);
});
