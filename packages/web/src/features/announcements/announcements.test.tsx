import type { Announcement } from "@balcao/contract";
import { announcement } from "@balcao/contract";
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { currentSession, endSession, startSession } from "../../api/session-store.ts";
import { Router } from "../../router/index.tsx";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { memorySteps } from "../../testing/memory-steps.ts";
import { sockets } from "../../testing/sockets.ts";
import { LiveSession } from "../auth/index.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { AnnouncementNews } from "./announcement-news.tsx";
import { AnnouncementsButton } from "./index.ts";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

beforeEach(() => startSession(givenToken("t", 3_600), givenUser()));
afterEach(() => {
  cleanup();
  endSession("logout");
});

function given(id: number, fields: Partial<Announcement> = {}): Announcement {
  const at = `2026-11-20T10:00:${10 + id}.000Z`;
  return announcement.parse({
    ...{ id, title: `Aviso ${id}`, text: `Texto ${id}`, priority: 3, status: true },
    ...{ mediaPath: null, mediaName: null, companyId: 1 },
    ...{ publishedAt: at, createdAt: at, updatedAt: at, ...fields },
  });
}

type Given = { records?: Announcement[]; newIds?: number[]; fails?: boolean };

async function open({ records = [], newIds = [], fails = false }: Given = {}) {
  const state = { records, newIds };
  const server = fakeServer({
    "GET /api/announcements": () =>
      fails
        ? { status: 503, body: { error: "ERR_UNAVAILABLE" } }
        : { body: { records: state.records, count: state.records.length, hasMore: false } },
    "GET /api/announcements/unseen": () => ({
      body: {
        seenUntil: null,
        unseen: state.records
          .filter(({ id }) => newIds.includes(id))
          .map(({ id, publishedAt }) => ({ id, publishedAt })),
      },
    }),
    "PUT /api/announcements/seen": () => ({ body: { seenUntil: "2026-11-20T10:00:59.000Z" } }),
  });
  const session = currentSession();
  if (!session) throw new Error("nobody is signed in");
  renderOnCache(
    <Router steps={memorySteps("/")}>
      <LiveSession session={session} />
      <AnnouncementNews />
      <AnnouncementsButton />
    </Router>,
  );
  await waitFor(() => expect(sockets).toHaveLength(1));
  act(() => sockets[0]?.receive("ready"));
  return { ...server, state };
}

const hear = (event: object) => act(() => sockets[0]?.receive("company-announcement", event));
const press = async (name: string) => userEvent.click(await screen.findByRole("button", { name }));
const cards = async () => within(await list()).findAllByRole("article");
const list = () => screen.findByRole("region", { name: "Avisos" });

describe("the popover", () => {
  test("lists by priority with word and mark; opening it clears the badge, and the mark stays", async () => {
    const records = [given(1, { priority: 1 }), given(2, { priority: 2 }), given(3)];
    const { requests } = await open({ records, newIds: [1] });
    await press("Avisos, 1 novo");
    const read = (await cards()).map(({ textContent }) => textContent);
    expect(read[0]).toContain("Urgente");
    expect(read[0]).toContain("Novo");
    expect(read[1]).toContain("Atenção");
    expect(read[1]).not.toContain("Novo");
    expect(read[2]).toContain("Informativo");
    await waitFor(() => expect(screen.getByRole("button", { name: "Avisos" })).toBeTruthy());
    expect((await cards())[0]?.textContent).toContain("Novo");
    const asked = requests.map(({ call }) => call);
    expect(asked.filter((call) => call.startsWith("PUT"))).toEqual(["PUT /api/announcements/seen"]);
    await press("Avisos");
    await press("Avisos");
    expect((await cards())[0]?.textContent).not.toContain("Novo");
  });

  test("shows three and the new ones first, then all", async () => {
    const records = [1, 2, 3, 4, 5, 6].map((id) => given(id));
    await open({ records, newIds: [4] });
    await press("Avisos, 1 novo");
    expect(await cards()).toHaveLength(4);
    await press("Ver mais 2 avisos");
    expect(await cards()).toHaveLength(6);
  });

  test("a text stays text: line breaks and links only", async () => {
    const text =
      '<script>alert(1)</script> <img src=x onerror="alert(1)">\n*forte* javascript:alert(1) https://balcao.example/a?b=1.';
    await open({ records: [given(1, { text })] });
    await press("Avisos");
    const [card] = await cards();
    if (!card) throw new Error("no card");
    expect(card.textContent).toContain(text);
    expect(card.querySelector("script, img, strong")).toBeNull();
    const links = within(card).getAllByRole("link");
    expect(links.map((link) => link.getAttribute("href"))).toEqual([
      "https://balcao.example/a?b=1",
    ]);
    expect(links[0]?.getAttribute("rel")).toContain("noopener");
  });

  test("more than six lines are read after a press", async () => {
    vi.spyOn(HTMLElement.prototype, "scrollHeight", "get").mockReturnValue(200);
    await open({ records: [given(1)] });
    await press("Avisos");
    await press("Ler tudo");
    expect(screen.queryByRole("button", { name: "Ler tudo" })).toBeNull();
    vi.restoreAllMocks();
  });

  test("an image has the title as its text, and opens", async () => {
    await open({
      records: [given(1, { mediaPath: "/public/company1/a.png", mediaName: "a.png" })],
    });
    await press("Avisos");
    await press("Abrir a imagem de Aviso 1");
    await waitFor(() => expect(screen.getAllByAltText("Aviso 1").length).toBeGreaterThan(1));
    fireEvent.keyDown(document.activeElement ?? document.body, { key: "Escape" });
  });

  test("says that there is nothing, or that it could not be read", async () => {
    await open();
    await press("Avisos");
    expect(await screen.findByText("Nenhum aviso")).toBeTruthy();
  });

  test("says that they could not be read, and tries again", async () => {
    await open({ fails: true });
    await press("Avisos");
    expect(await screen.findByText("Não foi possível ler os avisos.")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Tentar de novo" })).toBeTruthy();
  });
});

describe("an announcement that comes live", () => {
  test("is counted and said politely; deleted or deactivated it leaves the list at once", async () => {
    const { state } = await open({ records: [given(1)] });
    await press("Avisos");
    expect(await cards()).toHaveLength(1);
    const record = given(2, { publishedAt: "2026-11-21T10:00:00.000Z" });
    state.records = [record, given(1)];
    hear({ action: "create", record });
    expect(await screen.findByText("Novo aviso: Aviso 2")).toBeTruthy();
    await waitFor(async () => expect((await cards())[0]?.textContent).toContain("Novo"));
    state.records = [given(1)];
    hear({ action: "delete", id: 2 });
    await waitFor(async () => expect(await cards()).toHaveLength(1));
  });

  test("with priority 1 is also a toast that opens the list", async () => {
    const { state } = await open();
    await screen.findByRole("button", { name: "Avisos" });
    await waitFor(() => expect(screen.getByRole("button", { name: "Avisos" })).toBeTruthy());
    const record = given(2, { priority: 1 });
    state.records = [record];
    await waitFor(() => {
      hear({ action: "delete", id: 2 });
      hear({ action: "create", record });
      expect(screen.getByRole("button", { name: "Avisos, 1 novo" })).toBeTruthy();
    });
    await userEvent.click(await screen.findByRole("button", { name: "Ver" }));
    expect((await cards())[0]?.textContent).toContain("Urgente");
  });

  test("was seen in another window: the badge goes here too", async () => {
    await open({ records: [given(1)], newIds: [1] });
    await screen.findByRole("button", { name: "Avisos, 1 novo" });
    act(() =>
      sockets[0]?.receive("company-3-announcementsSeen", {
        ...{ action: "update", seenUntil: given(1).publishedAt },
      }),
    );
    expect(await screen.findByRole("button", { name: "Avisos" })).toBeTruthy();
  });
});
