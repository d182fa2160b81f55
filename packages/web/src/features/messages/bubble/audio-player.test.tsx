import { act, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { givenMedia } from "../testing/given-media.ts";
import { renderOnCache } from "../testing/render-feature.tsx";
import { AudioPlayer, stopPlayback } from "./audio-player.tsx";

// The test browser has no sound: the test sends the events of a browser.
beforeEach(() => {
  vi.spyOn(HTMLMediaElement.prototype, "play").mockImplementation(function play(
    this: HTMLMediaElement,
  ) {
    this.dispatchEvent(new Event("play"));
    return Promise.resolve();
  });
  vi.spyOn(HTMLMediaElement.prototype, "pause").mockImplementation(function pause(
    this: HTMLMediaElement,
  ) {
    this.dispatchEvent(new Event("pause"));
  });
});

afterEach(() => {
  act(() => stopPlayback());
  vi.restoreAllMocks();
});

function show(): { one: HTMLElement; two: HTMLElement } {
  const voice = (name: string) =>
    givenMedia({ kind: "voice", name, url: `/files/${name}`, durationMs: 14_000 });
  renderOnCache(
    <>
      <div data-testid="one">
        <AudioPlayer messageId="one" media={voice("one.ogg")} />
      </div>
      <div data-testid="two">
        <AudioPlayer messageId="two" media={voice("two.ogg")} />
      </div>
    </>,
  );
  return { one: screen.getByTestId("one"), two: screen.getByTestId("two") };
}

const isPlaying = (player: HTMLElement): boolean =>
  within(player).queryByRole("button", { name: "Pausar" }) !== null;
const playIn = (player: HTMLElement) =>
  userEvent.click(within(player).getByRole("button", { name: "Ouvir" }));

test("only one audio plays at a time", async () => {
  const { one, two } = show();
  await playIn(one);
  expect([isPlaying(one), isPlaying(two)]).toEqual([true, false]);
  await playIn(two);
  expect([isPlaying(one), isPlaying(two)]).toEqual([false, true]);
});

test("the speed switches 1, 1.5, 2 and is kept for the next audio and the next visit", async () => {
  const { one, two } = show();
  await playIn(one);
  const speed = (player: HTMLElement) =>
    within(player).getByRole("button", { name: /^Velocidade/ });
  const seen = [speed(one).textContent];
  for (let press = 0; press < 2; press += 1) {
    await userEvent.click(speed(one));
    seen.push(speed(one).textContent);
  }
  // Formatted in the product's language, not the browser's.
  expect(seen).toEqual(["1×", "1,5×", "2×"]);
  await playIn(two);
  expect(speed(two).textContent).toBe("2×");
  expect(localStorage.getItem("balcao.audio-speed")).toBe("2");
});

test("an audio that cannot be played shows an error", async () => {
  vi.mocked(HTMLMediaElement.prototype.play).mockRejectedValue(new Error("no codec"));
  const { one } = show();
  await playIn(one);
  expect(await within(one).findByRole("alert")).toBeTruthy();
  expect(isPlaying(one)).toBe(false);
});

test("what it says stands below it: four lines, and all on demand", async () => {
  const height = vi.spyOn(HTMLElement.prototype, "scrollHeight", "get").mockReturnValue(200);
  const media = givenMedia({ kind: "voice", url: "/files/voz.ogg" });
  const { rerender } = renderOnCache(
    <AudioPlayer messageId="one" media={media} transcript="Bom dia, tudo bem?" />,
  );
  const note = screen.getByRole("note", { name: "Transcrição" });
  expect(note.textContent).toContain("Bom dia, tudo bem?");
  await userEvent.click(within(note).getByRole("button", { name: "Mostrar tudo" }));
  expect(within(note).getByRole("button", { name: "Mostrar menos" })).toBeTruthy();
  height.mockReturnValue(0);
  rerender(<AudioPlayer messageId="one" media={media} transcript="" />);
  expect(screen.getByRole("note").textContent).toBe("Sem fala");
  rerender(<AudioPlayer messageId="one" media={media} transcript={null} />);
  expect(screen.queryByRole("note")).toBeNull();
});
