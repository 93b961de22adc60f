import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Answer } from './client.js';

/** A POST that waits behind the barrier. */
export interface Shot {
  readonly url: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

export type ShotAnswer = Pick<Answer, 'status' | 'body'>;

/**
 * Sends every request except its last byte, each over its own connection, and waits until the servers have begun to
 * read all of them.
 *
 * @returns a function that sends all last bytes together, so that the servers get them as simultaneously as possible
 */
export async function holdAtBarrier(shots: readonly Shot[]): Promise<() => Promise<ShotAnswer[]>> {
  const loaded = await Promise.all(shots.map(load));
  return () => Promise.all(loaded.map((fire) => fire()));
}

export async function fireTogether(shots: readonly Shot[]): Promise<ShotAnswer[]> {
  const fire = await holdAtBarrier(shots);
  return fire();
}

/** `Expect: 100-continue` makes the server say when it has begun with the request. */
async function load({ url, body, headers }: Shot): Promise<() => Promise<ShotAnswer>> {
  const bytes = Buffer.from(JSON.stringify(body));
  const sent = request(url, {
    method: 'POST',
    agent: false,
    headers: {
      'content-type': 'application/json',
      'content-length': bytes.length,
      expect: '100-continue',
      ...headers,
    },
  });
  const answer = answerOf(sent);
  sent.flushHeaders();
  await once(sent, 'continue');
  sent.write(bytes.subarray(0, -1));
  return () => {
    sent.end(bytes.subarray(-1));
    return answer;
  };
}

async function answerOf(sent: ClientRequest): Promise<ShotAnswer> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: (await json(response)) as Answer['body'] };
}
