import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, type Repository } from 'typeorm';
import { Clock } from '../../platform/common/clock.js';
import { insertStep } from '../../platform/database/commit/step-of.js';
import type { Step } from '../../platform/database/commit/unit.js';
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
    const valid = { ...scope(rp), callHash, expiresAt: MoreThan(this.clock.now()) };
    const row = await this.rows.findOneBy(valid);
    const user = row && (await this.reader.findUserById(rp, row.userId));
    if (!user) return undefined;
    const credentialIds = await this.reader.findCredentialIds(rp, row.userId);
    const { username } = user;
    const signals = signalsOf(rp, { ...user, credentialIds });
    const body = row.bodyHash.toString('base64url');
    const { status, errorMessage, ...answer } = JSON.parse(row.answer) as Record<string, unknown>;
    return {
      body,
      expiresAt: Number(row.expiresAt),
      answer: { status, errorMessage, username, ...answer, signals },
    };
  }
}
