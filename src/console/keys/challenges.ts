import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Clock } from '../../platform/common/clock.js';
import { insertStep } from '../../platform/database/commit/step-of.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { SecretStore } from '../../platform/database/secrets/secret-store.js';
import { ConsoleChallenge } from './console-challenge.entity.js';
import { DELETE_OLD_CHALLENGES } from './key.statements.js';

/**
 * The purpose of a challenge, which counts for no other: to add a key, or to sign in by a key beside the
 * password, by a key alone, or by a verified key beside another one.
 */
export type Purpose = 'add' | 'second' | 'only' | 'beside';

/** How long a prompt may take until it is answered. */
export const ANSWER_MS = 5 * 60_000;
const RANDOM_BYTES = 16;
const TIME_BYTES = 6;
const BODY_BYTES = RANDOM_BYTES + TIME_BYTES;
const MAC_BYTES = 32;

/**
 * Challenges that prove themselves: 16 random bytes, the time, and an HMAC of both, of the purpose and of the
 * account. So nothing is stored for strangers who ask for one; a challenge is stored only when it has been
 * answered, and is used up then.
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
    this.secret = await this.secrets.findOrCreate('console-challenge', () =>
      randomBytes(32).toString('base64url'),
    );
  }

  /**
   * @param whose binds the challenge, such as to the mark of an account: it does not count with another value
   * @returns Base64URL
   */
  issue(purpose: Purpose, whose: string): string {
    const body = Buffer.alloc(BODY_BYTES);
    randomBytes(RANDOM_BYTES).copy(body);
    body.writeUIntBE(this.clock.now(), RANDOM_BYTES, TIME_BYTES);
    return Buffer.concat([body, this.macOf(body, purpose, whose)]).toString('base64url');
  }

  /** Whether the challenge was issued for this purpose and account, and not too long ago. */
  isGood(challenge: string, purpose: Purpose, whose: string): boolean {
    const bytes = Buffer.from(challenge, 'base64url');
    if (bytes.length !== BODY_BYTES + MAC_BYTES) return false;
    const body = bytes.subarray(0, BODY_BYTES);
    const expected = this.macOf(body, purpose, whose);
    const age = this.clock.now() - body.readUIntBE(RANDOM_BYTES, TIME_BYTES);
    return timingSafeEqual(bytes.subarray(BODY_BYTES), expected) && age < ANSWER_MS;
  }

  /** The steps that use a challenge up: a unit with them is stored only once, on whatever instance. */
  use(challenge: string): Step[] {
    const now = this.clock.now();
    const row = { hash: hash('sha256', challenge, 'buffer'), endsAt: now + ANSWER_MS };
    return [DELETE_OLD_CHALLENGES.step({ now }), insertStep(this.used, row)];
  }

  private macOf(body: Buffer, purpose: Purpose, whose: string): Buffer {
    const mac = createHmac('sha256', this.secret);
    return mac.update(body).update(`${purpose} ${whose}`).digest();
  }
}
