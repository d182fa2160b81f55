import type { QuickMessage } from "@balcao/contract";
import { IconBolt, IconBraces, IconMoodSmile, IconPaperclip } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useRef } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import { prefetchQuickMessages } from "./api.ts";
import classes from "./composer.module.css";
import { LazyEmojiPicker } from "./lazy-emoji-picker.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";

// What opens over the page is much code, and nobody opens it before the conversation is there.
const ToolPopover = lazyPart(async () => (await import("./tool-popover.tsx")).ToolPopover);
const VariablesMenu = lazyPart(async () => (await import("./variables.tsx")).VariablesMenu);
const QuickMessagePicker = lazyPart(
  async () => (await import("./quick-message-picker.tsx")).QuickMessagePicker,
);

type Props = {
  disabled: boolean;
  isNarrow: boolean;
  onInsert: (text: string) => void;
  onQuickMessage: (option: QuickMessage) => void;
  /** Null where no file can be added: while a message is edited. */
  onFiles: ((files: readonly File[]) => void) | null;
};

/** What can be put into the message. */
export function ComposerTools(props: Props): ReactNode {
  const { disabled, isNarrow, onInsert, onQuickMessage, onFiles } = props;
  const { t } = useTranslation();
  const inputRef = useRef<HTMLInputElement>(null);
  return (
    <div className={classes["inserts"]} role="group" aria-label={t("composer.tools")}>
      <Suspense fallback={<IconButton label={t("composer.emoji")} icon={IconMoodSmile} disabled />}>
        <ToolPopover label={t("composer.emoji")} icon={IconMoodSmile} disabled={disabled}>
          {(close) => (
            <LazyEmojiPicker
              onPick={(emoji) => {
                close();
                onInsert(emoji);
              }}
            />
          )}
        </ToolPopover>
      </Suspense>
      <IconButton
        icon={IconPaperclip}
        label={t("composer.attach")}
        disabled={disabled || onFiles === null}
        onClick={() => inputRef.current?.click()}
      />
      <input
        ref={inputRef}
        type="file"
        multiple
        hidden
        tabIndex={-1}
        aria-hidden="true"
        onChange={(event) => {
          onFiles?.([...(event.currentTarget.files ?? [])]);
          // The same file may be chosen again after it was removed.
          event.currentTarget.value = "";
        }}
      />
      <Suspense fallback={<IconButton label={t("composer.quick")} icon={IconBolt} disabled />}>
        <ToolPopover
          label={t("composer.quick")}
          icon={IconBolt}
          disabled={disabled}
          onOpen={prefetchQuickMessages}
        >
          {(close) => (
            <QuickMessagePicker
              onPick={(option) => {
                close();
                onQuickMessage(option);
              }}
            />
          )}
        </ToolPopover>
      </Suspense>
      {isNarrow ? null : (
        <Suspense
          fallback={<IconButton label={t("composer.variable")} icon={IconBraces} disabled />}
        >
          <VariablesMenu disabled={disabled} onPick={onInsert} />
        </Suspense>
      )}
    </div>
  );
}
