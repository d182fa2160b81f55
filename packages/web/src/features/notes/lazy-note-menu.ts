import { lazyPart } from "../../ui/lazy-part.tsx";

/** The menu of a note in the conversation. */
export const LazyNoteMenu = lazyPart(async () => (await import("./note-menu.tsx")).NoteMenu);
