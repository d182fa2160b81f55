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
import type { ReactNode } from "react";
import { Suspense, useRef, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import type { ContentKind } from "./content-dialog.tsx";
import type { CustomerSends, FileKind } from "./sends.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";

const ContentDialog = lazyPart(
  async () => (await import("./content-dialog.tsx")).ContentDialog,
  "over",
);

const icon = { size: 15, stroke: 1.7, "aria-hidden": true } as const;

/** What a customer can send as, and which files he can choose for it. */
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

/** Everything that a customer sends beside text. */
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
