import "@mantine/core/styles/ModalBase.layer.css";
import "@mantine/core/styles/Modal.layer.css";
import "@mantine/core/styles/Overlay.layer.css";
import { limits } from "@balcao/contract/limits";
import { Modal } from "@mantine/core";
import { useMediaQuery, useMounted } from "@mantine/hooks";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { useFocusBack } from "./use-focus-back.ts";

type Props = {
  opened: boolean;
  onClose: () => void;
  title: ReactNode;
  /** Width in px (ui.md section 2, dialogs). */
  size?: 480 | 640 | 760 | 960;
  children: ReactNode;
};

/** A form or a conversation over the page; the whole screen under 600 px. */
export function DialogFrame({ opened, onClose, title, size = 480, children }: Props): ReactNode {
  const { t } = useTranslation();
  const isNarrow = useMediaQuery(`(max-width: ${limits.drawerOverlayBelowPx - 1}px)`, false, {
    getInitialValueInEffect: false,
  });
  // The library returns the focus only after a dialog that was once mounted closed.
  const isMounted = useMounted();
  useFocusBack(opened);
  return (
    <Modal
      opened={isMounted && opened}
      onClose={onClose}
      title={title}
      size={size}
      centered
      fullScreen={isNarrow}
      // The library makes it a landmark, beside the page's own.
      attributes={{ header: { role: "presentation" } }}
      closeButtonProps={{ "aria-label": t("common.close") }}
    >
      {children}
    </Modal>
  );
}
