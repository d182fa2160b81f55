import { cleanup, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderScreen } from "../../../testing/render.tsx";
import { AckIcon } from "./bubble.tsx";

/** Identifies the icon by its class name. */
function signOf(ack: number): string {
  renderScreen(<AckIcon ack={ack} />);
  const icon = screen.getByRole("img");
  const drawn = icon.querySelector("svg")?.getAttribute("class") ?? "";
  const [sign = "none"] = /clock|checks|check/.exec(drawn) ?? [];
  const isBlue = icon.dataset["state"] === "read";
  cleanup();
  return isBlue ? `blue ${sign}` : sign;
}

test("0 is a clock, 1 and 2 one check, 3 two checks, 4 and 5 two blue ones", () => {
  expect([0, 1, 2, 3, 4, 5].map(signOf)).toEqual([
    ...["clock", "check", "check", "checks"],
    ...["blue checks", "blue checks"],
  ]);
});
