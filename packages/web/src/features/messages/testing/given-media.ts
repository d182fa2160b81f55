import type { Media } from "@balcao/contract";

/** An available picture; other kinds by its fields. */
export function givenMedia(fields: Partial<Media> = {}): Media {
  return {
    state: "ready",
    kind: "image",
    name: "foto.jpg",
    mime: "image/jpeg",
    bytes: 234_567,
    width: 1_600,
    height: 1_200,
    durationMs: null,
    waveform: null,
    isViewOnce: false,
    url: "/files/foto.jpg",
    thumbnailUrl: "/files/foto-small.jpg",
    ...fields,
  };
}
