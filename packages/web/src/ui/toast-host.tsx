import "@mantine/core/styles/Notification.layer.css";
import "@mantine/notifications/styles.layer.css";
import { limits } from "@balcao/contract/limits";
import { useMediaQuery } from "@mantine/hooks";
import { Notifications, notifications } from "@mantine/notifications";
import type { Icon } from "@tabler/icons-react";
import { IconAlertCircle, IconCircleCheck, IconInfoCircle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { i18n } from "../i18n/index.ts";

const MAX_TOASTS = 3;

export type Toast = {
  tone: "ok" | "info" | "bad";
  text: string;
  action?: { label: string; run: () => void };
};

const WITH_BUTTON_MS = 12_000;

const looks: Readonly<Record<Toast["tone"], { icon: Icon; color: string }>> = {
  ok: { icon: IconCircleCheck, color: "var(--bc-ok)" },
  info: { icon: IconInfoCircle, color: "var(--bc-info)" },
  bad: { icon: IconAlertCircle, color: "var(--bc-bad)" },
};

/** The container of toasts. */
export function ToastHost(): ReactNode {
  const isNarrow = useMediaQuery("(max-width: 599px)");
  return (
    <Notifications
      position={isNarrow ? "top-center" : "bottom-left"}
      limit={MAX_TOASTS}
      containerWidth={340}
      transitionDuration={160}
    />
  );
}

/** Shows a toast. Equal texts share one toast. Errors interrupt a screen reader, other toasts do not. */
export function showToast({ tone, text, action }: Toast): void {
  const { icon: ToastIcon, color } = looks[tone];
  const id = `${tone} ${text}`;
  notifications.show({
    id,
    message:
      action === undefined ? (
        text
      ) : (
        <>
          {text}{" "}
          <button
            type="button"
            className="bc-text-button"
            onClick={() => {
              notifications.hide(id);
              action.run();
            }}
          >
            {action.label}
          </button>
        </>
      ),
    icon: <ToastIcon size={19} stroke={1.7} color={color} aria-hidden="true" />,
    role: tone === "bad" ? "alert" : "status",
    color: "transparent",
    autoClose: action ? WITH_BUTTON_MS : tone === "bad" ? limits.errorToastMs : limits.toastMs,
    closeButtonProps: { "aria-label": i18n.t("common.close") },
  });
}
