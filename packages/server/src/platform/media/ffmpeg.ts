import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, chmod, constants } from "node:fs/promises";
import { constants as osConstants, tmpdir } from "node:os";
import { lowerPriority } from "../child-processes.ts";
import { FairShare } from "../jobs/fair-share.ts";

/** Conversions at a time in one process; each keeps a core busy. */
const AT_A_TIME = 2;
const REPORT_CHARACTERS = 16_384;

/** ffmpeg is missing or cannot run, took too long, wrote too much, or could not read its input. */
export class FfmpegFailed extends Error {
  /** Whether the input is the likely reason. */
  readonly isInputsFault: boolean;
  /** ffmpeg's messages. */
  readonly report: string;

  constructor(reason: string, facts: { isInputsFault: boolean; report?: string; cause?: unknown }) {
    super(`ffmpeg: ${reason}`, { cause: facts.cause });
    this.name = "FfmpegFailed";
    this.isInputsFault = facts.isInputsFault;
    this.report = facts.report ?? "";
  }
}

export type FfmpegInput = {
  path: string;
  /** ffmpeg's name of the container format, the only one that is tried. */
  format: string;
  /** The company that the file is of; absent for the provider's own. */
  companyId?: number;
};

export type FfmpegRun = {
  input: FfmpegInput;
  /** Arguments after the input; the result goes to standard output. */
  output: readonly string[];
  timeLimitMs: number;
  maxOutputBytes: number;
};

/**
 * Runs ffmpeg without a shell, at low priority, at most two at a time, one of each company. Its build may be old and its input is untrusted, so
 * it reads exactly one local file, in exactly one format.
 */
export type Ffmpeg = {
  /** The output. Ends when ffmpeg succeeded; throws FfmpegFailed. */
  stream(run: FfmpegRun): AsyncGenerator<Uint8Array>;
  /** The whole output, with ffmpeg's messages about its input. */
  collect(run: FfmpegRun): Promise<{ output: Uint8Array; report: string }>;
};

/** `path` is the operator's own ffmpeg; undefined uses the one installed with the product. */
export function createFfmpeg(path: string | undefined): Ffmpeg {
  const turns = new FairShare({ slots: AT_A_TIME, least: 1, most: 1 });
  let found: Promise<string> | undefined;

  async function program(): Promise<string> {
    found ??= path === undefined ? findInstalled() : Promise.resolve(path);
    try {
      return await found;
    } catch (cause) {
      throw new FfmpegFailed("is not installed for this platform", { isInputsFault: false, cause });
    }
  }

  async function* run(
    { input, output, timeLimitMs, maxOutputBytes }: FfmpegRun,
    tell: (report: string) => void,
  ): AsyncGenerator<Uint8Array> {
    const file = await program();
    const giveBack = await turns.take(input.companyId ?? 0);
    const child = spawn(file, [...inputArguments(input), ...output, "pipe:1"], {
      cwd: tmpdir(),
      env: {},
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    const closed = once(child, "close");
    // Awaited below; until then a failed start must not end the process.
    closed.catch(() => undefined);
    let isTooSlow = false;
    const timer = setTimeout(() => {
      isTooSlow = true;
      child.kill("SIGKILL");
    }, timeLimitMs);
    let report = "";
    child.stderr.setEncoding("utf8");
    child.stderr.on("data", (text: string) => {
      report = (report + text).slice(0, REPORT_CHARACTERS);
    });
    try {
      lowerPriority(child.pid, osConstants.priority.PRIORITY_LOW);
      let bytes = 0;
      for await (const chunk of child.stdout as AsyncIterable<Uint8Array>) {
        bytes += chunk.byteLength;
        if (bytes > maxOutputBytes) {
          throw new FfmpegFailed("gave too much", { isInputsFault: true });
        }
        yield chunk;
      }
      const [code]: unknown[] = await closed;
      tell(report);
      if (isTooSlow) throw new FfmpegFailed("took too long", { isInputsFault: true });
      if (code !== 0) {
        throw new FfmpegFailed("could not read its input", { isInputsFault: true, report });
      }
    } catch (error) {
      if (error instanceof FfmpegFailed) throw error;
      throw new FfmpegFailed("could not be run", { isInputsFault: false, cause: error });
    } finally {
      clearTimeout(timer);
      child.kill("SIGKILL");
      giveBack();
    }
  }

  return {
    stream: (wish) => run(wish, () => undefined),
    async collect(wish) {
      let report = "";
      const chunks: Uint8Array[] = [];
      const output = run(wish, (said) => {
        report = said;
      });
      for await (const chunk of output) chunks.push(chunk);
      return { output: Buffer.concat(chunks), report };
    },
  };
}

/** Reads this file, and no other file that it refers to. */
function inputArguments({ path, format }: FfmpegInput): string[] {
  return [
    ...["-hide_banner", "-nostdin", "-nostats", "-loglevel", "info", "-threads", "1"],
    ...["-protocol_whitelist", "file", "-format_whitelist", format, "-f", format],
    ...["-i", `file:${path}`, "-threads", "1", "-map_metadata", "-1", "-map_chapters", "-1"],
  ];
}

/** The package's binary. We do not run its install script, which only makes the binary executable. */
async function findInstalled(): Promise<string> {
  const { default: installed } = await import("@ffmpeg-installer/ffmpeg");
  const isExecutable = await access(installed.path, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isExecutable) await chmod(installed.path, 0o755);
  return installed.path;
}
