import { randomUUID } from "node:crypto";

export type UploadedFile = {
  mime: string;
  name: string;
  bytes: number;
  content: AsyncIterable<Uint8Array>;
};

export type UploadForm = {
  contentType: string;
  bytes: number;
  content: AsyncIterable<Uint8Array>;
};

/** The multipart body of a media upload, with its length known beforehand: the file passes through as it is read. */
export function uploadForm({ mime, name, bytes, content }: UploadedFile): UploadForm {
  const boundary = `balcao-${randomUUID()}`;
  const type = oneLine(mime);
  const head = Buffer.from(
    [
      ...textPart(boundary, "messaging_product", "whatsapp"),
      ...textPart(boundary, "type", type),
      `--${boundary}`,
      `Content-Disposition: form-data; name="file"; filename="${oneLine(name).replaceAll('"', "%22")}"`,
      `Content-Type: ${type}`,
      "",
      "",
    ].join("\r\n"),
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  async function* body(): AsyncGenerator<Uint8Array> {
    yield head;
    yield* content;
    yield tail;
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: head.byteLength + bytes + tail.byteLength,
    content: body(),
  };
}

function textPart(boundary: string, name: string, value: string): string[] {
  return [`--${boundary}`, `Content-Disposition: form-data; name="${name}"`, "", value];
}

const oneLine = (value: string): string => value.replaceAll(/[\r\n]/g, " ");
