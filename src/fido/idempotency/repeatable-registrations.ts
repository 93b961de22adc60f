import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Clock } from '../../platform/common/clock.js';
import { deleteStep, insertStep } from '../../platform/database/commit/step-of.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { CredentialReader } from '../../users/credentials/credential-reader.js';
import { signalsOf } from '../ceremonies/ceremony.answer.js';
import { ANSWER_LIFE_MS, type KeptAnswer } from './kept-answers.js';
import { RepeatableRegistration } from './repeatable-registration.entity.js';

/** Returns the step of a registration's unit that keeps its answer, given without names, for repeats of the call. */
export type KeepAnswer = (answer: object, userId: Buffer) => Step;

type AnsweredCall = Pick<RepeatableRegistration, 'callHash' | 'bodyHash' | 'userId'> & {
  readonly answer: object;
};

/**
 * Registrations that their application may repeat. Their rows are stored with the key, so that a repeat is answered even
 * if the process died before it answered the first call.
 */
@Injectable()
export class RepeatableRegistrations {
  constructor(
    @InjectRepository(RepeatableRegistration)
    private readonly rows: Repository<RepeatableRegistration>,
    private readonly database: Database,
    private readonly reader: CredentialReader,
    private readonly clock: Clock,
  ) {}

  /** The step of the registration's unit that stores the row. */
  storing(rp: RelyingParty, { answer, ...call }: AnsweredCall): Step {
    const expiresAt = this.clock.now() + ANSWER_LIFE_MS;
    const text = JSON.stringify(answer);
    return insertStep(this.rows, { ...scope(rp), ...call, answer: text, expiresAt });
  }

  /** The answer of a stored registration; `undefined` if there is none, or its user no longer exists. */
  async find(rp: RelyingParty, callHash: Buffer): Promise<KeptAnswer | undefined> {
    const row = await this.rows.findOneBy({ ...scope(rp), callHash });
    if (!row) return undefined;
    const isValid = Number(row.expiresAt) > this.clock.now();
    const user = isValid ? await this.reader.findUserById(rp, row.userId) : undefined;
    if (!user) {
      // It would refuse the registration that follows.
      await this.database.store([deleteStep(this.rows, { ...scope(rp), callHash })]);
      return undefined;
    }
    const keys = await this.reader.findAllKeys(rp, row.userId);
    const { username } = user;
    const signals = signalsOf(rp, { ...user, keys });
    const body = row.bodyHash.toString('base64url');
    const { status, errorMessage, ...answer } = JSON.parse(row.answer) as Record<string, unknown>;
    return {
      body,
      expiresAt: Number(row.expiresAt),
      answer: { status, errorMessage, username, ...answer, signals },
    };
  }
}
