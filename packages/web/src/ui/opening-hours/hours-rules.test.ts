import { defaultSchedules } from "@balcao/contract";
import { expect, test } from "vitest";
import {
  checkHours,
  completeTime,
  inState,
  maskTime,
  sevenDays,
  stateOf,
  withSecond,
} from "./hours-rules.ts";

/** The field's value after each key. */
function typed(keys: string): string {
  return keys.split("").reduce((before, key) => maskTime(before + key), "");
}

test.each([
  ["8", "08:00"],
  ["18", "18:00"],
  ["0800", "08:00"],
  ["800", "08:00"],
  ["8:00", "08:00"],
  ["8h30", "08:30"],
  ["1830", "18:30"],
  ["930", "09:30"],
  ["23:59", "23:59"],
] as const)("%s becomes %s, typed or pasted", (keys, time) => {
  expect(completeTime(typed(keys))).toBe(time);
  expect(completeTime(maskTime(keys))).toBe(time);
  expect(completeTime(maskTime(` ${keys} `))).toBe(time);
});

test("every character can be deleted despite the mask", () => {
  expect(["08:0", "08:", "08", "0", ""].map(maskTime)).toEqual(["08:0", "08:", "08", "0", ""]);
});

test.each(["24:00", "08:6", "12:75", "99:99"])("%s is not a time of day", (time) => {
  const [monday, ...rest] = defaultSchedules();
  const { errors } = checkHours([{ ...monday!, endTime: time }, ...rest]);
  expect(errors).toEqual([{ endTime: "wrong" }, null, null, null, null, null, null]);
});

test("a missing start or end is an error of the empty field; both empty means not set", () => {
  const days = defaultSchedules().map((day) => ({ ...day, endTime: "" }));
  days[6] = { ...days[6]!, startTime: "" };
  const { errors, hasErrors } = checkHours(days);
  expect(errors.slice(0, 6)).toEqual(errors.slice(0, 6).map(() => ({ endTime: "missing" })));
  expect(errors[6]).toBeNull();
  expect(hasErrors).toBe(true);
});

test("checked hours have complete times in both sets of names, all seven days in order, and unknown keys", () => {
  const [monday, tuesday] = defaultSchedules();
  const stored = [{ ...tuesday!, startTime: "8", startTimeA: "10:00", note: "x" }, monday!];
  const { value, hasErrors } = checkHours(stored);
  expect(hasErrors).toBe(false);
  expect(value.map(({ weekdayEn }) => weekdayEn)).toEqual(
    defaultSchedules().map(({ weekdayEn }) => weekdayEn),
  );
  expect(value[1]).toEqual({
    ...{ ...tuesday, startTime: "08:00", note: "x" },
    ...{ startTimeA: "08:00", endTimeA: "18:00", startTimeB: "", endTimeB: "" },
  });
  expect(value[6]).toEqual({
    ...{ weekday: "Domingo", weekdayEn: "sunday", startTime: "", endTime: "" },
    ...{ startTimeA: "", endTimeA: "", startTimeB: "", endTimeB: "" },
  });
});

test("a day keeps its own name and unknown keys through every state", () => {
  const [monday, tuesday] = sevenDays(defaultSchedules());
  const kept = { ...tuesday!, note: "x" };
  expect(stateOf(kept)).toBe("open");
  const twice = { ...kept, startTimeB: "19:00", endTimeB: "22:00" };
  const closed = inState(twice, "closed", monday!);
  expect(closed).toEqual({ ...kept, startTime: "00:00", endTime: "00:00" });
  expect(stateOf(closed)).toBe("closed");
  const unset = inState(closed, "unset", monday!);
  expect(stateOf(unset)).toBe("unset");
  const opened = inState(unset, "open", { ...monday!, startTime: "10:00" });
  expect(opened).toEqual({ ...kept, startTime: "10:00", endTime: "18:00" });
  expect(inState(unset, "open", closed)).toEqual({ ...kept, startTime: "08:00", endTime: "18:00" });
});

test("a second interval splits hours over noon; others get one to be filled in", () => {
  const [monday] = sevenDays(defaultSchedules());
  const split = withSecond(monday!);
  expect(split).toMatchObject({
    ...{ startTime: "08:00", endTime: "12:00", startTimeB: "13:00", endTimeB: "18:00" },
  });
  expect(stateOf(split)).toBe("open");
  expect(withSecond({ ...monday!, startTime: "14:00", endTime: "18:00" })).toMatchObject({
    ...{ startTime: "14:00", endTime: "18:00", startTimeB: "18:00", endTimeB: "18:00" },
  });
});

test.each([
  ["08:00", "12:00", "13:00", "18:00", null],
  ["13:00", "18:00", "08:00", "12:00", null],
  ["08:00", "12:00", "12:00", "18:00", null],
  ["08:00", "13:00", "12:00", "18:00", { startTimeB: "overlap" }],
  ["20:00", "02:00", "22:00", "23:00", { startTimeB: "overlap" }],
  ["08:00", "12:00", "13:00", "", { endTimeB: "missing" }],
  ["08:00", "12:00", "13:00", "25:00", { endTimeB: "wrong" }],
  ["", "", "13:00", "18:00", { startTime: "missing", endTime: "missing" }],
] as const)("%s to %s and %s to %s", (startTime, endTime, startTimeB, endTimeB, errors) => {
  const [monday, ...rest] = defaultSchedules();
  const day = { ...monday!, startTime, endTime, startTimeB, endTimeB };
  expect(checkHours([day, ...rest]).errors[0]).toEqual(errors);
});
