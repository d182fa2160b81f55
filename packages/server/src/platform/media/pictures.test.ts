import { readdir, readFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { picture } from "../../testing/media-samples.ts";
import { readPicture, UnreadablePicture } from "./pictures.ts";

/** The converting processes of this one, by id, with their priority. */
async function converters(): Promise<{ pid: number; nice: number }[]> {
  const found = [];
  for (const task of await readdir("/proc/self/task")) {
    const children = await readFile(`/proc/self/task/${task}/children`, "utf8");
    for (const pid of children.split(" ").filter((text) => text !== "")) {
      const command = await readFile(`/proc/${pid}/cmdline`, "utf8");
      const [, facts = ""] = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ");
      if (command.includes("converting/process")) {
        found.push({ pid: Number(pid), nice: Number(facts.split(" ")[16]) });
      }
    }
  }
  return found;
}

test.runIf(process.platform === "linux")(
  "pictures are converted at low priority, and a process that dies takes only its own picture along",
  async () => {
    const content = await picture("jpeg", { width: 1_600, height: 1_200 });
    const convert = (companyId: number) => readPicture(content, 40_000_000, { companyId });
    const begun = [convert(1), convert(2)];
    const lost = expect(begun[0]).rejects.toThrow(UnreadablePicture);
    const [first, second] = await vi.waitUntil(async () => {
      const found = await converters();
      return found.length === 2 ? found : null;
    });
    expect([first?.nice, second?.nice]).toEqual([10, 10]);
    process.kill(Math.min(first?.pid ?? 0, second?.pid ?? 0), "SIGKILL");
    await lost;
    const thumbnail = { mime: "image/webp", extension: "webp" };
    expect(await begun[1]).toMatchObject({ width: 1_600, height: 1_200, thumbnail });
    expect(await convert(1)).toMatchObject({ width: 1_600, height: 1_200, thumbnail });
    // Those that wait for a picture, whose end is not told yet.
    for (const { pid } of await converters()) process.kill(pid, "SIGKILL");
    expect(await convert(2)).toMatchObject({ width: 1_600, height: 1_200, thumbnail });
  },
);
