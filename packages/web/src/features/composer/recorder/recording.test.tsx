import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../../api/session-store.ts";
import { createFakeSocket } from "../../../testing/fake-socket.ts";
import type { FakeUpload } from "../../../testing/fake-uploads.ts";
import { fakeUploads } from "../../../testing/fake-uploads.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { composerServer } from "../testing/composer-server.ts";
import { fakeMicrophone } from "../testing/fake-microphone.ts";
import { field, renderComposer } from "../testing/render-composer.tsx";
import { levelOf, mp3RateFor, RECORDING_MAX_MS } from "./recorder.ts";

vi.mock("../../../realtime/socket.ts", () => ({ openSocket: () => createFakeSocket() }));

let uploads: FakeUpload[];

beforeEach(() => {
  endSession("logout");
  startSession(givenToken("t"), givenUser());
  composerServer();
  ({ uploads } = fakeUploads());
});

afterEach(() => vi.restoreAllMocks());

const bar = () => screen.queryByRole("group", { name: "Gravando áudio" });

async function record(microphone: ReturnType<typeof fakeMicrophone>): Promise<void> {
  await userEvent.click(screen.getByRole("button", { name: "Gravar áudio" }));
  await waitFor(() => expect(microphone.isOpen()).toBe(true));
  await waitFor(() =>
    expect(document.activeElement?.getAttribute("aria-label")).toBe("Enviar áudio"),
  );
}

test("a recording is sent as mp3 at 128 kbps with the family's file name, and the text stays", async () => {
  const microphone = fakeMicrophone();
  renderComposer();
  await userEvent.type(field(), "rascunho");
  await record(microphone);
  act(() => microphone.sound(2));
  expect(screen.getByText("0:02")).toBeTruthy();
  await userEvent.keyboard("{Enter}");
  await waitFor(() => expect(uploads).toHaveLength(1));
  const file = uploads[0]?.file();
  expect(file?.name).toMatch(/^audio-record-site-\d+\.mp3$/);
  expect(uploads[0]?.field("body")).toBe("");
  expect((file?.size ?? 0) / 16_000).toBeCloseTo(2, 0);
  const head = new Uint8Array((await file?.arrayBuffer()) ?? new ArrayBuffer());
  // MPEG 1 layer 3, 128 kbps, 48 kHz.
  expect([head[0], head[1], (head[2] ?? 0) >> 2]).toEqual([0xff, 0xfb, 0b100101]);
  expect(microphone.isFree()).toBe(true);
  expect(bar()).toBeNull();
  expect(field().value).toBe("rascunho");
});

test("a recording is listened to before it is sent, or discarded", async () => {
  renderComposer();
  for (const name of ["Descartar o áudio", "Enviar áudio"]) {
    const microphone = fakeMicrophone();
    await record(microphone);
    act(() => microphone.sound(2));
    await userEvent.click(screen.getByRole("button", { name: "Parar e ouvir" }));
    await screen.findByRole("group", { name: "Áudio gravado" });
    expect(microphone.isFree()).toBe(true);
    expect(screen.getByRole("button", { name: "Ouvir" })).toBeTruthy();
    expect(uploads).toHaveLength(0);
    await userEvent.click(screen.getByRole("button", { name }));
  }
  await waitFor(() => expect(uploads).toHaveLength(1));
  expect(screen.queryByRole("group", { name: "Áudio gravado" })).toBeNull();
});

test("a recording under 10,000 bytes is dropped with a notice", async () => {
  const microphone = fakeMicrophone();
  renderComposer();
  await record(microphone);
  act(() => microphone.sound(0.3));
  await userEvent.keyboard("{Enter}");
  expect(await screen.findByText("Áudio muito curto: nada foi enviado.")).toBeTruthy();
  expect(uploads).toEqual([]);
  expect(microphone.isFree()).toBe(true);
});

test.each(["{Escape}", "Cancelar"])(
  "%s ends it, sends nothing and frees the microphone",
  async (how) => {
    const microphone = fakeMicrophone();
    renderComposer();
    await record(microphone);
    act(() => microphone.sound(2));
    if (how === "Cancelar") await userEvent.click(screen.getByRole("button", { name: how }));
    else await userEvent.keyboard(how);
    expect(bar()).toBeNull();
    expect(microphone.isFree()).toBe(true);
    expect(uploads).toEqual([]);
    expect(document.activeElement).toBe(field());
  },
);

test("leaving the ticket releases the microphone", async () => {
  const microphone = fakeMicrophone();
  const shown = renderComposer();
  await record(microphone);
  shown.unmount();
  expect(microphone.isFree()).toBe(true);
});

test("a recording is kept when the microphone is disconnected", async () => {
  const microphone = fakeMicrophone();
  renderComposer();
  await record(microphone);
  act(() => microphone.sound(2));
  act(() => void microphone.unplug());
  expect(screen.getByText(/O microfone foi desligado/)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Enviar áudio" }));
  await waitFor(() => expect(uploads).toHaveLength(1));
});

test.each([
  ["NotAllowedError", /não tem permissão para usar o microfone/],
  ["NotFoundError", /Nenhum microfone encontrado/],
  ["NotReadableError", /em uso por outro programa/],
])("an error %s of the microphone shows its reason", async (refusedWith, words) => {
  fakeMicrophone({ refusedWith });
  renderComposer();
  await userEvent.click(screen.getByRole("button", { name: "Gravar áudio" }));
  expect((await screen.findByRole("alert")).textContent).toMatch(words);
  await userEvent.keyboard("{Enter}"); // on "Fechar", which has the focus
  expect(screen.getByRole("button", { name: "Gravar áudio" })).toBeTruthy();
});

describe("a finger that holds the microphone", () => {
  const finger = (x: number, y: number) => ({
    ...{ pointerType: "touch", isPrimary: true, pointerId: 3, clientX: x, clientY: y },
  });
  const form = () => screen.getByRole("button", { name: "Enviar" }).closest("form")!;

  /** Holds until it records. */
  async function hold(): Promise<ReturnType<typeof fakeMicrophone>> {
    const microphone = fakeMicrophone();
    vi.spyOn(window, "matchMedia").mockImplementation((query) => {
      const list: MediaQueryList = Object.assign(new EventTarget(), {
        ...{ matches: query === "(pointer: coarse)", media: query, onchange: null },
        ...{ addListener: () => undefined, removeListener: () => undefined },
      });
      return list;
    });
    HTMLElement.prototype.setPointerCapture = vi.fn();
    renderComposer();
    const box = form();
    // The part that follows fingers comes after the page.
    await vi.waitFor(
      () => {
        fireEvent.pointerUp(box, finger(300, 500));
        fireEvent.pointerDown(
          screen.getByRole("button", { name: "Gravar áudio" }),
          finger(300, 500),
        );
        return screen.findByText("Deslize para cancelar", {}, { timeout: 1_000 });
      },
      { timeout: 30_000 },
    );
    await waitFor(() => expect(microphone.isOpen()).toBe(true));
    act(() => microphone.sound(2));
    await screen.findByText("0:02");
    return microphone;
  }
  const boxOfBar = () => bar()!.closest("form")!;

  test("sends when it lets go", async () => {
    const microphone = await hold();
    expect(screen.queryByRole("button", { name: "Cancelar" })).toBeNull();
    fireEvent.pointerUp(boxOfBar(), finger(298, 497));
    await waitFor(() => expect(uploads).toHaveLength(1));
    expect(microphone.isFree()).toBe(true);
  });

  test("cancels when it slides to the left", async () => {
    const microphone = await hold();
    fireEvent.pointerMove(boxOfBar(), finger(250, 500));
    expect(bar()).not.toBeNull();
    fireEvent.pointerMove(boxOfBar(), finger(180, 495));
    await waitFor(() => expect(bar()).toBeNull());
    expect(microphone.isFree()).toBe(true);
    expect(uploads).toEqual([]);
  });

  test.each([
    ["slides up", () => fireEvent.pointerMove(boxOfBar(), finger(298, 420))],
    ["is taken away by the system", () => fireEvent.pointerCancel(boxOfBar(), finger(298, 500))],
  ])("records on without it when it %s", async (_, move) => {
    await hold();
    move();
    const send = await screen.findByRole("button", { name: "Enviar áudio" });
    fireEvent.pointerUp(boxOfBar(), finger(298, 420));
    expect(bar()).not.toBeNull();
    await userEvent.click(send);
    await waitFor(() => expect(uploads).toHaveLength(1));
  });
});

test("the rules of the encoder", () => {
  expect([48_000, 44_100, 96_000, 16_000].map(mp3RateFor)).toEqual([
    48_000, 44_100, 44_100, 44_100,
  ]);
  expect(levelOf(new Float32Array(10))).toBe(0);
  expect(levelOf(new Float32Array(10).fill(1))).toBe(1);
  expect(RECORDING_MAX_MS / 60_000).toBeCloseTo(17.5, 1);
});
