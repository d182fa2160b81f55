import { parseArgs } from "node:util";
import { ConfigError, readConfig } from "../../platform/config/config.ts";
import { openMediaStores } from "../../platform/media/object-storage.ts";
import { problemForPeople } from "../../start-message.ts";
import type { Moved } from "./move.ts";
import { copyMedia, CopyDiffers } from "./move.ts";

const usage = `Usage: npm run media:move -- --to s3|folder
Copies the files of all companies from BALCAO_DATA into the bucket of BALCAO_MEDIA, or back, and reads each copy again.
Nothing is removed. An interrupted run goes on where it was.`;

/** The exit code for what a person has to change, as in run.ts. */
const NEEDS_PEOPLE = 78;
const TELL_EVERY = 100;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const inWords = ({ copied, bytes, alreadyThere }: Moved): string =>
  `${copied} copied (${(bytes / 1_048_576).toFixed(1)} MB), ${alreadyThere} already there`;

function destination(): string | undefined {
  try {
    return parseArgs({ options: { to: { type: "string" } } }).values.to;
  } catch {
    return undefined;
  }
}

async function run(): Promise<void> {
  const to = destination();
  if (to !== "s3" && to !== "folder") throw new ConfigError(usage);
  const config = readConfig(process.env);
  if (config.media === null)
    throw new ConfigError("BALCAO_MEDIA must name the bucket, as for npm start.");
  const folder = await openMediaStores({ ...config, media: null });
  const bucket = await openMediaStores(config);
  try {
    for (const name of ["media", "simulator"] as const) {
      const [from, into] = to === "s3" ? [folder, bucket] : [bucket, folder];
      const sum = await copyMedia(from[name], into[name], (moved) => {
        if (moved.copied % TELL_EVERY === 0) say(`${name}: ${inWords(moved)} …`);
      });
      say(`${name}: ${inWords(sum)}.`);
    }
  } finally {
    bucket.close();
  }
}

run().catch((error: unknown) => {
  const known = error instanceof CopyDiffers ? error.message : problemForPeople(error);
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${known ?? stack}\n`);
  process.exitCode = known === null ? 1 : NEEDS_PEOPLE;
});
