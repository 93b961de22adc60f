import { Injectable } from '@nestjs/common';
import { ApiError } from '../../platform/errors/api-error.js';
import { CeremonyCounts } from '../../events/ceremony-counts/ceremony-counts.js';
import {
  promptErrorOf,
  type BrowserFamily,
  type CountedKind,
} from '../../events/ceremony-counts/ceremony-count.entity.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import type { BeginAuthenticationDto } from '../authentication/authentication.dto.js';
import type { BeginRegistrationDto } from '../registration/registration.dto.js';
import type { Pending } from '../ceremonies/ceremony.js';
import type { Caller } from '../limits/rate-limits.js';
import { browserIn, type Browser } from '../../platform/common/browser-name.js';
import { NO_AAGUID } from '../../webauthn/aaguid.js';
import type { GivenUpDto } from './given-up.dto.js';

/** Counts the outcomes of ceremonies, for the figures on adoption. */
@Injectable()
export class CeremonyTally {
  constructor(
    private readonly counts: CeremonyCounts,
    private readonly models: AuthenticatorModels,
  ) {}

  registrationBegun(rp: RelyingParty, caller: Caller, { mediation }: BeginRegistrationDto): void {
    const kind = mediation === 'conditional' ? 'upgrade' : 'registration';
    this.counts.add(rp, { kind, step: 'begun', browser: familyOf(caller) });
  }

  authenticationBegun(rp: RelyingParty, caller: Caller, dto: BeginAuthenticationDto): void {
    const waits = dto.username === undefined && dto.mediation === 'conditional';
    const kind = waits ? 'autofill' : 'authentication';
    this.counts.add(rp, { kind, step: 'begun', browser: familyOf(caller) });
  }

  /** @param aaguid counted only for known models: others could be made up, each with a counter of its own */
  finished(rp: RelyingParty, caller: Caller, pending: Pending, aaguid: string): void {
    const isKnown = aaguid === NO_AAGUID || this.models.name(aaguid) !== null;
    const kind = kindOf(pending);
    const detail = isKnown ? aaguid : '';
    this.counts.add(rp, { kind, step: 'finished', browser: familyOf(caller), detail });
  }

  /** Counts a ceremony whose result the server refused. */
  refused(rp: RelyingParty, caller: Caller, pending: Pending, code: string): void {
    const kind = kindOf(pending);
    this.counts.add(rp, { kind, step: 'refused', browser: familyOf(caller), detail: code });
  }

  /** @throws ApiError E0028R if the challenge was not issued to this session */
  givenUp(rp: RelyingParty, caller: Caller, pending: Pending, dto: GivenUpDto): void {
    if (pending.challenge !== dto.challenge) throw new ApiError('E0028R');
    const kind = kindOf(pending);
    const detail = promptErrorOf(dto.error);
    this.counts.add(rp, { kind, step: 'given-up', browser: familyOf(caller), detail });
  }
}

/** The `User-Agent` of an application does not describe the browser for which it calls. */
const familyOf = ({ key, program }: Caller) => (key ? 'backend' : browserFamily(program));

function kindOf(pending: Pending): CountedKind {
  if (pending.kind === 'registration') return pending.presenceWaived ? 'upgrade' : 'registration';
  return 'conditional' in pending && pending.conditional ? 'autofill' : 'authentication';
}

const FAMILIES: Readonly<Record<Browser, BrowserFamily>> = {
  Edge: 'edge',
  Opera: 'opera',
  'Samsung Internet': 'samsung',
  Firefox: 'firefox',
  Chrome: 'chrome',
  Safari: 'safari',
};

export function browserFamily(program = ''): BrowserFamily {
  const browser = browserIn(program);
  return browser ? FAMILIES[browser.name] : 'other';
}
