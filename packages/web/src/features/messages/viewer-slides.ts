import type { Media, Message } from "@balcao/contract";
import type { Slide } from "yet-another-react-lightbox";
import { isViewable } from "./message-content.ts";

export type ViewerSlides = {
  slides: Slide[];
  /** Which messages they are, in the same order. */
  messageIds: string[];
};

/** Every picture and video of the loaded conversation, in its order. */
export function viewerSlides(messages: readonly Message[]): ViewerSlides {
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
