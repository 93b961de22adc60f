import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, type Repository } from 'typeorm';
import { sha256 } from '../../platform/common/sha256.js';
import { Clock } from '../../platform/common/clock.js';
import { deleteStep, insertStep } from '../../platform/database/commit/step-of.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { SecretStore } from '../../platform/database/secrets/secret-store.js';
import { MINUTE_MS, DAY_MS } from '../../platform/common/durations.js';
import { ConsoleChallenge } from './console-key.entity.js';
import { DELETE_OLD_CHALLENGES } from './key.statements.js';

/**
 * The purpose of a challenge, which is valid for no other: to add a key, or to sign in by a key beside the
 * password, by a key alone, by a verified key beside another one, or by a key after the OpenID provider; or to come
 * back from that provider (`state`).
 */
export type ChallengePurpose = 'add' | 'second' | 'only' | 'beside' | 'provider' | 'state';

/** The time to answer a prompt. */
export const ANSWER_MS = 5 * MINUTE_MS;
/** The maximum clock difference between two instances with which an answer cannot be used twice. */
const CLOCKS_MS = DAY_MS;
const RANDOM_BYTES = 16;
const TIME_BYTES = 6;
const BODY_BYTES = RANDOM_BYTES + TIME_BYTES;
const MAC_BYTES = 32;

/**
 * Self-authenticating challenges: 16 random bytes, the time, and an HMAC of both, of the purpose and of the
 * account. Nothing is stored for strangers who request one; a challenge is stored only when it is answered,
 * and is used up then.
 */
@Injectable()
export class ConsoleChallenges implements OnModuleInit {
  private secret = '';

  constructor(
    @InjectRepository(ConsoleChallenge) private readonly used: Repository<ConsoleChallenge>,
    private readonly secrets: SecretStore,
    private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    this.secret = await this.secrets.findOrCreate('console-challenge');
  }

  /**
   * @param binding for example the mark of an account: with another value the challenge is invalid
   * @returns Base64URL
   */
  issue(purpose: ChallengePurpose, binding: string): string {
    const body = Buffer.alloc(BODY_BYTES);
    randomBytes(RANDOM_BYTES).copy(body);
    body.writeUIntBE(this.clock.now(), RANDOM_BYTES, TIME_BYTES);
    return Buffer.concat([body, this.macOf(body, purpose, binding)]).toString('base64url');
  }

  /** Whether the challenge was issued for this purpose and account and has not expired. */
  isGood(challenge: string, purpose: ChallengePurpose, binding: string): boolean {
    const bytes = Buffer.from(challenge, 'base64url');
    if (bytes.length !== BODY_BYTES + MAC_BYTES) return false;
    const body = bytes.subarray(0, BODY_BYTES);
    const expected = this.macOf(body, purpose, binding);
    const isRecent = this.clock.now() < challengeIssuedAt(challenge) + ANSWER_MS;
    return timingSafeEqual(bytes.subarray(BODY_BYTES), expected) && isRecent;
  }

  /** Steps that use a challenge up: a unit with them can be stored only once, on any instance. */
  use(challenge: string): Step[] {
    return this.useOnce(challenge, challengeIssuedAt(challenge) + ANSWER_MS);
  }

  /**
   * The same for a text that others have issued.
   *
   * @param endsAt when it expires, in milliseconds since 1970
   */
  useOnce(text: string, endsAt: number): Step[] {
    const row = { hash: sha256(text), endsAt: endsAt + CLOCKS_MS };
    return [DELETE_OLD_CHALLENGES.step({ now: this.clock.now() }), insertStep(this.used, row)];
  }

  /**
   * Steps that note something about a sign-in that may be under way.
   *
   * @param at the database's time, in milliseconds since 1970
   */
  note(text: string, at: number): Step[] {
    const hash = sha256(text);
    return [
      DELETE_OLD_CHALLENGES.step({ now: this.clock.now() }),
      deleteStep(this.used, { hash }),
      insertStep(this.used, { hash, endsAt: at + CLOCKS_MS }),
    ];
  }

  /** Steps that fail, as those of `use` do, if the text was noted at that time or later. */
  notNotedSince(text: string, since: number): Step[] {
    const hash = sha256(text);
    return [
      deleteStep(this.used, { hash, endsAt: LessThan(since + CLOCKS_MS) }),
      // With every isolation, an insertion waits for a unit that notes it.
      insertStep(this.used, { hash, endsAt: since + CLOCKS_MS }),
      deleteStep(this.used, { hash }),
    ];
  }

  private macOf(body: Buffer, purpose: ChallengePurpose, binding: string): Buffer {
    const mac = createHmac('sha256', this.secret);
    return mac.update(body).update(`${purpose} ${binding}`).digest();
  }
}

/** By the clock of the instance that issued it, in milliseconds since 1970. */
export const challengeIssuedAt = (challenge: string): number =>
  Buffer.from(challenge, 'base64url').readUIntBE(RANDOM_BYTES, TIME_BYTES);
