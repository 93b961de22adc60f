import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Request } from 'express';
import { wideAddressGroup } from '../../platform/common/network/address-group.js';
import { Clock } from '../../platform/common/clock.js';
import { ceremonyOfPath } from '../../platform/common/paths.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { counter } from '../../platform/telemetry/metrics.js';
import { credentialHashOf } from '../../users/credentials/credential-reader.js';
import { BufferedWrites } from '../../platform/database/commit/buffered-writes.js';
import { Database } from '../../platform/database/database.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { mapKey } from '../../platform/database/row-ids.js';
import type { ApiError } from '../../platform/errors/api-error.js';
import { CATALOGUE, type Code } from '../../platform/errors/catalogue.js';
import { firstValueIn, sentenceOf, type Problem } from '../../platform/errors/reasons.js';
import { ledgerStep, type LedgerEvent } from '../../events/ledger.js';
import { refusalDetailText } from '../../events/refusal-detail.js';
import { allowOriginCommand } from '../../tenancy/changes/allow-origin-command.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyFinder } from '../../tenancy/scope/relying-party-finder.js';
import { isObject } from '../../platform/validation/field-validator.js';
import { CeremonyError } from '../../webauthn/failure.js';
import { isUsualMistake } from '../ceremonies/ceremony.validators.js';
import { isMadeUp, type Pending } from '../ceremonies/ceremony.js';
import { eventClient } from '../limits/fido-caller.guard.js';
import { CeremonyTally } from '../tally/ceremony-tally.js';
import { RefusalSample } from './refusal-sample.js';

declare module 'express-serve-static-core' {
  interface Request {
    /** The application for which the user signs in, for events: `oidc CLIENT_ID`. */
    application?: string;
  }
}

/** Refusals that wait to be stored; more are dropped and counted. */
const MAX_WAITING = 2_000;
const REFUSALS_PER_UNIT = 50;
const FLUSH_MS = 250;
/** Base64URL of the longest credential ID (W3C WebAuthn L3 §5.1: 1023 bytes). */
const MAX_ID_LENGTH = 1364;

const droppedTotal = counter({
  name: 'servicefido_refusals_dropped_total',
  help: 'Refused calls without an event of their own: of a flood, or while the database is away',
});

/**
 * Records refused ceremonies in the ledger, for the help desk: after the answer, in small units, and only a
 * sample of a flood, so that it does not fill the ledger. Successful sign-ins are not recorded here.
 */
@Injectable()
export class RefusalLog extends BufferedWrites {
  private readonly logger = new Logger(RefusalLog.name);
  private waiting: Step[] = [];
  private readonly sample = new RefusalSample();
  /** Number of refusals without an event of their own since the start. */
  dropped = 0;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly tally: CeremonyTally,
    private readonly relyingParties: RelyingPartyFinder,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {
    super(FLUSH_MS);
  }

  /** Adds a refused call of a ceremony; ignores other calls, and errors of this server. */
  add(request: Request, error: ApiError): void {
    const { pending, caller } = request;
    const ceremony = ceremonyOfPath(request.path);
    if (error.status >= 500 || !ceremony) return;
    // This call reports a ceremony that has ended: a late report is not a failed ceremony.
    if (request.path.endsWith('/given-up')) return;
    request.logFacts = { ...request.logFacts, errorMessage: sentenceOf(error.problem) };
    const relyingParty = request.relyingParty ?? this.relyingParties.guess(request);
    if (!relyingParty) return;
    const { code } = error;
    if (pending && caller && code !== null) this.tally.refused(relyingParty, caller, pending, code);
    request.logFacts = { ...request.logFacts, ...whatIsAllowed(relyingParty, error) };
    this.record(`${ceremony}-refused`, relyingParty, request, error);
  }

  /** Writes the event, unless another one represents it. */
  private record(
    kind: 'registration-refused' | 'authentication-refused',
    relyingParty: RelyingParty,
    request: Request,
    error: ApiError,
  ): void {
    const { pending, body, requestId, application } = request;
    const { code, problem } = error;
    const at = this.clock.now();
    const word = wordOf(error);
    const alike = this.take(request, relyingParty, { at, reason: `${code} ${word}` });
    if (alike === 0) return this.drop(1);
    const value = word === problem.reason ? firstValueIn(problem) : undefined;
    const detail = refusalDetailText({
      word,
      alike,
      value: foreignOrigin(error) ?? value,
      application,
    });
    const event: LedgerEvent = {
      kind,
      at,
      relyingParty,
      requestId,
      client: eventClient(request, this.options),
      ...(code === null ? {} : { code }),
      ...(detail !== '' && { detail }),
      ...claimedBy(pending, body),
    };
    this.waiting.push(ledgerStep(event));
    this.flushLater();
  }

  private drop(n: number): void {
    this.dropped += n;
    droppedTotal.inc(n);
  }

  /** How many refusals the record represents; 0 if none must be written. */
  private take(
    { caller, ip }: Request,
    { id }: RelyingParty,
    { at, reason }: { at: number; reason: string },
  ): number {
    if (this.waiting.length >= MAX_WAITING) return 0;
    const relyingParty = mapKey(id);
    const site = caller?.site ?? wideAddressGroup(ip);
    return this.sample.take({ relyingParty, reason, caller: site }, at);
  }

  protected async store(): Promise<void> {
    while (this.waiting.length > 0) {
      const unit = this.waiting.splice(0, REFUSALS_PER_UNIT);
      try {
        await this.database.store(unit);
      } catch (error) {
        this.drop(unit.length);
        this.logger.warn(`${unit.length} refusals were not recorded: ${String(error)}`);
      }
    }
  }
}

/** Whether the event records the reason, since it says more than the code. */
const isExact = (code: Code | null, { reason }: Problem): boolean =>
  code === 'E0024R' || (code !== null && reason !== CATALOGUE[code][1]);

/** The origin that a ceremony came from and that is not allowed. */
const foreignOrigin = ({ code, cause }: ApiError): string | undefined =>
  cause instanceof CeremonyError && code === 'E0029R' ? cause.detail : undefined;

/** The word that names the refusal: of the check that failed, else of the answer. */
const wordOf = ({ code, problem, cause, detail }: ApiError): string =>
  cause instanceof CeremonyError && !isUsualMistake(cause.member)
    ? cause.failure
    : (detail ?? (isExact(code, problem) ? problem.reason : ''));

/** For the log: the origin or audience that was refused, and those that are allowed. */
function whatIsAllowed(rp: RelyingParty, error: ApiError): object {
  const { problem } = error;
  if (problem.reason === 'audience.notListed') {
    return { audience: String(firstValueIn(problem)), allowed: rp.policy.audiences ?? [] };
  }
  const origin = foreignOrigin(error);
  if (origin === undefined) return {};
  const allow = allowOriginCommand(rp, origin);
  return { origin, allowed: rp.origins, ...(allow && { allow }) };
}

/** The user and the credential of the call. The begin call's user is more reliable than the body's. */
function claimedBy(
  pending: Pending | undefined,
  body: unknown,
): Pick<LedgerEvent, 'user' | 'credentialHash'> {
  const { username, id } = isObject(body) ? body : {};
  const name = pending?.username ?? username;
  const userId = pending && isMadeUp(pending) ? undefined : pending?.user;
  const isId = typeof id === 'string' && id !== '' && id.length <= MAX_ID_LENGTH;
  return {
    ...(typeof name === 'string'
      ? { user: { username: name, ...(userId ? { id: Buffer.from(userId, 'base64url') } : {}) } }
      : {}),
    ...(isId ? { credentialHash: credentialHashOf(Buffer.from(id, 'base64url')) } : {}),
  };
}
