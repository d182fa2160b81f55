import type { FileList, ListedFileList } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { upload } from "../../api/upload.ts";
import { livePages, liveRecords } from "../../realtime/live-list.ts";

export const fileListPages = livePages<ListedFileList>({
  key: ["file-lists", "page"],
  identify: ({ id }) => id,
  async read(searchParam, pageNumber, signal) {
    const query = { searchParam, pageNumber };
    const { files: rows, ...rest } = await call("GET /files", { query }, { signal });
    return { rows, ...rest };
  },
}).follow("file");

/** One list with its files. */
const fileListRecords = liveRecords<number, FileList>({
  key: ["file-lists", "one"],
  read: (fileListId, signal) =>
    call("GET /files/:fileListId", { params: { fileListId } }, { signal }),
}).follow("file", (event) =>
  event.action === "delete" ? null : { of: event.files.id, change: () => event.files },
);

export const useFileList = (id: number) => useQuery(fileListRecords.query(id));

type FileListBody = {
  name: string;
  message: string;
  /** Without an id: a new one. */
  options: readonly { id: number | null; name: string }[];
};

/** Saves a new (`id` null) or known list; its options come back in their order. */
export async function saveFileList(id: number | null, body: FileListBody): Promise<FileList> {
  const options = [...body.options];
  const saved =
    id === null
      ? await call("POST /files", { body: { ...body, options } })
      : await call("PUT /files/:fileListId", {
          params: { fileListId: id },
          body: { ...body, options },
        });
  changed(saved.id);
  return saved;
}

/** The file for an option of a list. */
export type OptionFile = { optionId: number; file: File };

/**
 * Uploads files, some at a time. `onDone` is told which are stored, `onProgress` the part of all bytes from 0 to 1. Throws
 * `ApiError`; then those that were told are stored.
 */
export async function uploadOptionFiles(
  fileListId: number,
  files: readonly OptionFile[],
  onDone: (stored: readonly OptionFile[]) => void,
  onProgress: (part: number) => void,
): Promise<void> {
  const whole = bytesOf(files);
  for (let from = 0; from < files.length; from += limits.mediasPerRequest) {
    const batch = files.slice(from, from + limits.mediasPerRequest);
    const [before, size] = [bytesOf(files.slice(0, from)), bytesOf(batch)];
    await upload(
      "POST /files/uploadList/:fileListId",
      {
        params: { fileListId },
        fields: {
          ...{ typeArch: "fileList", fileId: String(fileListId) },
          id: batch.map(({ optionId }) => String(optionId)),
        },
        files: { files: batch.map(({ file }) => file) },
      },
      { onProgress: (part) => onProgress((before + part * size) / Math.max(1, whole)) },
    );
    onDone(batch);
  }
  if (files.length > 0) changed(fileListId);
}

const bytesOf = (files: readonly OptionFile[]): number =>
  files.reduce((sum, { file }) => sum + file.size, 0);

export async function deleteFileList(id: number): Promise<void> {
  await call("DELETE /files/:fileListId", { params: { fileListId: id } });
  fileListPages.readAgain();
}

function changed(id: number): void {
  fileListPages.readAgain();
  void fileListRecords.readAgain(id);
}
