import type { EmojiDataResolver } from "frimousse";
import { EmojiPicker as Picker } from "frimousse";
import type { ComponentProps, ReactNode } from "react";
import { useLanguage, useTranslation } from "../../i18n/index.ts";
import { isLanguage } from "../../i18n/languages.ts";
import { readEmojiData } from "./emoji-data.ts";
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

// The library counts rows and columns from 0, ARIA from 1. It looks rows up by that number to keep the chosen one in
// view, so it finds the one before; the scroll margin of `.row` makes up for it.
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
