import type { QuickMessage } from "@balcao/contract";
import type { Icon } from "@tabler/icons-react";
import {
  IconArrowBackUp,
  IconBolt,
  IconBraces,
  IconChevronUp,
  IconLock,
  IconMoodSmile,
  IconNote,
  IconPaperclip,
  IconPencil,
  IconX,
} from "@tabler/icons-react";
import type { ComponentProps, ReactNode } from "react";
import { useRef } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { OnDemand } from "../../ui/on-demand.tsx";
import type { ComposerTarget } from "../messages/index.ts";
import { Quote } from "../messages/index.ts";
import { prefetchQuickMessages } from "../quick-messages/index.ts";
import classes from "./composer.module.css";

// Dialogs and menus have much code and open after the conversation is shown.
const ToolPopover = lazyPart(async () => (await import("./composer-menus.tsx")).ToolPopover);
const VariablesMenu = lazyPart(async () => (await import("./composer-menus.tsx")).VariablesMenu);
const QuickMessagePicker = lazyPart(
  async () => (await import("./quick-messages.tsx")).QuickMessagePicker,
);

type Props = {
  isNarrow: boolean;
  onInsert: (text: string) => void;
  onQuickMessage: (option: QuickMessage) => void;
  /** Null while a message is edited: no file can be added. */
  onFiles: ((files: readonly File[]) => void) | null;
};

/** The tools that insert something into the message. */
export function ComposerTools(props: Props): ReactNode {
  const { isNarrow, onInsert, onQuickMessage, onFiles } = props;
  const { t } = useTranslation();
  const inputRef = useRef<HTMLInputElement>(null);
  const standIn = (tool: "emoji" | "quick" | "variable", icon: Icon, opens: "dialog" | "menu") => (
    <IconButton
      label={t(`composer.${tool}`)}
      icon={icon}
      aria-haspopup={opens}
      aria-expanded={false}
    />
  );
  return (
    <div className={classes["inserts"]} role="group" aria-label={t("composer.tools")}>
      <OnDemand part={emojiParts} standIn={standIn("emoji", IconMoodSmile, "dialog")}>
        <ToolPopover label={t("composer.emoji")} icon={IconMoodSmile}>
          {(close) => (
            <LazyEmojiPicker
              onPick={(emoji) => {
                close();
                onInsert(emoji);
              }}
            />
          )}
        </ToolPopover>
      </OnDemand>
      <IconButton
        icon={IconPaperclip}
        label={t("composer.attach")}
        disabled={onFiles === null}
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
      <OnDemand part={ToolPopover} standIn={standIn("quick", IconBolt, "dialog")}>
        <ToolPopover label={t("composer.quick")} icon={IconBolt} onOpen={prefetchQuickMessages}>
          {(close) => (
            <QuickMessagePicker
              onPick={(option) => {
                close();
                onQuickMessage(option);
              }}
            />
          )}
        </ToolPopover>
      </OnDemand>
      {isNarrow ? null : (
        <OnDemand part={VariablesMenu} standIn={standIn("variable", IconBraces, "menu")}>
          <VariablesMenu onPick={onInsert} />
        </OnDemand>
      )}
    </div>
  );
}

type TabsProps = {
  isNote: boolean;
  onChoose: (isNote: boolean) => void;
  /** At the end of the row, and below it. */
  children?: ReactNode;
};

/** The two things that the composer writes: a reply to the customer, or a note for the team. */
export function ComposerTabs({ isNote, onChoose, children }: TabsProps): ReactNode {
  const { t } = useTranslation();
  const tab = (is: boolean) => ({
    type: "button" as const,
    role: "tab",
    className: classes["tab"],
    "aria-selected": is === isNote,
    tabIndex: is === isNote ? 0 : -1,
    onClick: () => onChoose(is),
  });
  return (
    <div className={classes["tabs"]}>
      <div
        className={classes["tabList"]}
        role="tablist"
        aria-label={t("composer.tabs")}
        onKeyDown={(event) => {
          if (event.key === "ArrowLeft" || event.key === "ArrowRight") onChoose(!isNote);
        }}
      >
        <button {...tab(false)}>{t("composer.tabReply")}</button>
        <button {...tab(true)} title="Alt N" aria-keyshortcuts="Alt+N">
          <IconNote size={16} stroke={1.7} aria-hidden="true" />
          {t("composer.tabNote")}
        </button>
      </div>
      {isNote ? (
        <span className={classes["onlyTeam"]}>
          <IconLock size={15} stroke={1.7} aria-hidden="true" />
          {t("composer.onlyTeam")}
        </span>
      ) : (
        children
      )}
    </div>
  );
}

type SignSwitchProps = { isOn: boolean; disabled: boolean; onChange: (isOn: boolean) => void };

/** Switches the agent's name above messages on and off. */
export function SignSwitch({ isOn, disabled, onChange }: SignSwitchProps): ReactNode {
  const { t } = useTranslation();
  return (
    <label className={classes["sign"]} title={t("composer.signHelp")}>
      {t("composer.sign")}
      <input
        type="checkbox"
        role="switch"
        className={classes["switch"]}
        checked={isOn}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </label>
  );
}

type SendMenuTargetProps = Omit<ComponentProps<typeof IconButton>, "label" | "icon">;

/** The button beside Send that opens the menu. */
export function SendMenuTarget(props: SendMenuTargetProps): ReactNode {
  const { t } = useTranslation();
  return (
    <IconButton
      {...props}
      className={classes["button"]}
      size="small"
      icon={IconChevronUp}
      label={t("composer.sendMore")}
    />
  );
}

type TargetBarProps = {
  target: ComposerTarget;
  customerName: string;
  onCancel: () => void;
};

/** The replied or edited message, above the text. */
export function TargetBar({ target, customerName, onCancel }: TargetBarProps): ReactNode {
  const { t } = useTranslation();
  const { kind, message } = target;
  const isEdit = kind === "edit";
  const TargetIcon = isEdit ? IconPencil : IconArrowBackUp;
  return (
    <div className={classes["bar"]} role="group" aria-label={label()}>
      <TargetIcon size={19} stroke={1.7} aria-hidden="true" />
      <div className="bc-fill">
        {isEdit ? <span className={classes["word"]}>{t("composer.edit")}</span> : null}
        <Quote quoted={message} customerName={customerName} ticketId={message.ticketId} />
      </div>
      <IconButton
        size="small"
        icon={IconX}
        label={isEdit ? t("composer.editCancel") : t("composer.replyCancel")}
        shortcut="Esc"
        onClick={onCancel}
      />
    </div>
  );

  function label(): string {
    if (isEdit) return t("composer.edit");
    return message.fromMe ? t("composer.replySelf") : t("composer.reply", { name: customerName });
  }
}

/** The emoji picker for other features; its code loads when it is first shown. */
export const LazyEmojiPicker = lazyPart(
  async () => (await import("./emoji-picker.tsx")).EmojiPicker,
);

/** Fetches the popover of the emoji button together with the picker in it. */
const emojiParts = {
  preload(): void {
    ToolPopover.preload();
    LazyEmojiPicker.preload();
  },
};
