import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Clock } from '../../platform/common/clock.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { CallerSession, CeremonyStore } from '../ceremonies/stores/ceremony-store.js';
import type { RedisLink } from '../../platform/database/redis-link.js';
import { MINUTE_MS } from '../../platform/common/durations.js';

/** How long a claim lasts at most, in case its instance dies. */
const CLAIM_MS = 10_000;
const PREFIX = 'servicefido:claims:';

/**
 * Calls in progress, so that a repeat can wait for the first call. Claims only save work; correctness does not
 * depend on them.
 */
interface Claims {
  /** @returns `false` if another call has claimed the name and has not released it */
  claim(name: string): Promise<boolean>;
  release(name: string): Promise<void>;
}

/** Claims of this process. They need no expiry, since all calls of the process end. */
export class MemoryClaims implements Claims {
  private readonly names = new Set<string>();

  async claim(name: string): Promise<boolean> {
    if (this.names.has(name)) return false;
    this.names.add(name);
    return true;
  }

  async release(name: string): Promise<void> {
    this.names.delete(name);
  }
}

/** Claims of all instances. */
export class RedisClaims implements Claims {
  constructor(private readonly link: RedisLink) {}

  claim(name: string): Promise<boolean> {
    return this.link.ask(async (runId) => {
      const { client } = this.link;
      return (await client.set(keyOf(runId, name), '', 'PX', CLAIM_MS, 'NX')) === 'OK';
    });
  }

  async release(name: string): Promise<void> {
    await this.link.ask((runId) => this.link.client.unlink(keyOf(runId, name)));
  }
}

const keyOf = (runId: string, name: string) => `${PREFIX}${runId}:${name}`;

/** How long an answer is stored for repeats of its call. */
export const ANSWER_LIFE_MS = 10 * MINUTE_MS;
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 100;

/** Returns the step of a registration's unit that keeps its answer, given without names, for repeats of the call. */
export type KeepAnswer = (answer: object, userId: Buffer) => Step;

export interface KeptAnswer {
  /** Digest of the request body. */
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly answer?: unknown;
  readonly refusal?: Pick<ApiError, 'code' | 'problem' | 'status'>;
}

interface RepeatableCall {
  /** Its ID is shared by the call and its repeats only. */
  readonly session: CallerSession;
  readonly body: string;
  run(): Promise<unknown>;
  /** Called after a failure that is not stored, so that a repeat can succeed. */
  giveBack?(): Promise<void>;
  /** The answer that the database has, if the process that ran the call could not keep it. */
  stored?(): Promise<KeptAnswer | undefined>;
}

/**
 * Answers that a repeated call receives again for ten minutes, in case the first one was lost. They are stored like
 * ceremonies: if there is no room, answers of the tenant with the most data are removed.
 */
export class KeptAnswers {
  private readonly logger = new Logger(KeptAnswers.name);

  constructor(
    private readonly store: CeremonyStore,
    private readonly claims: Claims,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs a call, or returns its first answer; waits while the same call is in progress.
   *
   * @throws ApiError E0001R if the call of this name had another body, E0052R if the same call is in progress and
   *   does not end, else what the call throws or has thrown
   */
  async answer(call: RepeatableCall): Promise<unknown> {
    const { id } = call.session;
    await this.claim(id);
    try {
      const kept = (await this.find(id)) ?? (await call.stored?.());
      return kept ? repeated(kept, call) : await this.first(call);
    } finally {
      await this.quietly(this.claims.release(id));
    }
  }

  private async claim(name: string): Promise<void> {
    const deadline = performance.now() + CLAIM_MS;
    let pauseMs = FIRST_PAUSE_MS;
    while (!(await this.claims.claim(name))) {
      if (performance.now() >= deadline) {
        const headers = { 'Retry-After': '1' };
        throw new ApiError('E0052R', 'idempotencyKey.underWay', {}, { headers });
      }
      await pause(pauseMs);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }

  private async find(name: string): Promise<KeptAnswer | undefined> {
    const text = (await this.store.entriesOf(name)).at(-1);
    const kept = text === undefined ? undefined : (JSON.parse(text) as KeptAnswer);
    return kept && kept.expiresAt > this.clock.now() ? kept : undefined;
  }

  private async first(call: RepeatableCall): Promise<unknown> {
    try {
      const answer = await call.run();
      await this.keep(call, { answer });
      return answer;
    } catch (error) {
      if (isFinal(error)) {
        const { code, problem, status } = error;
        await this.keep(call, { refusal: { code, problem, status } });
      } else if (!isOver(error)) {
        await this.quietly(call.giveBack?.());
      }
      throw error;
    }
  }

  private keep({ session, body }: RepeatableCall, outcome: Pick<KeptAnswer, 'answer' | 'refusal'>) {
    const kept: KeptAnswer = { body, expiresAt: this.clock.now() + ANSWER_LIFE_MS, ...outcome };
    return this.quietly(this.store.put(session, JSON.stringify(kept)));
  }

  /** Logs an error instead of throwing it: the call has its outcome, even if that cannot be stored for a repeat. */
  private async quietly(step: Promise<void> | undefined): Promise<void> {
    await step?.catch((error: unknown) =>
      this.logger.debug(`An answer was not kept: ${String(error)}`),
    );
  }
}

function repeated({ body, answer, refusal }: KeptAnswer, call: RepeatableCall): unknown {
  if (body !== call.body) {
    throw new ApiError('E0001R', 'idempotencyKey.reused');
  }
  if (!refusal) return answer;
  const { code, problem, status } = refusal;
  throw ApiError.of(code, problem, { status });
}

/**
 * Whether a refusal is stored for repeats. Others are not, since a repeat may meet other limits, or a server that
 * works again.
 */
const isFinal = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status < 500 && ![408, 429].includes(error.status);

/** Whether the ceremony cannot be completed by a repeat either (E0024R). */
const isOver = (error: unknown): boolean => error instanceof ApiError && error.status === 408;
