import { Menu } from "@mantine/core";
import {
  IconAd2,
  IconChartBar,
  IconEyeOff,
  IconFile,
  IconMapPin,
  IconMicrophone,
  IconPaperclip,
  IconPhone,
  IconPhoto,
  IconSticker,
  IconUser,
  IconVideo,
} from "@tabler/icons-react";
import type { ReactNode, ReactElement } from "react";
import { Suspense, useRef, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import type { ContentKind } from "./simulator-dialogs.tsx";
import type { CustomerSends, FileKind } from "./customer-acts.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import type { SimulatorMessage } from "@balcao/contract";
import classes from "./conversation.module.css";

const ContentDialog = lazyPart(
  async () => (await import("./simulator-dialogs.tsx")).ContentDialog,
  "over",
);

const icon = { size: 15, stroke: 1.7, "aria-hidden": true } as const;

/** The kinds of files that a customer can send, with the accepted types. */
const fileKinds = [
  { as: "image", accept: "image/*", sign: IconPhoto },
  { as: "video", accept: "video/*", sign: IconVideo },
  { as: "voice", accept: "audio/*", sign: IconMicrophone },
  { as: "sticker", accept: "image/webp,image/png", sign: IconSticker },
  { as: "document", accept: "", sign: IconFile },
] as const satisfies readonly { as: FileKind; accept: string; sign: typeof IconPhoto }[];

const contentKinds = [
  { kind: "location", sign: IconMapPin },
  { kind: "contacts", sign: IconUser },
  { kind: "poll", sign: IconChartBar },
  { kind: "ad", sign: IconAd2 },
  { kind: "other", sign: IconAd2 },
] as const satisfies readonly { kind: ContentKind; sign: typeof IconPhoto }[];

/** The menu of everything that a customer can send beside text. */
export function AttachMenu({ sends }: { sends: CustomerSends }): ReactNode {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState<{ as: FileKind; isViewOnce: boolean }>({
    as: "image",
    isViewOnce: false,
  });
  const [asked, setAsked] = useState<ContentKind | null>(null);

  function chooseFile(as: FileKind, accept: string, isViewOnce: boolean): void {
    setChosen({ as, isViewOnce });
    if (!input.current) return;
    input.current.accept = accept;
    input.current.click();
  }

  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={t("simulator.chooseFile")}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file) sends.file(file, chosen);
          event.currentTarget.value = "";
        }}
      />
      <Menu position="top-start" width={220}>
        <Menu.Target>
          <IconButton label={t("simulator.attach")} icon={IconPaperclip} />
        </Menu.Target>
        <Menu.Dropdown>
          {fileKinds.map(({ as, accept, sign: Sign }) => (
            <Menu.Item
              key={as}
              leftSection={<Sign {...icon} />}
              onClick={() => chooseFile(as, accept, false)}
            >
              {t(`simulator.sendAs.${as}`)}
            </Menu.Item>
          ))}
          <Menu.Item
            leftSection={<IconEyeOff {...icon} />}
            onClick={() => chooseFile("image", "image/*", true)}
          >
            {t("simulator.sendAs.viewOnce")}
          </Menu.Item>
          <Menu.Divider />
          {contentKinds.map(({ kind, sign: Sign }) => (
            <Menu.Item key={kind} leftSection={<Sign {...icon} />} onClick={() => setAsked(kind)}>
              {t(`simulator.contents.${kind}`)}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<IconPhone {...icon} />} onClick={() => sends.call(false)}>
            {t("simulator.voiceCall")}
          </Menu.Item>
          <Menu.Item leftSection={<IconVideo {...icon} />} onClick={() => sends.call(true)}>
            {t("simulator.videoCall")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {asked === null ? null : (
        <Suspense fallback={null}>
          <ContentDialog
            kind={asked}
            onSend={(content, body) => sends.content(content, body)}
            onClose={() => setAsked(null)}
          />
        </Suspense>
      )}
    </>
  );
}

/** The actions of a customer on a message. */
export type MessageActions = {
  reply: (message: SimulatorMessage) => void;
  edit: (message: SimulatorMessage) => void;
  remove: (message: SimulatorMessage) => void;
  /** An empty emoji removes the reaction. */
  react: (message: SimulatorMessage, emoji: string) => void;
  vote: (message: SimulatorMessage, option: string) => void;
};

export type MessageMenuProps = { message: SimulatorMessage; actions: MessageActions };

/** The quick reactions. */
const emojis = ["👍", "❤️", "😂", "😮", "😢", "🙏"] as const;

type ChoicesProps = MessageMenuProps & { target: ReactElement };

/** The menu of a message: react, answer, vote; edit and delete the customer's own ones. `target` opens it. */
export function MessageChoices({ message, actions, target }: ChoicesProps): ReactNode {
  const { t } = useTranslation();
  const own = message.reactions.find(({ fromCompany }) => !fromCompany)?.emoji;
  const poll = message.content?.kind === "poll" ? message.content : null;
  return (
    <Menu position="bottom-end" width={210}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <div className={classes["emojis"]}>
          {emojis.map((emoji) => (
            <Menu.Item
              key={emoji}
              className={classes["emoji"] ?? ""}
              aria-label={t("simulator.react", { emoji })}
              data-chosen={emoji === own || undefined}
              onClick={() => actions.react(message, emoji === own ? "" : emoji)}
            >
              {emoji}
            </Menu.Item>
          ))}
        </div>
        <Menu.Item onClick={() => actions.reply(message)}>{t("simulator.reply")}</Menu.Item>
        {poll?.options.map((option) => (
          <Menu.Item key={option} onClick={() => actions.vote(message, option)}>
            {t("simulator.vote", { option })}
          </Menu.Item>
        ))}
        {message.fromCustomer && message.kind === "text" ? (
          <Menu.Item onClick={() => actions.edit(message)}>{t("simulator.edit")}</Menu.Item>
        ) : null}
        {message.fromCustomer && message.call === null ? (
          <Menu.Item color="bad" onClick={() => actions.remove(message)}>
            {t("simulator.delete")}
          </Menu.Item>
        ) : null}
      </Menu.Dropdown>
    </Menu>
  );
}
