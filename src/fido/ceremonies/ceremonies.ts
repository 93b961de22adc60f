import { createSecretKey, type KeyObject } from 'node:crypto';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { SecretStore } from '../../platform/database/secrets/secret-store.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import {
  CLOCK_SKEW_MS,
  CeremonyStore,
  type CallerSession,
  type EntryLimits,
} from './stores/ceremony-store.js';
import { deadlineOf, isWellFormed, newChallenge } from './challenges.js';
import type {
  CeremonyKind,
  Pending,
  PendingAuthentication,
  PendingOf,
  PendingRegistration,
} from './ceremony.js';

/** Label of ceremonies that wait in a form's autofill list; a session has at most four. */
const CONDITIONAL = 'c';
const MAX_CONDITIONAL = 4;
const LABELS = { registration: ['r'], authentication: ['a', CONDITIONAL] } as const;
const OTHER = { registration: 'authentication', authentication: 'registration' } as const;

interface Timed {
  readonly kind: CeremonyKind;
  readonly conditional?: boolean;
}

/** Begins ceremonies, limits their lifetime, and returns each once. */
@Injectable()
export class Ceremonies implements OnModuleInit {
  private challengeKey!: KeyObject;

  constructor(
    private readonly store: CeremonyStore,
    private readonly secrets: SecretStore,
    private readonly clock: Clock,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  async onModuleInit(): Promise<void> {
    const secret = await this.secrets.findOrCreate('challenges');
    this.challengeKey = createSecretKey(secret, 'base64url');
  }

  /**
   * Stores the data that the result call needs.
   *
   * @returns the new challenge, Base64URL (W3C WebAuthn L3 §13.4.3: at least 16 random bytes)
   */
  async begin<P extends Pending>(
    rp: RelyingParty,
    session: CallerSession,
    facts: Omit<P, 'challenge' | 'rp' | 'expiresAt' | 'begunAt'>,
  ): Promise<string> {
    const lifeMs = this.lifetimeOf(facts);
    const expiresAt = this.clock.now() + lifeMs;
    const challenge = newChallenge(this.challengeKey, session.id, expiresAt, transactionOf(facts));
    const pending = { challenge, rp: rp.id.toString('base64url'), expiresAt, ...facts };
    const [label, wait] = isConditional(facts)
      ? [CONDITIONAL, { lifeMs, most: MAX_CONDITIONAL } satisfies EntryLimits]
      : [LABELS[facts.kind][0]];
    await this.store.put(session, label + challenge + pendingText(pending), wait);
    return challenge;
  }

  /** Lets a registration that was taken be completed after all: its call met a limit or a failure that may pass. */
  async giveBack(session: CallerSession, pending: PendingRegistration): Promise<void> {
    if (pending.isTaken === false) return;
    const [label] = LABELS.registration;
    await this.store.put(session, label + pending.challenge + pendingText(pending));
  }

  /** How long a ceremony can be completed, in ms. */
  lifetimeOf(facts: Timed): number {
    return 1000 * (isConditional(facts) ? this.options.sessionConditional : this.options.session);
  }

  /**
   * Takes the ceremony with the challenge in the client data; it is used up, whether or not the call succeeds.
   * Without a challenge, takes the newest ceremony of this kind. For a challenge that was never issued to this session,
   * returns the newest ceremony, which is not taken: its challenge is another one, so the call is refused with E0028R,
   * unless it has a fault that is reported before.
   *
   * @param challenge the one in the client data, else empty
   * @throws ApiError E0024R if the challenge was issued but is no longer pending, or if the pending
   *   ceremony is missing, too old or of another relying party
   */
  async take<Kind extends CeremonyKind>(
    rp: RelyingParty,
    kind: Kind,
    session: string,
    challenge: string,
  ): Promise<PendingOf<Kind>> {
    const taken = await this.takeEntry(kind, session, challenge);
    if (taken !== undefined) return this.opened(rp, kind, taken);
    if (challenge === '') throw new ApiError('E0024R');
    const entries = await this.store.entriesOf(session);
    const isOfOtherKind = this.isPendingAs(OTHER[kind], challenge, entries);
    const deadline = deadlineOf(this.challengeKey, session, challenge);
    if (deadline !== undefined && !isOfOtherKind) throw this.spent(deadline);
    const newest = entries.findLast((one) => beginsWith(one, LABELS[kind]));
    if (newest === undefined) throw notPending(challenge, isOfOtherKind);
    const pending = this.opened(rp, kind, newest);
    // Another call has given it back in the meantime: this one has taken nothing.
    if (pending.challenge === challenge) throw new ApiError('E0024R', 'session.used');
    return { ...pending, isTaken: false };
  }

  private async takeEntry(
    kind: CeremonyKind,
    session: string,
    challenge: string,
  ): Promise<string | undefined> {
    if (challenge === '') return this.store.take(session, ...LABELS[kind]);
    if (!isWellFormed(challenge)) return undefined;
    return this.store.take(session, ...labelsOf(kind, challenge));
  }

  /** The refusal for a challenge that was issued to the session and is no longer pending. */
  private spent(deadline: number): ApiError {
    const isPast = deadline + this.store.toleranceMs <= this.clock.now();
    return new ApiError('E0024R', isPast ? 'session.expired' : 'session.used');
  }

  /** Finds the session to which a challenge was issued. */
  sessionOf(ids: readonly string[], challenge: string): string | undefined {
    return ids.find((id) => deadlineOf(this.challengeKey, id, challenge) !== undefined);
  }

  /** Whether the challenge is one of a ceremony of this kind that can still be completed. */
  private isPendingAs(kind: CeremonyKind, challenge: string, entries: readonly string[]): boolean {
    const entry = entries.find((one) => beginsWith(one, labelsOf(kind, challenge)));
    const pending = entry === undefined ? undefined : readEntry(entry);
    return pending !== undefined && this.isTimely(pending);
  }

  /** @throws ApiError E0024R */
  private opened<Kind extends CeremonyKind>(
    rp: RelyingParty,
    kind: Kind,
    entry: string,
  ): PendingOf<Kind> {
    const pending = readEntry(entry);
    if (pending?.kind !== kind) throw new ApiError('E0024R');
    if (pending.rp !== rp.id.toString('base64url')) {
      throw new ApiError('E0024R', 'session.otherRelyingParty');
    }
    if (!this.isTimely(pending)) throw new ApiError('E0024R', 'session.expired');
    const begunAt = pending.expiresAt - this.lifetimeOf(pending);
    return { ...(pending as PendingOf<Kind>), begunAt };
  }

  /**
   * Whether the ceremony can still be completed. If it ends too far in the future, the clock was set back after it
   * began, and its age is unknown.
   */
  private isTimely(pending: Pending): boolean {
    const left = pending.expiresAt - this.clock.now();
    const { toleranceMs } = this.store;
    return left > -toleranceMs && left <= this.lifetimeOf(pending) + CLOCK_SKEW_MS;
  }
}

/** The refusal for a challenge that was never issued to the session, which has no ceremony of the kind either. */
function notPending(challenge: string, isOfOtherKind: boolean): ApiError {
  if (isOfOtherKind) return new ApiError('E0024R', 'session.otherKind');
  return isWellFormed(challenge)
    ? new ApiError('E0024R', 'session.notIssued')
    : new ApiError('E0024R');
}

/** SHA-256 of the transaction that the user confirms; `undefined` if there is none. */
const transactionOf = (facts: object): Buffer | undefined => {
  const { agreed: claims } = facts as Partial<PendingAuthentication>;
  return claims?.txn === undefined ? undefined : Buffer.from(claims.txn, 'base64url');
};

/** The possible beginnings of a challenge's entry, up to the brace of its JSON. */
const labelsOf = (kind: CeremonyKind, challenge: string): readonly string[] =>
  LABELS[kind].map((label) => `${label}${challenge}{`);

const beginsWith = (entry: string, labels: readonly string[]): boolean =>
  labels.some((label) => entry.startsWith(label));

const isConditional = (facts: Timed): boolean => facts.conditional === true;

/**
 * The text of an entry after its label (kind and challenge): JSON and, if there is device metadata, a line feed
 * and the metadata unchanged. Inside the JSON each of its quotes would take two characters; the JSON itself
 * contains no line feed.
 */
function pendingText(pending: object): string {
  if (!('keypair' in pending) || typeof pending.keypair !== 'string')
    return JSON.stringify(pending);
  return `${JSON.stringify({ ...pending, keypair: undefined })}\n${pending.keypair}`;
}

/** Reads an entry; `undefined` if it was tampered with. */
function readEntry(entry: string): Pending | undefined {
  const [text = '', keypair] = entry.slice(entry.indexOf('{')).split('\n', 2);
  try {
    const pending = JSON.parse(text) as Pending;
    return keypair === undefined ? pending : ({ ...pending, keypair } as Pending);
  } catch {
    return undefined;
  }
}
