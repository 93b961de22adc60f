import { setTimeout as pause } from 'node:timers/promises';
import { FidoClient } from './fido-client.js';
import type { Answer } from './client.js';

/** So that a test spends its time on waiting for faults, not on creating keys. */
const REST_MS = 15;

interface Told {
  readonly answer: Answer;
  readonly ms: number;
}

/** Users who register and sign in all the time, and the answers that they got. */
export class BusyUsers {
  readonly told: Told[] = [];
  /** Users whose registration was acknowledged, with the authenticator that holds the key. */
  readonly registered = new Map<string, FidoClient>();
  private stopped = false;
  private readonly work: Promise<void>[];

  /** @param urls instances, which get the requests in turn */
  constructor(
    private readonly urls: readonly [string, ...string[]],
    count: number,
  ) {
    this.work = Array.from({ length: count }, (_, n) => this.live(`busy-${n}-${Date.now()}`));
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.work);
  }

  /** Users whose registration was acknowledged and who cannot sign in. */
  async lost(): Promise<string[]> {
    const lost: string[] = [];
    for (const [username, { authenticator, origin }] of this.registered) {
      const again = new FidoClient(this.urls[0], { authenticator, origin });
      if ((await again.signIn(username)).status !== 200) lost.push(username);
    }
    return lost;
  }

  private async live(name: string): Promise<void> {
    for (let n = 0; !this.stopped; n += 1) {
      const url = this.urls[n % this.urls.length] ?? this.urls[0];
      const client = new FidoClient(url, { origin: this.urls[0] });
      const username = `${name}-${n}`;
      if (await this.ceremony(client, username, 'Registration')) {
        this.registered.set(username, client);
        await this.ceremony(client, username, 'Authentication');
      }
      await pause(REST_MS);
    }
  }

  private async ceremony(
    client: FidoClient,
    username: string,
    kind: 'Registration' | 'Authentication',
  ): Promise<boolean> {
    const begun = await this.listen(client[`begin${kind}`](username));
    if (begun.status !== 200) return false;
    const body = kind === 'Registration' ? client.create(begun) : client.assert(begun);
    return (await this.listen(client[`complete${kind}`](body))).status === 200;
  }

  private async listen(asked: Promise<Answer>): Promise<Answer> {
    const began = performance.now();
    const answer = await asked;
    this.told.push({ answer, ms: performance.now() - began });
    return answer;
  }
}
