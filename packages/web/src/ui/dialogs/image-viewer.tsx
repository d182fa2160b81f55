import "yet-another-react-lightbox/styles.css";
import type { ReactNode } from "react";
import { useEffect, useMemo, useRef } from "react";
import Lightbox from "yet-another-react-lightbox";
import Download from "yet-another-react-lightbox/plugins/download";
import Zoom from "yet-another-react-lightbox/plugins/zoom";
import { useTranslation } from "../../i18n/index.ts";

/** The words of the viewer of pictures. */
export function useViewerLabels(): Record<string, string> {
  const { t } = useTranslation();
  return useMemo(
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
}

type Props = { url: string; alt: string; name: string; onClose: () => void };

const plugins = [Zoom, Download];

/** One picture over the page. Mounting opens it; it returns the focus when it closes. */
export function ImageViewer({ url, alt, name, onClose }: Props): ReactNode {
  const labels = useViewerLabels();
  const opener = useRef<Element | null>(null);
  useEffect(() => {
    opener.current = document.activeElement;
    return () => {
      const element = opener.current;
      if (element instanceof HTMLElement && element.isConnected) {
        element.focus({ preventScroll: true });
      }
    };
  }, []);
  return (
    <Lightbox
      open
      close={onClose}
      slides={[{ src: url, alt, download: { url, filename: name } }]}
      plugins={plugins}
      labels={labels}
      carousel={{ finite: true }}
      render={{ buttonPrev: () => null, buttonNext: () => null }}
      controller={{ closeOnBackdropClick: true, closeOnPullDown: true }}
      zoom={{ maxZoomPixelRatio: 3 }}
    />
  );
}
