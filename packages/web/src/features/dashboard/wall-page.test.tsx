import { QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { queryClient } from "../../api/query-client.ts";
import { endSession } from "../../api/session-store.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { sockets } from "../../testing/sockets.ts";
import { addressWith } from "../reports/index.ts";
import { at, member, now, signIn, standing } from "./testing/given-figures.ts";
import { WallPage } from "./wall-page.tsx";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const people = ["Ana", "Bia", "Caio", "Davi", "Eva", "Fábio", "Gil"];
const team = people.map((name, index) =>
  member(index + 1, name, index === 4 ? { online: false, lastSeenAt: at } : {}),
);

async function open(address = "/wall", reply: object = { team }) {
  let current = now(reply);
  const server = fakeServer({
    ...standing,
    "GET /api/dashboard/now": () => ({ body: current }),
  });
  signIn();
  const page = renderRoutes(
    [
      {
        path: "/wall",
        // The one that events read again.
        element: (
          <QueryClientProvider client={queryClient}>
            <WallPage />
          </QueryClientProvider>
        ),
      },
      { path: "*", element: null },
    ],
    address,
  );
  await screen.findByText("Aguardando");
  const reads = () => server.requests.filter(({ call }) => call.includes("dashboard/now"));
  return { ...page, reads, change: (next: object) => void (current = now({ team, ...next })) };
}

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: Date.parse(at) });
});
afterEach(() => {
  vi.useRealTimers();
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

test("the wall says what goes on in words that hold without colours, and follows events without asking", async () => {
  const { reads, change } = await open(addressWith("/wall", { queueIds: [1] }));
  expect(reads().map(({ call }) => decodeURIComponent(call))).toEqual([
    "GET /api/dashboard/now?queueIds=[1]",
  ]);
  expect(screen.getByText("segunda, 23 de novembro")).toBeTruthy();
  expect(screen.getByText("há 56 min")).toBeTruthy();
  expect(screen.getByText("até 8 min")).toBeTruthy();
  // The connections are a call of their own.
  expect(await screen.findByText("Loja Centro fora desde 14:02")).toBeTruthy();
  expect(screen.getByText("11 h: 13 conversas, em média 2")).toBeTruthy();
  expect(screen.queryAllByRole("link")).toEqual([]);
  await waitFor(() => expect(sockets.length).toBe(1));
  act(() => sockets[0]?.receive("ready"));
  await waitFor(() => expect(reads().length).toBeGreaterThan(1));
  const known = reads().length;
  await act(() => vi.advanceTimersByTimeAsync(61_000));
  expect(reads()).toHaveLength(known);
  change({ open: { count: 32, unanswered: 5 } });
  act(() => sockets[0]?.receive("company-3-figures", { action: "update" }));
  expect(await screen.findByText("32")).toBeTruthy();
});

test("a lost connection is told after ten seconds, with the numbers still there", async () => {
  await open();
  await waitFor(() => expect(sockets.length).toBeGreaterThan(0));
  act(() => sockets.at(-1)?.receive("ready"));
  expect(await screen.findByText("Ao vivo")).toBeTruthy();
  act(() => sockets.at(-1)?.receive("disconnect"));
  await act(() => vi.advanceTimersByTimeAsync(9_000));
  expect(screen.getByText("Ao vivo")).toBeTruthy();
  await act(() => vi.advanceTimersByTimeAsync(2_000));
  expect(screen.getByText(/^Parado desde 16:4\d$/)).toBeTruthy();
  expect(screen.getByText("31")).toBeTruthy();
});

test("the team takes turns of five; without motion the others are counted", async () => {
  await open();
  const names = () =>
    within(screen.getByRole("region", { name: "Equipe" }))
      .getAllByRole("listitem")
      .map(({ textContent }) => people.find((name) => textContent.includes(name)));
  expect(names()).toEqual(people.slice(0, 5));
  expect(screen.getByText("Vendas, offline desde 16:40")).toBeTruthy();
  await act(() => vi.advanceTimersByTimeAsync(15_000));
  expect(names()).toEqual(people.slice(5));
  cleanup();
  queryClient.clear();
  vi.spyOn(window, "matchMedia").mockImplementation((query) => {
    const nothing = (): void => undefined;
    const list = { matches: query.includes("reduced-motion"), media: query, onchange: null };
    return Object.assign(new EventTarget(), list, {
      addListener: nothing,
      removeListener: nothing,
    });
  });
  await open();
  await act(() => vi.advanceTimersByTimeAsync(15_000));
  expect(names()).toEqual(people.slice(0, 5));
  expect(screen.getByText("e mais 2")).toBeTruthy();
});

test("names of customers can be hidden, the pointer hides by itself, and Esc leaves", async () => {
  const { address } = await open(addressWith("/wall", { queueIds: [1] }));
  const wall = screen.getByRole("main");
  expect(screen.getByText(/Renata Figueiredo/)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Esconder nomes de clientes" }));
  await waitFor(() => expect(address()).toContain("names=off"));
  expect(screen.queryByText(/Renata Figueiredo/)).toBeNull();
  expect(screen.getByText(/Financeiro/)).toBeTruthy();
  await act(() => vi.advanceTimersByTimeAsync(5_100));
  expect(wall.dataset["still"]).toBe("true");
  fireEvent.pointerMove(wall);
  expect(wall.dataset["still"]).toBeUndefined();
  await userEvent.keyboard("{Escape}");
  await waitFor(() => expect(address()).toBe(addressWith("/", { queueIds: [1] })));
});

test("the wall is dark, unless the user has chosen light", async () => {
  localStorage.removeItem("balcao.theme");
  await open();
  expect(screen.getByRole("main").dataset["mantineColorScheme"]).toBe("dark");
  cleanup();
  localStorage.setItem("balcao.theme", "light");
  await open();
  expect(screen.getByRole("main").dataset["mantineColorScheme"]).toBe("light");
  localStorage.removeItem("balcao.theme");
});
