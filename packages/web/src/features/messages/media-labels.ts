import { currentLanguage } from "../../i18n/index.ts";
import { localeTags } from "../../i18n/languages.ts";

const steps = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

/** "640 kB", "1,2 MB". */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let step = 0;
  while (value >= 1_000 && step < steps.length - 1) {
    value /= 1_000;
    step += 1;
  }
  return new Intl.NumberFormat(localeTags[currentLanguage()], {
    style: "unit",
    unit: steps[step] ?? "byte",
    unitDisplay: step === 0 ? "long" : "short",
    maximumFractionDigits: value < 10 && step > 1 ? 1 : 0,
  }).format(value);
}

/** "0:14", "1:02:30". */
export function formatDuration(durationMs: number): string {
  const seconds = Math.floor(durationMs / 1_000);
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [hours = 0, minutes = 0, rest = 0] = parts;
  const tail = String(rest).padStart(2, "0");
  return hours === 0
    ? `${minutes}:${tail}`
    : `${hours}:${String(minutes).padStart(2, "0")}:${tail}`;
}

/** "PDF" of "contrato.pdf", "" when the name has no ending. */
export function fileEnding(name: string): string {
  const dot = name.lastIndexOf(".");
  const ending = dot > 0 ? name.slice(dot + 1) : "";
  return ending.length > 5 ? "" : ending.toUpperCase();
}
