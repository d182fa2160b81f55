import type { Message } from "@balcao/contract";
import type { ReactNode } from "react";
import { AudioPlayer } from "./audio-player.tsx";
import { ContactCards } from "./contact-cards.tsx";
import { AdCard, LocationCard, PollCard, PollVote, ViewOnceNote } from "./details-cards.tsx";
import { DocumentCard } from "./document-card.tsx";
import { MediaPicture } from "./media-picture.tsx";

/** What a message carries beside its text; nothing for a text. */
export function MessageBody({ message }: { message: Message }): ReactNode {
  return (
    <>
      <File message={message} />
      <Details message={message} />
    </>
  );
}

function File({ message }: { message: Message }): ReactNode {
  const { media } = message;
  if (media === null) return null;
  switch (media.kind) {
    case "image":
    case "video":
    case "sticker":
      return <MediaPicture message={message} media={media} />;
    case "audio":
    case "voice":
      return <AudioPlayer messageId={message.id} media={media} />;
    case "document":
      return <DocumentCard media={media} />;
  }
}

function Details({ message: { details } }: { message: Message }): ReactNode {
  if (details === null) return null;
  switch (details.kind) {
    case "location":
      return <LocationCard place={details} />;
    case "contacts":
      return <ContactCards contacts={details.contacts} />;
    case "poll":
      return <PollCard poll={details} />;
    case "poll-vote":
      return <PollVote vote={details} />;
    case "view-once":
      return <ViewOnceNote />;
    case "ad":
      return <AdCard ad={details} />;
    case "choice":
      return null; // its text is the message's
    case "call":
    case "number-changed":
      return null; // a line of its own, not a bubble
  }
}
