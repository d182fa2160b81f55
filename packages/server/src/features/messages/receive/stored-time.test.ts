import { expect, test } from "vitest";
import type { InboundMessage } from "../../../channels/port.ts";
import { storedTime } from "./stored-time.ts";

const at = (time: string): Date => new Date(`2026-11-20T${time}Z`);
const now = at("10:00:10.000");

test.each<
  [why: string, origin: InboundMessage["origin"], time: string, last: string | null, stored: string]
>([
  ["the network's time", "live", "10:00:09.500", null, "10:00:09.500"],
  [
    "a late message comes after what is shown",
    "live",
    "08:00:00.000",
    "09:59:00.000",
    "09:59:00.000",
  ],
  ["never in the future", "live", "10:00:11.000", "10:00:05.000", "10:00:10.000"],
  [
    "whole seconds do not put it before the answer",
    "live",
    "10:00:05.000",
    "10:00:05.700",
    "10:00:05.700",
  ],
  [
    "the same for the company's phone",
    "own-device",
    "10:00:05.000",
    "10:00:05.700",
    "10:00:05.700",
  ],
  [
    "what waited for the connection comes after it too",
    "offline",
    "10:00:05.000",
    "10:00:05.700",
    "10:00:05.700",
  ],
  ["history keeps its place", "history", "10:00:05.000", "10:00:05.700", "10:00:05.000"],
])("%s (%s)", (_why, origin, time, last, stored) => {
  const message = { at: at(time), origin };
  expect(storedTime(message, last === null ? null : at(last), now)).toEqual(at(stored));
});
