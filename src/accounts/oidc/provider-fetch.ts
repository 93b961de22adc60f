/** Larger than any document of a provider: keys, metadata, and an answer with hundreds of groups. */
const MAX_BYTES = 1024 * 1024;

/**
 * Fetches documents of a provider: up to a size, since an endless one would fill the memory, and never in plain HTTP if
 * the issuer has HTTPS, since its metadata may name any address.
 */
export const fetchOf =
  (issuer: URL) =>
  async (address: string, options: object): Promise<Response> => {
    if (issuer.protocol === 'https:' && !URL.parse(address)?.protocol.startsWith('https:'))
      throw new Error(`${address} does not begin with https://`);
    const response = await fetch(address, options);
    return response.body ? new Response(bounded(response.body), response) : response;
  };

function bounded(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let left = MAX_BYTES;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        left -= chunk.length;
        if (left < 0) controller.error(new Error('the document is too large'));
        else controller.enqueue(chunk);
      },
    }),
  );
}
