import { Injectable } from '@nestjs/common';
import { ApiError } from '../../platform/errors/api-error.js';
import { CeremonyCounts } from '../../events/ceremony-counts/ceremony-counts.js';
import type { CountedKind } from '../../events/ceremony-counts/ceremony-count.entity.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import type { BeginAuthenticationDto } from '../authentication/authentication.dto.js';
import type { BeginRegistrationDto } from '../registration/registration.dto.js';
import type { Pending } from '../ceremonies/ceremony.js';
import type { Caller } from '../limits/rate-limits.js';
import { browserFamily } from './browser-family.js';
import type { GivenUpDto } from '../given-up/given-up.dto.js';
import { promptErrorOf } from '../given-up/given-up.dto.js';

const NO_MODEL = '00000000-0000-0000-0000-000000000000';

/** Counts how far ceremonies come, for the figures on adoption. */
@Injectable()
export class CeremonyTally {
  constructor(
    private readonly counts: CeremonyCounts,
    private readonly models: AuthenticatorModels,
  ) {}

  registrationBegun(rp: RelyingParty, caller: Caller, { mediation }: BeginRegistrationDto): void {
    const kind = mediation === 'conditional' ? 'upgrade' : 'registration';
    this.counts.note(rp, { kind, step: 'begun', browser: familyOf(caller) });
  }

  authenticationBegun(rp: RelyingParty, caller: Caller, dto: BeginAuthenticationDto): void {
    const waits = dto.username === undefined && dto.mediation === 'conditional';
    const kind = waits ? 'autofill' : 'authentication';
    this.counts.note(rp, { kind, step: 'begun', browser: familyOf(caller) });
  }

  /** @param aaguid counted only for known models: others could be made up, each with a count of its own */
  finished(
    rp: RelyingParty,
    caller: Caller,
    { pending, aaguid }: { pending: Pending; aaguid: string },
  ): void {
    const isKnown = aaguid === NO_MODEL || this.models.name(aaguid) !== null;
    const kind = kindOf(pending);
    const detail = isKnown ? aaguid : '';
    this.counts.note(rp, { kind, step: 'finished', browser: familyOf(caller), detail });
  }

  /** @throws ApiError E0028R where the challenge was not issued to this session */
  givenUp(
    rp: RelyingParty,
    caller: Caller,
    { pending, dto }: { pending: Pending; dto: GivenUpDto },
  ): void {
    if (pending.challenge !== dto.challenge) throw new ApiError('E0028R');
    const [kind, detail] = [kindOf(pending), promptErrorOf(dto.error)];
    this.counts.note(rp, { kind, step: 'given-up', browser: familyOf(caller), detail });
  }
}

/** An application's program says nothing of the browser for which it calls. */
const familyOf = ({ key, program }: Caller) => (key ? 'backend' : browserFamily(program));

function kindOf(pending: Pending): CountedKind {
  if (pending.kind === 'registration') return pending.presenceWaived ? 'upgrade' : 'registration';
  return 'conditional' in pending && pending.conditional ? 'autofill' : 'authentication';
}
