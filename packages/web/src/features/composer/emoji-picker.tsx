import enEmojis from "emojibase-data/en/data.json?url";
import enMessages from "emojibase-data/en/messages.json?url";
import esEmojis from "emojibase-data/es/data.json?url";
import esMessages from "emojibase-data/es/messages.json?url";
import ptEmojis from "emojibase-data/pt/data.json?url";
import ptMessages from "emojibase-data/pt/messages.json?url";
import type { EmojiData, EmojiDataResolver, SkinTone } from "frimousse";
import { EmojiPicker as Picker } from "frimousse";
import type { ComponentProps, ReactNode } from "react";
import type { Language } from "../../i18n/index.ts";
import { useLanguage, useTranslation } from "../../i18n/index.ts";
import { isLanguage } from "../../i18n/languages.ts";
import classes from "./emoji-picker.module.css";

type Props = { onPick: (emoji: string) => void };

const resolve: EmojiDataResolver = (locale, { signal }) =>
  readEmojiData(isLanguage(locale) ? locale : "pt", signal);

/** Emojis with a search; arrows move, Enter chooses. */
export function EmojiPicker({ onPick }: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <Picker.Root
      className={classes["picker"]}
      columns={8}
      locale={useLanguage()}
      resolveEmojiData={resolve}
      onEmojiSelect={({ emoji }) => onPick(emoji)}
    >
      <div className={classes["head"]}>
        <Picker.Search
          className={classes["search"]}
          autoFocus
          placeholder={t("composer.emojiSearch")}
          aria-label={t("composer.emojiSearch")}
        />
        <Picker.SkinToneSelector className={classes["tone"]} aria-label={t("composer.emojiSkin")} />
      </div>
      <Picker.Viewport className={classes["viewport"]} tabIndex={-1}>
        <Picker.Loading className={classes["word"]}>{t("common.loading")}</Picker.Loading>
        <Picker.Empty className={classes["word"]}>{t("composer.emojiEmpty")}</Picker.Empty>
        <Picker.List
          className={classes["list"]}
          aria-label={t("composer.emoji")}
          components={{ CategoryHeader, Row, Emoji }}
        />
      </Picker.Viewport>
    </Picker.Root>
  );
}

type Parts = NonNullable<ComponentProps<typeof Picker.List>["components"]>;
type PropsOf<K extends keyof Parts> = ComponentProps<NonNullable<Parts[K]>>;

function CategoryHeader({ category, ...props }: PropsOf<"CategoryHeader">): ReactNode {
  return (
    <div {...props} className={classes["category"]}>
      {category.label}
    </div>
  );
}

// The library counts rows and columns from 0, ARIA from 1. The library looks up rows by that number to scroll to the
// chosen one and finds the row before; the scroll margin of `.row` compensates.
function Row({ children, "aria-rowindex": index, ...props }: PropsOf<"Row">): ReactNode {
  return (
    <div {...props} aria-rowindex={fromOne(index)} className={classes["row"]}>
      {children}
    </div>
  );
}

function Emoji({ emoji, "aria-colindex": index, ...props }: PropsOf<"Emoji">): ReactNode {
  return (
    <button type="button" {...props} aria-colindex={fromOne(index)} className={classes["emoji"]}>
      {emoji.emoji}
    </button>
  );
}

function fromOne(index: number | undefined): number | undefined {
  return index === undefined ? undefined : index + 1;
}

const addresses: Readonly<Record<Language, readonly [emojis: string, messages: string]>> = {
  pt: [ptEmojis, ptMessages],
  en: [enEmojis, enMessages],
  es: [esEmojis, esMessages],
};

/** Newer emojis are empty boxes on many devices. */
const EMOJI_VERSION_MAX = 15;
/** The Portuguese names of the library call flags switches. */
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
async function readEmojiData(language: Language, signal?: AbortSignal): Promise<EmojiData> {
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
