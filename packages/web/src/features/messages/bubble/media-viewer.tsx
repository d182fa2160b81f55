import "yet-another-react-lightbox/styles.css";
import type { Media, Message } from "@balcao/contract";
import type { ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import type { Slide } from "yet-another-react-lightbox";
import Lightbox from "yet-another-react-lightbox";
import Download from "yet-another-react-lightbox/plugins/download";
import Video from "yet-another-react-lightbox/plugins/video";
import Zoom from "yet-another-react-lightbox/plugins/zoom";
import { useViewerLabels } from "../../../ui/dialogs/image-viewer.tsx";
import { pause } from "./audio-player.tsx";
import { isViewable } from "./message-content.ts";

type Props = {
  messages: readonly Message[];
  /** The first picture to show. */
  messageId: string;
  onClose: () => void;
};

const plugins = [Video, Zoom, Download];

/** A viewer for pictures and videos of the conversation. Mounting opens it; it returns the focus when it closes. */
export function MediaViewer({ messages, messageId, onClose }: Props): ReactNode {
  // New messages must not move the open picture.
  const [{ slides, messageIds }] = useState(() => viewerSlides(messages));
  const [index, setIndex] = useState(() => Math.max(0, messageIds.indexOf(messageId)));
  const opener = useRef<Element | null>(null);
  useEffect(() => {
    pause();
    opener.current = document.activeElement;
    return () => {
      // It unmounts a moment after closing: an element that took the focus since then keeps it.
      if (document.activeElement !== document.body) return;
      const element = opener.current;
      const isThere = element instanceof HTMLElement && element.isConnected;
      const target = isThere ? element : document.querySelector<HTMLElement>("#messages");
      target?.focus({ preventScroll: true });
    };
  }, []);
  const labels = useViewerLabels();
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

type ViewerSlides = {
  slides: Slide[];
  /** The messages of the slides, in the same order. */
  messageIds: string[];
};

/** Every picture and video of the loaded conversation, in its order. */
function viewerSlides(messages: readonly Message[]): ViewerSlides {
  const slides: Slide[] = [];
  const messageIds: string[] = [];
  for (const message of messages) {
    const { media } = message;
    if (media === null || media.url === null || !isViewable(message)) continue;
    slides.push(slideOf(media, media.url));
    messageIds.push(message.id);
  }
  return { slides, messageIds };
}

function slideOf(media: Media, url: string): Slide {
  const download = { url, filename: media.name };
  const size = {
    ...(media.width === null ? {} : { width: media.width }),
    ...(media.height === null ? {} : { height: media.height }),
  };
  if (media.kind === "video") {
    const poster = media.thumbnailUrl === null ? {} : { poster: media.thumbnailUrl };
    return {
      type: "video",
      sources: [{ src: url, type: media.mime }],
      ...poster,
      ...size,
      download,
    };
  }
  return { src: url, alt: media.name, ...size, download };
}
