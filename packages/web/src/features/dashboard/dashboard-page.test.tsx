import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { endSession } from "../../api/session-store.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { addressWith, readFilter, writeFilter } from "../reports/index.ts";
import { sortedUsers } from "./attendants.tsx";
import { countChange, valueChange } from "./blocks.tsx";
import { scaleOf } from "./charts.tsx";
import { DashboardPage } from "./dashboard-page.tsx";
import {
  at,
  figures,
  nothing,
  now,
  queue,
  signIn,
  standing,
  user,
} from "./testing/given-figures.ts";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

type Answer = { status?: number; body?: unknown };

function open(answers: Record<string, () => Answer> = {}, address = "/") {
  const server = fakeServer({
    ...standing,
    "GET /api/dashboard/figures": () => ({ body: figures() }),
    "GET /api/dashboard/now": () => ({ body: now() }),
    ...answers,
  });
  signIn();
  const page = renderRoutes(
    [
      { path: "/", element: <DashboardPage /> },
      { path: "*", element: null },
    ],
    address,
  );
  const asked = (part: string) =>
    server.requests
      .filter(({ call }) => call.includes(part))
      .map(({ call }) => decodeURIComponent(call.split("?")[1] ?? ""));
  return { ...page, asked };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(at) });
});
afterEach(() => {
  vi.useRealTimers();
  cleanup();
  endSession("logout");
});

/** The filter of a link to the reports. */
function linkOf(name: string | RegExp) {
  const to = screen.getByRole("link", { name }).getAttribute("href") ?? "";
  const [path, search] = to.split("?");
  return { path, ...readFilter(new URLSearchParams(search).get("filter") ?? "") };
}

test("each figure says its change against the days before, and opens what it counts with the same filter", async () => {
  open({}, addressWith("/", { days: 7, queueIds: [1] }));
  const cards = within(await screen.findByRole("region", { name: "Números do período" }));
  const filter = { path: "/reports", days: 7, queueIds: [1] };
  expect(cards.getByText("486")).toBeTruthy();
  expect(linkOf("486 finalizados, abrir atendimentos")).toEqual({ ...filter, state: "resolved" });
  expect(linkOf(/^6 min espera média/)).toEqual({ ...filter, time: "wait" });
  expect(linkOf(/^2 min 40 s primeira resposta/)).toEqual({ ...filter, time: "firstAnswer" });
  expect(linkOf(/^2,7 avaliação, /)).toEqual({ ...filter, state: "rated" });
  expect(linkOf(/^19 reabertos/)).toEqual({ ...filter, state: "reopened" });
  expect(linkOf(/^128 contatos novos/)).toEqual({ ...filter, state: "new" });
  const changes = ["antes 434", "antes 8", "antes 3:10", "antes 22", "antes 2,6", "antes 4,4%"];
  for (const words of changes) expect(cards.getByText(words, { exact: false })).toBeTruthy();
  expect(cards.getAllByText(", melhor")).toHaveLength(3);
  expect(cards.getAllByText(", pior")).toHaveLength(1);
  expect(linkOf("Caio Nunes: 142 atendimentos")).toEqual({
    ...{ path: "/reports", days: 7, queueIds: [1], userIds: [1], state: "resolved" },
  });
  expect(linkOf("quarta, 18/11: 18 atendimentos")).toEqual({
    ...{ path: "/reports", queueIds: [1], dateFrom: "2026-11-18", dateTo: "2026-11-18" },
  });
  expect(linkOf("quinta, 11 h: 19 atendimentos")).toEqual({ ...filter, weekday: 3, hour: 11 });
  expect(linkOf("12 Insatisfeito, 5%, abrir atendimentos")).toEqual({ ...filter, rates: [1] });
  expect(linkOf("Ver atendimentos")).toEqual({ ...filter, rates: [1], waitOver: 20 });
});

test("now ignores the period, follows the choice, and names who waits longest", async () => {
  const { asked } = open({}, addressWith("/", { days: 30, queueIds: [1, null] }));
  const strip = within(await screen.findByRole("region", { name: "Agora" }));
  expect(asked("dashboard/now")).toEqual(["queueIds=[1,null]"]);
  expect(strip.getByText("3 a mais que há uma hora")).toBeTruthy();
  expect(strip.getByText("Renata Figueiredo, Financeiro")).toBeTruthy();
  const longest = strip.getByRole("link", { name: /^56 min espera mais longa/ });
  expect(longest.getAttribute("href")).toBe("/tickets/u-4");
  expect(strip.getByText("71 há uma semana, até 16:40")).toBeTruthy();
  expect(strip.getByText("4 no menu, 3 fora do horário")).toBeTruthy();
  const waiting = within(screen.getByRole("region", { name: "Aguardando por fila" }));
  const rows = waiting.getAllByRole("listitem").map(({ textContent }) => textContent);
  expect(rows).toEqual([
    "Vendas2018 min+ 8Há mais tempo: Cliente de Vendas",
    "Sem fila11 h 15Há mais tempo: Cliente de ",
  ]);
});

test("nothing is read before Filtrar; reversed dates and none at all are refused at the field", async () => {
  const { asked, address } = open();
  await screen.findByText("486");
  expect(asked("dashboard/figures")).toEqual(["days=7"]);
  await userEvent.click(screen.getByRole("radio", { name: "Por data" }));
  const [from, to] = [
    screen.getAllByLabelText("Data inicial"),
    screen.getAllByLabelText("Data final"),
  ];
  const form = screen.getByRole("form", { name: "Filtro" });
  const [first, last] = [
    within(form).getByLabelText("Data inicial"),
    within(form).getByLabelText("Data final"),
  ];
  expect([from.length, to.length]).toEqual([3, 3]); // the page's and those of both charts
  expect([first, last].map((field) => (field as HTMLInputElement).value)).toEqual([
    "2026-11-01",
    "2026-11-23",
  ]);
  fireEvent.change(last, { target: { value: "2026-10-31" } });
  const apply = within(form).getByRole("button", { name: "Filtrar" });
  await userEvent.click(apply);
  expect(await within(form).findByText("A data final vem antes da inicial")).toBeTruthy();
  expect(document.activeElement).toBe(last);
  fireEvent.change(first, { target: { value: "" } });
  await userEvent.click(apply);
  expect((await screen.findAllByText("Parametrize o filtro")).length).toBeGreaterThan(0);
  expect(asked("dashboard/figures")).toEqual(["days=7"]);
  fireEvent.change(first, { target: { value: "2026-10-05" } });
  await userEvent.click(apply);
  await waitFor(() =>
    expect(asked("dashboard/figures").at(-1)).toBe("dateFrom=2026-10-05&dateTo=2026-10-31"),
  );
  expect(address()).toBe(addressWith("/", { dateFrom: "2026-10-05", dateTo: "2026-10-31" }));
});

test("a chosen queue narrows all that is read, and the same filter reads again", async () => {
  const { asked } = open();
  await screen.findByText("486");
  const form = screen.getByRole("form", { name: "Filtro" });
  await userEvent.click(within(form).getByRole("button", { name: "Fila: todas" }));
  await userEvent.click(await screen.findByRole("menuitemcheckbox", { name: "Vendas" }));
  await userEvent.keyboard("{Escape}");
  expect(within(form).getByRole("button", { name: "Fila: Vendas" })).toBeTruthy();
  await userEvent.click(within(form).getByRole("button", { name: "Filtrar" }));
  await waitFor(() => expect(asked("figures").at(-1)).toBe("days=7&queueIds=[1]"));
  expect(asked("dashboard/now").at(-1)).toBe("queueIds=[1]");
  const before = asked("figures").length;
  await userEvent.click(
    within(screen.getByRole("form", { name: "Filtro" })).getByRole("button", { name: "Filtrar" }),
  );
  await waitFor(() => expect(asked("figures")).toHaveLength(before + 1));
});

test("a block that fails says so alone and tries again", async () => {
  let isBroken = true;
  open({
    "GET /api/dashboard/figures": () =>
      isBroken ? { status: 500, body: { error: "ERR_INTERNAL" } } : { body: figures() },
  });
  expect(await screen.findByRole("region", { name: "Agora" })).toBeTruthy();
  const attendants = within(screen.getByRole("region", { name: "Atendentes" }));
  expect(await attendants.findByText(/Erro ao buscar informações dos tickets/)).toBeTruthy();
  expect(screen.getByText(/Erro ao obter informações da conversa/)).toBeTruthy();
  isBroken = false;
  await userEvent.click(attendants.getByRole("button", { name: "Tentar de novo" }));
  expect(await screen.findByText("486")).toBeTruthy();
  expect(screen.queryByRole("alert")).toBeNull();
});

test("attendants are sorted by each column, six at first; removed ones and presence are in words", async () => {
  const users = [
    ...[1, 2, 3, 4, 5].map((id) => user(id, `Pessoa ${id}`, { resolved: id })),
    user(6, "Tiago Farias", { resolved: 0, ...nothing, online: false }),
    user(7, "Paulo Sá", { resolved: 90, isRemoved: true }),
  ];
  const { address } = open({ "GET /api/dashboard/figures": () => ({ body: figures({ users }) }) });
  const table = within(await screen.findByRole("table", { name: "Atendentes" }));
  const names = () =>
    // After the two initials of the avatar.
    table.getAllByRole("rowheader").map(({ textContent }) => textContent.slice(2));
  expect(names()[0]).toContain("(removido)");
  expect(names()).toHaveLength(6);
  await userEvent.click(screen.getByRole("button", { name: "Ver os 7" }));
  expect(names()).toHaveLength(7);
  expect(table.getByText("offline")).toBeTruthy();
  expect(table.getAllByText("sem dados")).toHaveLength(3);
  await userEvent.click(table.getByRole("button", { name: "Finalizados" }));
  await waitFor(() => expect(address()).toBe("/?sort=resolved"));
  expect(names()[0]).toContain("Tiago Farias");
  expect(screen.getByText("por finalizados")).toBeTruthy();
});

test("a chart has dates of its own, is a table, and is walked through with the arrow keys", async () => {
  const { asked } = open({
    "GET /api/dashboard/by-time": () => ({
      body: {
        period: {
          ...figures().period,
          from: "2026-11-20",
          to: "2026-11-20",
          days: 1,
          unit: "hour",
        },
        series: [9, 10].map((hour) => ({
          ...{ from: "2026-11-20", to: "2026-11-20", hour, attendances: hour, resolved: 1 },
        })),
      },
    }),
  });
  const chart = within(await screen.findByRole("region", { name: "Atendimentos por dia" }));
  await chart.findByRole("link", { name: /17\/11/ });
  const today = chart.getByRole("link", { name: "segunda, 23/11: 23 atendimentos" });
  expect(chart.getAllByRole("link").filter(({ tabIndex }) => tabIndex === 0)).toEqual([today]);
  act(() => today.focus());
  await userEvent.keyboard("{ArrowLeft}{ArrowLeft}");
  expect(document.activeElement?.firstElementChild?.textContent).toBe(
    "sábado, 21/11: 21 atendimentos",
  );
  await userEvent.keyboard("{Home}");
  expect(document.activeElement?.firstElementChild?.textContent).toBe(
    "terça, 17/11: 17 atendimentos",
  );
  await userEvent.click(chart.getByRole("button", { name: "Ver como tabela" }));
  expect(chart.getAllByRole("row")[1]?.textContent).toBe("terça, 17/111716");
  for (const name of ["Data inicial", "Data final"]) {
    fireEvent.change(chart.getByLabelText(name), { target: { value: "2026-11-20" } });
  }
  await userEvent.click(chart.getByRole("button", { name: "Filtrar" }));
  const hours = within(await screen.findByRole("region", { name: "Atendimentos por hora" }));
  expect(asked("by-time")).toEqual(["dateFrom=2026-11-20&dateTo=2026-11-20"]);
  expect(asked("figures")).toHaveLength(1);
  expect(hours.getAllByRole("row").map(({ textContent }) => textContent)).toContain("9 h91");
});

test("the heat map goes by weekdays and hours; its table has the 168 numbers", async () => {
  open();
  const map = within(await screen.findByRole("region", { name: "Quando as conversas chegam" }));
  const busiest = await map.findByRole("link", { name: "quinta, 11 h: 19 atendimentos" });
  act(() => busiest.focus());
  await userEvent.keyboard("{ArrowDown}{ArrowRight}");
  expect(document.activeElement?.getAttribute("aria-label")).toBe("sexta, 12 h: 1 atendimento");
  await userEvent.click(map.getByRole("button", { name: "Ver como tabela" }));
  expect(map.getAllByRole("cell")).toHaveLength(168);
});

test("the sheet of a narrow screen filters, and a chip names what is set", async () => {
  vi.spyOn(window, "matchMedia").mockImplementation((query) => {
    const nothing = (): void => undefined;
    const list = { matches: query.includes("max-width"), media: query, onchange: null };
    return Object.assign(new EventTarget(), list, {
      addListener: nothing,
      removeListener: nothing,
    });
  });
  const { asked } = open({}, addressWith("/", { days: 7, queueIds: [1] }));
  await screen.findByText("486");
  expect(await screen.findByRole("button", { name: "Fila: Vendas" })).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Filtro" }));
  const sheet = within(await screen.findByRole("dialog", { name: "Filtro" }));
  await userEvent.selectOptions(sheet.getByRole("combobox", { name: "Período" }), "30");
  await userEvent.click(sheet.getByRole("button", { name: "Filtrar" }));
  await waitFor(() => expect(asked("figures").at(-1)).toBe("days=30&queueIds=[1]"));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("an empty company has numbers, words and no comparison", async () => {
  const empty = figures({
    ...{ measures: { ...figures().measures, ...nothing }, unhappyAfterWait: 0, users: [] },
    ...{ before: { from: "2026-11-10", to: "2026-11-16", measures: null }, queues: [] },
    totals: { connections: 31, companies: 12 },
  });
  open({
    "GET /api/dashboard/figures": () => ({ body: empty }),
    "GET /api/dashboard/now": () => ({
      body: now({
        waiting: { count: 0, hourAgo: 0, longest: null },
        queues: [queue(1, "Vendas", 0, 0)],
      }),
    }),
  });
  const cards = within(await screen.findByRole("region", { name: "Números do período" }));
  expect(cards.getAllByText("sem comparação")).toHaveLength(7);
  expect(cards.getAllByText("sem dados")).toHaveLength(4);
  expect(cards.getByText("Empresas")).toBeTruthy();
  expect(screen.getAllByText("Ninguém está esperando").length).toBe(2);
});

describe("the rules of the figures", () => {
  test.each([
    [0, 1, 1],
    [3, 1, 3],
    [112, 40, 120],
    [142, 50, 150],
    [999, 400, 1_200],
  ])("a scale for %d has round steps", (most, step, top) => {
    expect(scaleOf(most)).toEqual({ step, top });
  });

  const seconds = { isHigherBetter: false, step: 60, write: String };
  test.each([
    [{ now: 360, before: 480 }, "down", "better"],
    [{ now: 1_440, before: 1_320 }, "up", "worse"],
    [{ now: 2_000, before: 1_940 }, "up", null],
    [{ now: 480, before: 480 }, null, null],
  ] as const)("a time is better when it is shorter: %o", (compared, direction, verdict) => {
    expect(valueChange(compared, seconds)).toMatchObject({ direction, verdict });
  });

  test("a plain count is neither better nor worse, and nothing before compares with nothing", () => {
    expect(countChange({ now: 486, before: 434 })).toMatchObject({ amount: "12%", verdict: null });
    expect(countChange({ now: 5, before: 0 })).toMatchObject({ direction: null, before: "0" });
    expect(countChange({ now: 5, before: null })).toBeNull();
  });

  test("attendances without an attendant stand last in every order", () => {
    const none = user(0, "", { id: null, resolved: 900 });
    const rows = [none, user(1, "Bia"), user(2, "Ana", { resolved: 51 })];
    const order = (by: "name" | "resolved", descending: boolean) =>
      sortedUsers(rows, { by, descending }).map(({ name }) => name);
    expect(order("resolved", true)).toEqual(["Ana", "Bia", ""]);
    expect(order("name", false)).toEqual(["Ana", "Bia", ""]);
    expect(order("name", true)).toEqual(["Bia", "Ana", ""]);
  });

  test.each([
    ["", { days: 7 }],
    ["no JSON", { days: 7 }],
    ['{"days":99999,"queueIds":["x",-1,3,3],"hour":24,"rates":[4]}', { days: 7, queueIds: [3] }],
    ['{"dateFrom":"2026-02-31x","dateTo":"2026-11-01"}', { days: 7 }],
    ['{"days":30,"dateFrom":"2026-11-01","dateTo":"2026-11-02"}', { days: 30 }],
    ['{"userIds":[null,2],"tagIds":[null],"state":"all"}', { days: 7, userIds: [null, 2] }],
  ])(
    "a filter of an address that somebody wrote is read without what is wrong: %s",
    (text, filter) => {
      expect(readFilter(text)).toEqual(filter);
      expect(readFilter(writeFilter(filter))).toEqual(filter);
    },
  );
});
