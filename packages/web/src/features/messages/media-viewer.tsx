import "yet-another-react-lightbox/styles.css";
import type { Message } from "@balcao/contract";
import type { ReactNode } from "react";
import { useEffect, useMemo, useRef, useState } from "react";
import Lightbox from "yet-another-react-lightbox";
import Download from "yet-another-react-lightbox/plugins/download";
import Video from "yet-another-react-lightbox/plugins/video";
import Zoom from "yet-another-react-lightbox/plugins/zoom";
import { useTranslation } from "../../i18n/index.ts";
import { pause } from "./audio-playback.ts";
import { viewerSlides } from "./viewer-slides.ts";

type Props = {
  messages: readonly Message[];
  /** The one to begin with. */
  messageId: string;
  onClose: () => void;
};

const plugins = [Video, Zoom, Download];

/** Pictures and videos of the conversation, large. Mounted open; gives the focus back when it goes. */
export function MediaViewer({ messages, messageId, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  // What arrives meanwhile must not move the picture that is being looked at.
  const [{ slides, messageIds }] = useState(() => viewerSlides(messages));
  const [index, setIndex] = useState(() => Math.max(0, messageIds.indexOf(messageId)));
  const opener = useRef<Element | null>(null);
  useEffect(() => {
    pause();
    opener.current = document.activeElement;
    return () => {
      // It goes a moment after it was closed: who has taken the focus since then keeps it.
      if (document.activeElement !== document.body) return;
      const element = opener.current;
      const isThere = element instanceof HTMLElement && element.isConnected;
      const target = isThere ? element : document.querySelector<HTMLElement>("#messages");
      target?.focus({ preventScroll: true });
    };
  }, []);
  const labels = useMemo(
    () => ({
      Previous: t("messages.viewer.previous"),
      Next: t("messages.viewer.next"),
      Close: t("common.close"),
      Download: t("messages.download"),
      "Zoom in": t("messages.viewer.zoomIn"),
      "Zoom out": t("messages.viewer.zoomOut"),
      Lightbox: t("messages.viewer.name"),
      "Photo gallery": t("messages.viewer.name"),
      Slide: t("messages.viewer.slide"),
      Carousel: t("messages.viewer.name"),
      "{index} of {total}": t("messages.viewer.position"),
    }),
    [t],
  );
  return (
    <Lightbox
      open
      close={onClose}
      slides={slides}
      index={index}
      plugins={plugins}
      labels={labels}
      on={{ view: ({ index: shown }) => setIndex(shown) }}
      carousel={{ finite: true, preload: 1 }}
      controller={{ closeOnBackdropClick: true, closeOnPullDown: true }}
      zoom={{ maxZoomPixelRatio: 3 }}
      video={{ controls: true, playsInline: true, preload: "metadata" }}
    />
  );
}
