import type { FirstSteps as Reply } from "@balcao/contract";
import { companyEvent } from "@balcao/contract";
import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Suspense, useState } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { Router } from "../../router/index.tsx";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { memorySteps } from "../../testing/memory-steps.ts";
import { sockets } from "../../testing/sockets.ts";
import { LiveSession, useSession, useStoredSession } from "../auth/index.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { useHiddenSteps } from "./hidden-steps.tsx";
import { FirstSteps, mayHaveSteps } from "./index.ts";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const KEY = "balcao.steps.3";
const memory = (): string | null => localStorage.getItem(KEY);

const begun: Reply["steps"] = {
  connection: { name: "Loja Centro", number: "5511940000001" },
  ...{ queue: { name: "Vendas" }, hours: null, team: null, simulator: null },
};
const done: Reply["steps"] = {
  ...begun,
  ...{ hours: "company", team: { name: "Beatriz", others: 2 }, simulator: { name: "Ana" } },
};
/** Until the end of Sunday, 22/11/2026, in the company's calendar. */
const trial = { endsAt: "2026-11-23T02:59:59.999Z", plan: "Equipe", value: 199.9 };

type Shown = Partial<Reply> & { steps: Reply["steps"] };

/** What the server says can be changed. */
function open(first: Shown, { isInList = false } = {}) {
  const server = { reply: first };
  const { requests } = fakeServer({
    "GET /api/first-steps": () => ({
      body: { holidays: { national: {}, own: [] }, trial: null, ...server.reply },
    }),
    "PUT /api/companies/3/schedules": () => ({ body: {} }),
    "PUT /api/settings/scheduleType": () => {
      server.reply = { steps: { ...first.steps, hours: "company" } };
      return { body: {} };
    },
  });
  const steps = memorySteps("/tickets");
  renderOnCache(
    <Router steps={steps}>
      <Screen isInList={isInList} />
    </Router>,
  );
  return {
    ...{ server, address: () => steps.current() },
    calls: (call: string) => requests.filter((one) => one.call === call),
    /** Leaves the page and comes back. */
    async visitAgain() {
      await userEvent.click(screen.getByRole("button", { name: "elsewhere" }));
      await userEvent.click(screen.getByRole("button", { name: "back" }));
    },
  };
}

/** The place of the steps, and a menu. */
function Screen({ isInList }: { isInList: boolean }) {
  const stored = useStoredSession();
  const [isThere, setThere] = useState(true);
  const session = useSession();
  const hidden = useHiddenSteps();
  return (
    <>
      {stored ? <LiveSession session={stored} /> : null}
      {hidden === null ? null : <button onClick={hidden.show}>{hidden.words}</button>}
      <button onClick={() => setThere(!isThere)}>{isThere ? "elsewhere" : "back"}</button>
      <Suspense fallback={null}>
        {isThere && mayHaveSteps(session) ? <FirstSteps isInList={isInList} /> : null}
      </Suspense>
    </>
  );
}

beforeEach(() => {
  // Thursday, 19/11/2026, 9:00 in the company's calendar.
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-19T12:00:00.000Z") });
  localStorage.removeItem(KEY);
  localStorage.removeItem(`${KEY}.seen`);
  startSession(givenToken("t", 3_600), givenUser());
});
afterEach(() => {
  cleanup();
  endSession("logout");
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const card = () => screen.findByRole("region", { name: "Primeiros passos" });

test("done steps say what is there, the first undone one is open, and each leads to its page", async () => {
  open({ steps: begun });
  const list = within(await card());
  expect(list.getByRole("status").textContent).toBe("2 de 5");
  expect(list.getByText("Cerca de 6 minutos até a primeira conversa.")).toBeTruthy();
  const [connection, queue, hours, team, simulator] = list.getAllByRole("listitem");
  expect(connection?.textContent).toContain("Loja Centro, +55 11 94000-0001");
  expect(queue?.textContent).toContain("Vendas");
  expect(hours?.getAttribute("aria-current")).toBe("step");
  expect(hours?.textContent).toContain("10 nacionais");
  expect(team?.getAttribute("aria-current")).toBeNull();
  const linkOf = (step: HTMLElement | undefined) =>
    within(step!).getByRole("link").getAttribute("href");
  expect([connection, queue, team, simulator].map(linkOf)).toEqual([
    ...["/connections", "/queues", "/users?new", "/simulator"],
  ]);
  expect(screen.queryByText(/de teste/)).toBeNull();
});

test("the proposed hours are saved by one press, and the company works by them", async () => {
  const { calls } = open({ steps: begun });
  await userEvent.click(await screen.findByRole("button", { name: "Usar este horário" }));
  expect(await screen.findByText("Horário salvo")).toBeTruthy();
  const [saved] = calls("PUT /api/companies/3/schedules");
  type Hours = { schedules: { startTime: string; endTime: string }[] };
  const schedules = (saved?.body as Hours | undefined)?.schedules ?? [];
  expect(schedules).toHaveLength(7);
  expect(schedules[0]).toMatchObject({
    ...{ weekdayEn: "monday", startTime: "09:00", endTime: "12:00" },
    ...{ startTimeB: "13:00", endTimeB: "18:00" },
  });
  expect(schedules[5]).toMatchObject({ startTime: "09:00", endTime: "13:00" });
  expect(schedules[6]?.startTime).toBe(schedules[6]?.endTime);
  expect(calls("PUT /api/settings/scheduleType")[0]?.body).toEqual({ value: "company" });
  await waitFor(() =>
    expect(screen.getAllByRole("listitem")[3]?.getAttribute("aria-current")).toBe("step"),
  );
  expect(document.activeElement?.textContent).toBe("Primeiros passos");
});

test("another step can be opened before those above it", async () => {
  open({ steps: { ...begun, queue: null } });
  const list = within(await card());
  expect(list.queryByRole("button", { name: "Usar este horário" })).toBeNull();
  await userEvent.click(list.getByRole("button", { name: "Definir" }));
  expect(list.getByRole("button", { name: "Usar este horário" })).toBeTruthy();
});

test("a step ticks itself when a colleague has done it", async () => {
  const { server, calls } = open({ steps: begun });
  await card();
  // The line is there once everything on the screen has been read again.
  await waitFor(() => {
    act(() => sockets.at(-1)?.receive("ready"));
    expect(calls("GET /api/first-steps").length).toBeGreaterThan(1);
  });
  server.reply = { steps: { ...begun, team: { name: "Beatriz", others: 0 } } };
  act(() =>
    sockets
      .at(-1)
      ?.receive(companyEvent(3, "user"), { action: "create", user: givenUser({ id: 9 }) }),
  );
  expect(await screen.findByText("Beatriz")).toBeTruthy();
  expect(within(await card()).getByRole("status").textContent).toBe("3 de 5");
});

test.each([
  [trial, "3 dias de teste. Depois, plano Equipe por R$ 199,90 ao mês."],
  [{ ...trial, plan: "Plano Ouro", value: 0 }, "3 dias de teste. Depois, Plano Ouro, sem custo."],
  [
    { ...trial, endsAt: "2026-11-20T02:59:59.999Z" },
    "O teste termina hoje. Depois, plano Equipe por R$ 199,90 ao mês.",
  ],
])("the trial %j is told as %j", async (of, words) => {
  const { address } = open({ steps: begun, trial: of });
  const line = await screen.findByText(/teste/);
  expect(line.parentElement?.textContent.replaceAll("\u00A0", " ")).toBe(words);
  await userEvent.click(screen.getByRole("button", { name: "Ver assinatura" }));
  expect(address().pathname).toBe("/subscription");
});

test("the list can be hidden, and comes back by the menu, which says how far it is", async () => {
  const { address, calls } = open({ steps: begun });
  await userEvent.click(await screen.findByRole("button", { name: "Esconder a lista" }));
  expect(screen.queryByRole("region")).toBeNull();
  expect(memory()).toBe("hidden");
  await userEvent.click(screen.getByRole("button", { name: "elsewhere" }));
  const entry = await screen.findByRole("button", { name: "Primeiros passos, 2 de 5" });
  await userEvent.click(entry);
  expect(address()).toMatchObject({ pathname: "/tickets", state: "ticket" });
  await userEvent.click(screen.getByRole("button", { name: "back" }));
  await card();
  expect(screen.queryByRole("button", { name: /^Primeiros passos/ })).toBeNull();
  expect(calls("GET /api/first-steps").length).toBeGreaterThan(0);
});

test("after the fifth step everything is ready, which is said once; then nothing is asked any more", async () => {
  const page = open({ steps: begun });
  await card();
  page.server.reply = { steps: done };
  await page.visitAgain();
  expect(await screen.findByRole("heading", { name: "Tudo pronto" })).toBeTruthy();
  expect(screen.getByRole("button", { name: "Ir para os atendimentos" })).toBeTruthy();
  expect(memory()).toBeNull();
  await page.visitAgain();
  await waitFor(() => expect(memory()).toBe("done"));
  expect(screen.queryByText("Tudo pronto")).toBeNull();
  const asked = page.calls("GET /api/first-steps").length;
  await page.visitAgain();
  expect(page.calls("GET /api/first-steps")).toHaveLength(asked);
});

test("its button ends it at once", async () => {
  const page = open({ steps: begun });
  await card();
  page.server.reply = { steps: done };
  await page.visitAgain();
  await userEvent.click(await screen.findByRole("button", { name: "Ir para os atendimentos" }));
  expect(screen.queryByText("Tudo pronto")).toBeNull();
  expect([memory(), page.address().pathname]).toEqual(["done", "/tickets"]);
});

test("a company that was done before is told nothing, and is asked once", async () => {
  const page = open({ steps: done });
  await waitFor(() => expect(memory()).toBe("done"));
  expect(screen.queryByText("Tudo pronto")).toBeNull();
  await page.visitAgain();
  expect(page.calls("GET /api/first-steps")).toHaveLength(1);
});

test.each(["user", "supervisor"] as const)("a %s has no first steps", (profile) => {
  startSession(givenToken("t", 3_600), givenUser({ profile }));
  const { calls } = open({ steps: begun });
  expect(screen.getByRole("button", { name: "elsewhere" })).toBeTruthy();
  expect(calls("GET /api/first-steps")).toEqual([]);
});

test("the empty list of a narrow screen leads to the steps, and to the word that all is ready", async () => {
  const page = open({ steps: begun }, { isInList: true });
  await userEvent.click(await screen.findByRole("button", { name: "Ver primeiros passos" }));
  expect(page.address()).toMatchObject({ pathname: "/tickets", state: "ticket" });
  page.server.reply = { steps: done };
  await page.visitAgain();
  await waitFor(() => expect(page.calls("GET /api/first-steps")).toHaveLength(2));
  expect(screen.getByRole("button", { name: "Ver primeiros passos" })).toBeTruthy();
  expect(localStorage.getItem(`${KEY}.seen`)).toBe("undone");
});
