import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { Clock } from '../../common/clock.js';
import { serverOptions } from '../../config/server-config.js';
import { ApiError } from '../../errors/api-error.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { CeremonyStore } from './ceremony-store.js';
import type { Wait } from './ceremony-store.js';
import { Challenges } from './challenges.js';
import type { CeremonyKind, Pending, PendingAuthentication, PendingOf } from './ceremony.js';

/** How far the clocks of instances may differ. */
const SKEW_MS = 5_000;
/** Of ceremonies that wait in a form's autofill list, of which a session has at most four. */
const CONDITIONAL = 'c';
const MOST_CONDITIONAL = 4;
const LABELS = { registration: ['r'], authentication: ['a', CONDITIONAL] } as const;
const OTHER = { registration: 'authentication', authentication: 'registration' } as const;
/** What no client data can name: it is not Base64URL. */
export const NO_CHALLENGE = '*';

type Facts<P extends Pending> = Omit<P, 'challenge' | 'rp' | 'expiresAt'>;
interface Timed {
  readonly kind: CeremonyKind;
  readonly conditional?: boolean;
}

/** Begins ceremonies and hands each out once. */
@Injectable()
export class Ceremonies {
  constructor(
    private readonly store: CeremonyStore,
    private readonly challenges: Challenges,
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
    const challenge = this.challenges.issue(session, transactionOf(facts));
    const lifeMs = this.lifeOf(facts);
    const pending = {
      challenge,
      rp: rp.id.toString('base64url'),
      expiresAt: this.clock.now() + lifeMs,
      ...facts,
    };
    const [label, wait] = isConditional(facts)
      ? [CONDITIONAL, { lifeMs, most: MOST_CONDITIONAL } satisfies Wait]
      : [LABELS[facts.kind][0]];
    await this.store.put(session, label + challenge + textOf(pending), wait);
    return challenge;
  }

  /** For how long a ceremony can be completed, in ms. */
  lifeOf(facts: Timed): number {
    return 1000 * (isConditional(facts) ? this.options.sessionConditional : this.options.session);
  }

  /**
   * Takes the ceremony whose challenge the client data names; it is used then, whatever comes of it.
   * Client data that names none takes the newest of this kind.
   *
   * A challenge that was never issued to this session takes nothing. Other faults of the call are to be
   * told before this one (E0028R), so it is given the newest ceremony of this kind with a challenge
   * that nothing matches.
   *
   * @param challenge as the client data names it, else empty
   * @throws ApiError E0024R when the challenge was issued and is pending no more, and when nothing of
   *   this kind is pending, or it is too old, or of another relying party
   */
  async take<Kind extends CeremonyKind>(
    rp: RelyingParty,
    kind: Kind,
    session: string | undefined,
    challenge: string,
  ): Promise<PendingOf<Kind>> {
    if (session === undefined) throw new ApiError('E0024R');
    if (challenge === '')
      return this.opened(rp, kind, await this.store.take(session, ...LABELS[kind]));
    const entry = this.challenges.isWellFormed(challenge)
      ? await this.store.take(session, ...labelsOf(kind, challenge))
      : undefined;
    if (entry !== undefined) return this.opened(rp, kind, entry);
    const entries = await this.store.entriesOf(session);
    if (this.isOver(kind, { session, challenge, entries })) throw new ApiError('E0024R');
    const newest = entries.findLast((one) => beginsWith(one, LABELS[kind]));
    return { ...this.opened(rp, kind, newest), challenge: NO_CHALLENGE };
  }

  /** Whether the challenge was issued to the session; one that waits as the other kind was not. */
  private isOver(kind: CeremonyKind, { session, challenge, entries }: Sought): boolean {
    const others = labelsOf(OTHER[kind], challenge);
    const other = entries.find((one) => beginsWith(one, others));
    const pending = other === undefined ? undefined : readEntry(other);
    if (pending && this.isTimely(pending)) return false;
    return this.challenges.isIssuedTo(session, challenge);
  }

  /** @throws ApiError E0024R */
  private opened<Kind extends CeremonyKind>(
    rp: RelyingParty,
    kind: Kind,
    entry: string | undefined,
  ): PendingOf<Kind> {
    const pending = entry === undefined ? undefined : readEntry(entry);
    const valid =
      pending?.kind === kind &&
      this.isTimely(pending) &&
      pending.rp === rp.id.toString('base64url');
    if (!valid) throw new ApiError('E0024R');
    return pending as PendingOf<Kind>;
  }

  /** A ceremony of the future was begun before the clock was set back: nobody knows how old it is. */
  private isTimely(pending: Pending): boolean {
    const left = pending.expiresAt - this.clock.now();
    return left > 0 && left <= this.lifeOf(pending) + SKEW_MS;
  }
}

/** A challenge that is not among those that wait. */
interface Sought {
  readonly session: string;
  readonly challenge: string;
  readonly entries: readonly string[];
}

/** SHA-256 of what the user agrees to. */
const transactionOf = (facts: object): Buffer | undefined => {
  const { agreed } = facts as Partial<PendingAuthentication>;
  return agreed?.txn === undefined ? undefined : Buffer.from(agreed.txn, 'base64url');
};

/** How the one entry may begin: behind its challenge follows JSON. */
const labelsOf = (kind: CeremonyKind, challenge: string): readonly string[] =>
  LABELS[kind].map((label) => `${label}${challenge}{`);

const beginsWith = (entry: string, labels: readonly string[]): boolean =>
  labels.some((label) => entry.startsWith(label));

const isConditional = (facts: Timed): boolean => facts.conditional === true;

/**
 * An entry is a label (kind and challenge), JSON and, where there is one, the device metadata behind a
 * line feed, which JSON in one line never has: as a string in JSON each of its quotes would take two
 * characters.
 */
function textOf(pending: object): string {
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
