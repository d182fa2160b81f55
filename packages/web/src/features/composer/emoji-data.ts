import enEmojis from "emojibase-data/en/data.json?url";
import enMessages from "emojibase-data/en/messages.json?url";
import esEmojis from "emojibase-data/es/data.json?url";
import esMessages from "emojibase-data/es/messages.json?url";
import ptEmojis from "emojibase-data/pt/data.json?url";
import ptMessages from "emojibase-data/pt/messages.json?url";
import type { EmojiData, SkinTone } from "frimousse";
import type { Language } from "../../i18n/index.ts";

const addresses: Readonly<Record<Language, readonly [emojis: string, messages: string]>> = {
  pt: [ptEmojis, ptMessages],
  en: [enEmojis, enMessages],
  es: [esEmojis, esMessages],
};

/** Newer ones are still empty boxes on many computers and phones. */
const EMOJI_VERSION_MAX = 15;
/** The library of names calls flags switches in Portuguese. */
const groupNames: Partial<Record<Language, Readonly<Record<string, string>>>> = {
  pt: { flags: "bandeiras" },
};

type Tone = Exclude<SkinTone, "none">;
const tones: readonly Tone[] = ["light", "medium-light", "medium", "medium-dark", "dark"];

/** The parts of emojibase's files that are used. */
type StoredEmoji = {
  emoji: string;
  label: string;
  tags?: string[];
  version: number;
  group?: number;
  skins?: { emoji: string; tone: number | number[] }[];
};
type StoredNames = {
  groups: { key: string; message: string; order: number }[];
  skinTones: { key: Tone; message: string }[];
};

/** All emojis with their names in a language, from our own origin. */
export async function readEmojiData(language: Language, signal?: AbortSignal): Promise<EmojiData> {
  const [emojiAddress, nameAddress] = addresses[language];
  const [emojis, names] = await Promise.all([
    // Files of the build itself, in the form their library documents.
    readJson(emojiAddress, signal) as Promise<StoredEmoji[]>,
    readJson(nameAddress, signal) as Promise<StoredNames>,
  ]);
  const own = groupNames[language] ?? {};
  return {
    locale: language,
    emojis: emojis.flatMap(({ group, ...emoji }) => {
      if (group === undefined || emoji.version >= EMOJI_VERSION_MAX + 1) return [];
      const { label, tags = [], version, skins } = emoji;
      const face = { emoji: emoji.emoji, category: group, label: capital(label), version, tags };
      const toned = tonesOf(skins ?? []);
      return [toned === null ? face : { ...face, skins: toned }];
    }),
    categories: names.groups
      .filter(({ key }) => key !== "component")
      .map(({ key, order, message }) => ({ index: order, label: capital(own[key] ?? message) })),
    skinTones: tonesBy((tone) => names.skinTones.find(({ key }) => key === tone)?.message ?? tone),
  };
}

function tonesOf(skins: NonNullable<StoredEmoji["skins"]>): Record<Tone, string> | null {
  const simple = skins.filter(({ tone }) => typeof tone === "number");
  if (simple.length < tones.length) return null;
  return tonesBy((_, index) => simple.find(({ tone }) => tone === index + 1)?.emoji ?? "");
}

function tonesBy(textOf: (tone: Tone, index: number) => string): Record<Tone, string> {
  const [light, mediumLight, medium, mediumDark, dark] = tones.map(textOf);
  return {
    light: light ?? "",
    "medium-light": mediumLight ?? "",
    medium: medium ?? "",
    "medium-dark": mediumDark ?? "",
    dark: dark ?? "",
  };
}

async function readJson(address: string, signal: AbortSignal | undefined): Promise<unknown> {
  const timeLimit = AbortSignal.timeout(20_000);
  const response = await fetch(address, {
    signal: signal ? AbortSignal.any([signal, timeLimit]) : timeLimit,
  });
  if (!response.ok) throw new Error(`${address} answered ${response.status}`);
  return await response.json();
}

function capital(text: string): string {
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}
