import type { Help } from "@balcao/contract";
import { help } from "@balcao/contract";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Suspense } from "react";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { videoCodeIn } from "./api.ts";
import { HelpsPage } from "./helps-page.tsx";
import { HelpVideos } from "./index.ts";

const code = "aqz-KE-bpKQ";
const at = "2026-11-20T10:00:00.000Z";
const given = (id: number, title: string): Help =>
  help.parse({
    id,
    title,
    description: "Em dois minutos",
    video: code,
    createdAt: at,
    updatedAt: at,
  });

beforeEach(() => startSession(givenToken("t", 3_600), givenUser({ super: true })));
afterEach(() => {
  cleanup();
  endSession("logout");
});

test.each([
  [code, code],
  [`  ${code} `, code],
  [`https://www.youtube.com/watch?v=${code}&t=12s`, code],
  [`youtube.com/watch?list=x&v=${code}`, code],
  [`https://m.youtube.com/watch?v=${code}`, code],
  [`https://youtu.be/${code}?si=abc`, code],
  [`https://www.youtube.com/embed/${code}`, code],
  [`https://www.youtube.com/shorts/${code}`, code],
  [`https://www.youtube.com/live/${code}?feature=share`, code],
  [`https://www.youtube-nocookie.com/embed/${code}`, code],
  ["", null],
  ["abc", null],
  ["https://www.youtube.com/", null],
  [`https://evil.example/watch?v=${code}`, null],
  [`https://youtube.com.evil.example/watch?v=${code}`, null],
  [`javascript:alert("${code}")`, null],
  ['"><script>alert(1)</script>', null],
  ["https://youtu.be/<script>", null],
])("the code in %j is %j", (typed, found) => {
  expect(videoCodeIn(typed)).toBe(found);
});

describe("the page", () => {
  test("plays a video after a press only, from the host that sets no cookies", async () => {
    fakeServer({
      "GET /api/helps/list": () => ({ body: [given(1, "Início"), given(2, "Filas")] }),
    });
    renderOnCache(<HelpsPage />);
    const posters = await screen.findAllByRole("button", { name: /^Assistir: / });
    expect(document.querySelector("iframe, img")).toBeNull();
    await userEvent.click(posters[0] ?? document.body);
    const player = screen.getByTitle<HTMLIFrameElement>("Vídeo: Início");
    expect(player.src).toBe(`https://www.youtube-nocookie.com/embed/${code}?autoplay=1&rel=0`);
    await userEvent.click(screen.getByRole("button", { name: "Assistir: Filas" }));
    expect(document.querySelectorAll("iframe")).toHaveLength(1);
  });

  test("says that there is no video, or that the list could not be read", async () => {
    let fails = true;
    fakeServer({
      "GET /api/helps/list": () =>
        fails ? { status: 503, body: { error: "ERR_UNAVAILABLE" } } : { body: [] },
    });
    renderOnCache(<HelpsPage />);
    expect(await screen.findByText("Não foi possível carregar a lista de registros")).toBeTruthy();
    fails = false;
    await userEvent.click(screen.getByRole("button", { name: "Tentar de novo" }));
    expect(await screen.findByText("Nenhum vídeo de ajuda")).toBeTruthy();
  });
});

describe("the tab of super users", () => {
  function open(refusal?: string) {
    const server = fakeServer({
      "GET /api/helps/list": () => ({ body: [given(1, "Início")] }),
      "POST /api/helps": () =>
        refusal ? { status: 400, body: { error: refusal } } : { body: given(2, "Filas") },
      "DELETE /api/helps/1": () => ({ body: { message: "Help deleted" } }),
    });
    renderOnCache(
      <Suspense fallback={null}>
        <HelpVideos />
      </Suspense>,
    );
    return server;
  }

  const rows = () =>
    screen
      .getAllByRole("row")
      .slice(1)
      .map(({ textContent }) => textContent);

  async function fill() {
    await userEvent.click(await screen.findByRole("button", { name: "Adicionar" }));
    const form = within(await screen.findByRole("dialog", { name: "Novo vídeo" }));
    await userEvent.type(form.getByLabelText("Título"), "Filas");
    await userEvent.type(form.getByLabelText("Código do vídeo"), `https://youtu.be/${code}`);
    return form;
  }

  test("takes the code out of an address, and refuses what has none", async () => {
    const { requests } = open();
    const form = await fill();
    const field = form.getByLabelText("Código do vídeo");
    await userEvent.clear(field);
    await userEvent.type(field, "meu vídeo");
    await userEvent.click(form.getByRole("button", { name: "Salvar" }));
    expect(
      await form.findByText("Este não é o código nem o endereço de um vídeo do YouTube"),
    ).toBeTruthy();
    await userEvent.clear(field);
    await userEvent.type(field, `https://youtu.be/${code}`);
    await userEvent.click(form.getByRole("button", { name: "Salvar" }));
    await waitFor(() =>
      expect(requests.find(({ call }) => call === "POST /api/helps")).toMatchObject({
        body: { title: "Filas", description: "", video: code },
      }),
    );
    await waitFor(() =>
      expect(rows()).toEqual([/Filas/, /Início/].map((text) => expect.stringMatching(text))),
    );
  });

  test("says with the product's words that a video could not be saved", async () => {
    open("ERR_INVALID_REQUEST");
    const form = await fill();
    await userEvent.click(form.getByRole("button", { name: "Salvar" }));
    expect(await form.findByText(/^Não foi possível realizar a operação\. Verifique/)).toBeTruthy();
  });

  test("deletes a video after a question", async () => {
    const { requests } = open();
    await userEvent.click(await screen.findByRole("button", { name: "Excluir Início" }));
    const question = within(await screen.findByRole("dialog", { name: "Excluir o vídeo Início?" }));
    await userEvent.click(question.getByRole("button", { name: "Excluir" }));
    await screen.findByText("Nenhum registro");
    expect(requests.some(({ call }) => call === "DELETE /api/helps/1")).toBe(true);
  });
});
