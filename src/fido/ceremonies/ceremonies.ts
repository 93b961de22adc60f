import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { Clock } from '../../common/clock.js';
import { serverOptions } from '../../config/server-config.js';
import { ApiError } from '../../errors/api-error.js';
import { randomText } from '../../common/random.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { CeremonyStore } from './ceremony-store.js';
import type { CeremonyKind, Pending, PendingOf } from './ceremony.js';

const CHALLENGE_BYTES = 32;
/** How far the clocks of instances may differ. */
const SKEW_MS = 5_000;
const LABELS: Record<CeremonyKind, string> = { registration: 'r', authentication: 'a' };

type Facts<P extends Pending> = Omit<P, 'challenge' | 'rp' | 'expiresAt'>;

/** Begins ceremonies and hands each out once. */
@Injectable()
export class Ceremonies {
  constructor(
    private readonly store: CeremonyStore,
    private readonly clock: Clock,
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
  ) {}

  /**
   * Keeps what the result call will need.
   *
   * @returns the new challenge, Base64URL (W3C WebAuthn L3 §13.4.3: at least 16 random bytes)
   */
  async begin<P extends Pending>(
    rp: RelyingParty,
    session: string,
    facts: Facts<P>,
  ): Promise<string> {
    const challenge = randomText(CHALLENGE_BYTES);
    const pending = {
      challenge,
      rp: rp.id.toString('base64url'),
      expiresAt: this.clock.now() + this.lifeMs,
      ...facts,
    };
    await this.store.put(session, LABELS[facts.kind] + challenge + entryOf(pending));
    return challenge;
  }

  /**
   * Takes the ceremony whose challenge the client data names, else the newest of this kind. It is
   * used then, whatever comes of it.
   *
   * @throws ApiError E0024R when there is none, or it is too old, or of another relying party
   */
  async take<Kind extends CeremonyKind>(
    rp: RelyingParty,
    kind: Kind,
    session: string | undefined,
    challenge: string,
  ): Promise<PendingOf<Kind>> {
    const label = LABELS[kind];
    const entry =
      session === undefined
        ? undefined
        : ((await this.store.take(session, label + challenge)) ??
          (await this.store.take(session, label)));
    const pending = entry === undefined ? undefined : readEntry(entry);
    const valid =
      pending?.kind === kind &&
      this.isTimely(pending) &&
      pending.rp === rp.id.toString('base64url');
    if (!valid) throw new ApiError('E0024R');
    return pending as PendingOf<Kind>;
  }

  private get lifeMs(): number {
    return this.options.session * 1000;
  }

  /** A ceremony of the future was begun before the clock was set back: nobody knows how old it is. */
  private isTimely({ expiresAt }: Pending): boolean {
    const left = expiresAt - this.clock.now();
    return left > 0 && left <= this.lifeMs + SKEW_MS;
  }
}

/**
 * An entry is a label (kind and challenge), JSON and, where there is one, the device metadata behind a
 * line feed, which JSON in one line never has: as a string in JSON each of its quotes would take two
 * characters.
 */
function entryOf(pending: object): string {
  if (!('keypair' in pending) || typeof pending.keypair !== 'string')
    return JSON.stringify(pending);
  return `${JSON.stringify({ ...pending, keypair: undefined })}\n${pending.keypair}`;
}

/** One that was tampered with counts as none. An older version's has the metadata in its JSON. */
function readEntry(entry: string): Pending | undefined {
  const [text = '', keypair] = entry.slice(entry.indexOf('{')).split('\n', 2);
  try {
    const pending = JSON.parse(text) as Pending;
    return keypair === undefined ? pending : ({ ...pending, keypair } as Pending);
  } catch {
    return undefined;
  }
}
