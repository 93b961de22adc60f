import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { CLOCK_SKEW_MS, CeremonyStore } from '../fido/ceremonies/stores/ceremony-store.js';
import type { PageSignIn } from '../issuers/page-sign-ins.js';
import { Clock } from '../platform/common/clock.js';
import { MINUTE_MS } from '../platform/common/durations.js';
import { randomText } from '../platform/common/random.js';
import { sha256 } from '../platform/common/sha256.js';
import { ApiError } from '../platform/errors/api-error.js';
import { cookieIn } from '../platform/http/cookies.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import type { EntraHint } from './hint-verifier.js';

/** Entra waits for ten minutes. */
const LIFE_MS = 10 * MINUTE_MS;
/** The store has a queue for each lifetime, so used hints are remembered for multiples of this. */
const USED_MS = 15 * MINUTE_MS;
/** How entries of the store begin: a sign-in that waits, before the digest of its browser, and a hint that was used. */
const WAITS = 'p';
const USED = 'u';
const COOKIE = '__Secure-servicefido-entra';
const SECRET_BYTES = 32;

/** A request of Entra ID whose user signs in on the page. */
export interface PendingSignIn {
  readonly clientId: string;
  /** Of the client: a sign-in ends when its client is changed. */
  readonly changedAt: number;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly nonce: string;
  readonly acr: string;
  readonly hint: EntraHint;
  /** Base64URL. */
  readonly userId: string;
  readonly username: string;
}

interface StoredSignIn extends PendingSignIn {
  readonly expiresAt: number;
}

export const interactionOver = () => new ApiError('E0024R', 'oidc.interactionOver');

/**
 * Sign-ins that wait for their user, in the session store. A hint names one of them, and is answered once: its digest is
 * the name. Only the browser that came from Entra can continue.
 */
@Injectable()
export class PendingSignIns {
  constructor(
    private readonly store: CeremonyStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Begins a sign-in, or begins it again.
   *
   * @returns the path of its page
   * @throws ApiError E0024R if the hint was used
   */
  async begin(
    { rp, caller, request }: PageSignIn,
    hint: string,
    signIn: PendingSignIn,
  ): Promise<string> {
    const id = sha256(hint.slice(0, hint.lastIndexOf('.'))).toString('base64url');
    const name = nameOf(rp, id);
    await this.ensureUnused(name);
    const secret = randomText(SECRET_BYTES);
    const stored: StoredSignIn = { ...signIn, expiresAt: this.clock.now() + LIFE_MS };
    const session = { id: name, callers: caller.callers };
    const entry = labelFor(secret) + JSON.stringify(stored);
    await this.store.put(session, entry, { lifeMs: LIFE_MS, most: 1 });
    const path = `/entra/${rp.domain}/sign-in/${id}`;
    const options = { httpOnly: true, secure: true, sameSite: 'lax', maxAge: LIFE_MS } as const;
    request.res?.cookie(COOKIE, secret, { ...options, path });
    return path;
  }

  /** @throws ApiError E0024R if it has ended, or another browser has begun it */
  async find(rp: RelyingParty, id: string, request: Request): Promise<PendingSignIn> {
    const entries = await this.store.entriesOf(nameOf(rp, id));
    const label = labelOf(request);
    const found = entries.find((entry) => entry.startsWith(label))?.slice(label.length);
    const stored = found === undefined ? undefined : (JSON.parse(found) as StoredSignIn);
    if (!stored || stored.expiresAt < this.clock.now()) throw interactionOver();
    return stored;
  }

  /**
   * Ends a sign-in that has succeeded, and uses its hint up. Takes only the entry that this browser has begun: one that it
   * begins at the same moment answers the hint no second time.
   *
   * @throws ApiError E0024R if another call has ended it, or the browser has begun it again
   */
  async finish({ rp, caller, request }: PageSignIn, id: string, hint: EntraHint): Promise<void> {
    const name = nameOf(rp, id);
    await this.ensureUnused(name);
    const session = { id: name, callers: caller.callers };
    await this.store.put(session, USED, { lifeMs: this.lifeOfUsed(hint), most: 1 });
    if ((await this.store.take(name, labelOf(request))) === undefined) throw interactionOver();
  }

  /** A used hint is remembered until no instance accepts it any more. */
  private lifeOfUsed({ acceptedUntil }: EntraHint): number {
    const leftMs = acceptedUntil + CLOCK_SKEW_MS - this.clock.now();
    return Math.max(1, Math.ceil(leftMs / USED_MS)) * USED_MS;
  }

  private async ensureUnused(name: string): Promise<void> {
    if ((await this.store.entriesOf(name)).includes(USED)) throw interactionOver();
  }
}

/** How the entry of a browser begins that has this secret. */
const labelFor = (secret: string): string => WAITS + sha256(secret).toString('base64url');

const labelOf = (request: Request): string => labelFor(cookieIn(request, COOKIE) ?? '');

const nameOf = (rp: RelyingParty, id: string): string =>
  `${rp.id.toString('base64url')}.entra.${id}`;
