import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { film, recorded, tone } from "../../testing/media-samples.ts";
import type { FfmpegRun } from "./ffmpeg.ts";
import { createFfmpeg, FfmpegFailed } from "./ffmpeg.ts";
import { durationOf, readSound, readVideo, toLevels } from "./recordings.ts";

const ffmpeg = createFfmpeg(undefined);
let folder: string;
let wav: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "balcao-ffmpeg-"));
  wav = join(folder, "a.wav");
  await writeFile(wav, await recorded("a.wav", tone(20)));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (change: Partial<FfmpegRun> = {}): FfmpegRun => ({
  input: { path: wav, format: "wav" },
  output: ["-f", "s16le"],
  timeLimitMs: 10_000,
  maxOutputBytes: 10_000_000,
  ...change,
});

test.each([
  ["takes too long", { timeLimitMs: 1 }, "took too long"],
  ["gives too much", { maxOutputBytes: 1_000 }, "gave too much"],
  ["is of another format", { input: { path: "", format: "mov" } }, "could not read"],
])("an input that %s fails, and is to blame", async (_what, change, reason) => {
  const wish = run(change);
  const input = { ...wish.input, path: wav };
  const failure = ffmpeg.collect({ ...wish, input });
  await expect(failure).rejects.toThrow(reason);
  await expect(failure).rejects.toMatchObject({ isInputsFault: true });
});

test("a program that is not there is not the input's fault", async () => {
  const failure = createFfmpeg(join(folder, "nothing")).collect(run());
  await expect(failure).rejects.toBeInstanceOf(FfmpegFailed);
  await expect(failure).rejects.toMatchObject({ isInputsFault: false });
});

test("a reader that stops ends the program, and the next one runs", async () => {
  for (let round = 0; round < 5; round += 1) {
    for await (const chunk of ffmpeg.stream(run())) {
      expect(chunk.byteLength).toBeGreaterThan(0);
      break;
    }
  }
  expect((await ffmpeg.collect(run())).output.byteLength).toBeGreaterThan(1_000_000);
});

test("an input that points to other files opens none of them", async () => {
  const list = join(folder, "list.mp4");
  await writeFile(list, `ffconcat version 1.0\nfile '${wav}'\n`);
  for (const format of ["mov", "wav", "ogg"]) {
    const failure = ffmpeg.collect(run({ input: { path: list, format } }));
    await expect(failure).rejects.toBeInstanceOf(FfmpegFailed);
  }
});

test("a sound has its length, a video without sound has none", async () => {
  const sound = await readSound(ffmpeg, { path: wav, format: "wav" });
  expect(sound?.durationMs).toBe(20_000);
  const silent = join(folder, "silent.mp4");
  await writeFile(silent, await recorded("s.mp4", [...film(1), "-an"]));
  await expect(readSound(ffmpeg, { path: silent, format: "mov" })).rejects.toThrow(FfmpegFailed);
  expect(await readVideo(ffmpeg, { path: silent, format: "mov" }, 1_000_000)).toMatchObject({
    ...{ width: 320, height: 240, durationMs: 1_000 },
  });
  expect(await readVideo(ffmpeg, { path: wav, format: "wav" }, 1_000_000)).toBeNull();
});

test.each([
  [[], 0],
  [[5], 100],
  [Array.from({ length: 320 }, (_, index) => index), 100],
])("levels are 32, the loudest is full", (loudness, loudest) => {
  const levels = toLevels(loudness);
  expect([levels.length, Math.max(...levels)]).toEqual([32, loudest]);
});

test("the length of a video is what its container says", () => {
  expect(durationOf("  Duration: 01:02:03.50, start: 0")).toBe(3_723_500);
  expect(durationOf("  Duration: N/A, start: 0")).toBeNull();
});
