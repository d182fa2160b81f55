import type { ScheduleEntry } from "@balcao/contract";
import { defaultSchedules } from "@balcao/contract";
import { cleanup, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { ReactNode } from "react";
import { useState } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { renderScreen } from "../../testing/render.tsx";
import { checkHours } from "./hours-rules.ts";
import { focusWrongTime, OpeningHours } from "./opening-hours.tsx";

const changed = vi.fn<(value: readonly ScheduleEntry[]) => void>();

function Form(): ReactNode {
  const [value, setValue] = useState<readonly ScheduleEntry[]>(defaultSchedules);
  const [isChecked, setChecked] = useState(false);
  return (
    <>
      <OpeningHours
        value={value}
        onChange={(next) => {
          changed(next);
          setValue(next);
        }}
        errors={isChecked ? checkHours(value).errors : undefined}
      />
      <button type="button" onClick={() => setChecked(true)}>
        Conferir
      </button>
    </>
  );
}

const group = (day: string) => within(screen.getByRole("group", { name: day }));
const start = (day: string) => screen.getByRole("textbox", { name: `Início, ${day}` });
const end = (day: string) => screen.getByRole("textbox", { name: `Fim, ${day}` });
const state = (day: string) => screen.getByRole("combobox", { name: `Atendimento, ${day}` });
function times(index: number): [string | undefined, string | undefined] {
  const day = (changed.mock.lastCall?.[0] ?? defaultSchedules())[index];
  return [day?.startTime, day?.endTime];
}

afterEach(() => {
  cleanup();
  changed.mockReset();
});

test("times are completed when their field is left, and hours past midnight are explained", async () => {
  renderScreen(<Form />);
  await userEvent.clear(start("Segunda-feira"));
  await userEvent.type(start("Segunda-feira"), "2000");
  await userEvent.clear(end("Segunda-feira"));
  await userEvent.type(end("Segunda-feira"), "2");
  await userEvent.tab();
  expect(times(0)).toEqual(["20:00", "02:00"]);
  expect(
    group("Segunda-feira").getByText(
      "Passa da meia-noite: até 02:00 do dia seguinte (Terça-feira)",
    ),
  ).toBeTruthy();
});

test("a time may be pasted", async () => {
  renderScreen(<Form />);
  await userEvent.clear(start("Quarta-feira"));
  await userEvent.click(start("Quarta-feira"));
  await userEvent.paste("0930");
  expect(times(2)).toEqual(["09:30", "18:00"]);
});

test("fields stay while times are equal or empty during editing", async () => {
  renderScreen(<Form />);
  await userEvent.clear(end("Terça-feira"));
  await userEvent.type(end("Terça-feira"), "0800");
  expect(document.activeElement).toBe(end("Terça-feira"));
  expect(group("Terça-feira").getByText("Fechado o dia todo")).toBeTruthy();
  await userEvent.clear(start("Terça-feira"));
  await userEvent.clear(end("Terça-feira"));
  expect(document.activeElement).toBe(end("Terça-feira"));
  await userEvent.click(screen.getByRole("button", { name: "Conferir" }));
  expect(state("Terça-feira")).toHaveProperty("value", "unset");
});

test("a day can be closed, opened with Monday's hours, and excluded from the check", async () => {
  renderScreen(<Form />);
  await userEvent.selectOptions(state("Segunda-feira"), "Fechado");
  expect(times(0)).toEqual(["00:00", "00:00"]);
  await userEvent.selectOptions(state("Segunda-feira"), "Aberto");
  expect(times(0)).toEqual(["08:00", "18:00"]);
  expect(state("Domingo")).toHaveProperty("value", "closed");
  await userEvent.selectOptions(state("Domingo"), "Aberto");
  expect(times(6)).toEqual(["08:00", "18:00"]);
  await userEvent.selectOptions(state("Domingo"), "Sem horário");
  expect(times(6)).toEqual(["", ""]);
  expect(group("Domingo").getByText("O horário não é verificado neste dia")).toBeTruthy();
});

test("Monday is copied to the weekdays and not to the weekend", async () => {
  renderScreen(<Form />);
  await userEvent.clear(start("Segunda-feira"));
  await userEvent.type(start("Segunda-feira"), "930");
  await userEvent.click(
    screen.getByRole("button", { name: "Copiar segunda-feira para os dias úteis" }),
  );
  for (const index of [1, 2, 3, 4]) expect(times(index)).toEqual(["09:30", "18:00"]);
  expect(times(5)).toEqual(["08:00", "12:00"]);
  expect(times(6)).toEqual(["00:00", "00:00"]);
});

test("an invalid time shows its error at the field, which can be focused", async () => {
  renderScreen(<Form />);
  await userEvent.clear(end("Quinta-feira"));
  await userEvent.click(screen.getByRole("button", { name: "Conferir" }));
  expect(end("Quinta-feira").getAttribute("aria-invalid")).toBe("true");
  expect(start("Quinta-feira").getAttribute("aria-invalid")).not.toBe("true");
  const described = end("Quinta-feira").getAttribute("aria-describedby") ?? "";
  expect(document.getElementById(described)?.textContent).toBe("Informe o início e o fim");
  focusWrongTime();
  expect(document.activeElement).toBe(end("Quinta-feira"));
  await userEvent.type(end("Quinta-feira"), "17");
  expect(screen.queryByText("Informe o início e o fim")).toBeNull();
});

test("a day gets a break for lunch, which is copied with Monday and can be removed", async () => {
  renderScreen(<Form />);
  await userEvent.click(
    group("Segunda-feira").getByRole("button", { name: "Adicionar um intervalo, Segunda-feira" }),
  );
  const second = (index: number) => {
    const day = changed.mock.lastCall?.[0][index];
    return [day?.startTimeB, day?.endTimeB];
  };
  expect([...times(0), ...second(0)]).toEqual(["08:00", "12:00", "13:00", "18:00"]);
  await userEvent.click(
    screen.getByRole("button", { name: "Copiar segunda-feira para os dias úteis" }),
  );
  expect([...times(4), ...second(4)]).toEqual(["08:00", "12:00", "13:00", "18:00"]);
  const late = screen.getByRole("textbox", {
    name: "Início do segundo intervalo, Segunda-feira",
  });
  await userEvent.clear(late);
  await userEvent.type(late, "1130");
  await userEvent.click(screen.getByRole("button", { name: "Conferir" }));
  expect(group("Segunda-feira").getByText("Os intervalos se sobrepõem")).toBeTruthy();
  await userEvent.click(
    screen.getByRole("button", { name: "Remover o segundo intervalo, Segunda-feira" }),
  );
  expect(second(0)).toEqual(["", ""]);
  expect(group("Segunda-feira").queryByText("Os intervalos se sobrepõem")).toBeNull();
});
