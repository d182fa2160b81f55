import "@mantine/core/styles/ModalBase.layer.css";
import "@mantine/core/styles/Modal.layer.css";
import "@mantine/core/styles/Overlay.layer.css";
import { limits } from "@balcao/contract/limits";
import { Modal } from "@mantine/core";
import { useMediaQuery, useMounted } from "@mantine/hooks";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./form-dialog.module.css";
import { useFocusBack } from "./use-focus-back.ts";

type Props = {
  opened: boolean;
  onClose: () => void;
  title: ReactNode;
  /** Width in px (ui.md section 2, dialogs). */
  size?: 480 | 640 | 760 | 820 | 960 | 1080;
  /** At the side of the page, in its whole height. */
  isSide?: boolean;
  /** Another dialog is over this one: Escape closes that one alone. */
  isCovered?: boolean;
  /** It takes the window's height, and its parts scroll by themselves, without space around them. */
  hasPanes?: boolean;
  children: ReactNode;
};

/** A form or a conversation over the page; the whole screen under 600 px. */
export function DialogFrame(props: Props): ReactNode {
  const { opened, onClose, title, size = 480, isSide = false, isCovered = false } = props;
  const { hasPanes = false } = props;
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
      fullScreen={isNarrow || isSide}
      {...(isSide && !isNarrow
        ? {
            classNames: { inner: classes["side"] ?? "" },
            transitionProps: { transition: "slide-left", duration: 160 },
          }
        : {})}
      {...(hasPanes
        ? {
            yOffset: "24px",
            classNames: { content: classes["paned"] ?? "", body: classes["panedBody"] ?? "" },
          }
        : {})}
      closeOnEscape={!isCovered}
      // The library makes it a landmark, beside the page's own.
      attributes={{ header: { role: "presentation" } }}
      closeButtonProps={{ "aria-label": t("common.close"), className: classes["close"] ?? "" }}
    >
      {props.children}
    </Modal>
  );
}
