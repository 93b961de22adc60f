import type { AdminClient } from './admin-client.js';
import type { Answer } from './client.js';

export const UPLOAD = '/userapi/upload';
export const DELETION = '/userapi/deletelistusers';
export const LISTED_KEYS = '/userapi/changelistkeys';
export const BOUNDARY = 'servicefido-test';

/** A part of a multipart body, written out. */
export interface Part {
  readonly disposition: string;
  readonly content: string | Uint8Array;
  readonly type?: string;
}

/** A multipart body as bytes, so that tests can break it. */
export function multipart(parts: readonly Part[], boundary = BOUNDARY): Buffer {
  return Buffer.concat([
    ...parts.flatMap(({ disposition, content, type = 'text/plain' }) => [
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${type}\r\n\r\n`,
      ),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
}

/** The one part that an upload expects. */
export const filePart = (content: string | Uint8Array, filename = 'list.txt'): Part => ({
  disposition: `form-data; name="file"; filename="${filename}"`,
  content,
});

/** Sends bytes as a multipart body. */
export const postBody = (
  client: AdminClient,
  path: string,
  body: Uint8Array,
  boundary = BOUNDARY,
): Promise<Answer> =>
  client.send(path, {
    method: 'POST',
    body: body as Uint8Array<ArrayBuffer>,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  });

/** Sends a list file. */
export const postList = (
  client: AdminClient,
  path: string,
  content: string | Uint8Array,
): Promise<Answer> => postBody(client, path, multipart([filePart(content)]));
