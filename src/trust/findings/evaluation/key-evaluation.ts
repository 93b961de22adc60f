import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/common/clock.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { aaguidText } from '../../../webauthn/aaguid.js';
import type {
  AttestationStatement,
  AttestationType,
} from '../../../webauthn/attestation/format.js';
import { Admission } from '../../admission.js';
import type { Breach } from '../../rule.js';
import type { Credential } from '../../../users/credentials/credential.entity.js';
import { policyMembers, type FindingAction, type Policy } from '../../../tenancy/policy/policy.js';

export interface StoredKey
  extends
    Readonly<Pick<Credential, 'aaguid' | 'algorithm' | 'attestationFormat' | 'attestationTrusted'>>,
    Readonly<Pick<Credential, 'userVerified' | 'registeredAt' | 'importedFrom'>>,
    Readonly<Pick<Credential, 'attestationAsked' | 'residentKey'>> {
  readonly attestationType: AttestationType;
  readonly backupEligible: boolean;
}

/**
 * Rules about the ceremony, not about the key: how many keys the user had, and whether the user was verified.
 * Every sign-in verifies the user again.
 */
const OF_THE_CEREMONY: readonly string[] = policyMembers.flatMap(([name, { onKeys }]) =>
  onKeys ? [] : [name],
);
/** Rules about the model alone, which can be evaluated without a stored proof. */
const OF_THE_MODEL: readonly string[] = ['block', 'status'];

/** Evaluates stored keys by the current rules for registrations. */
@Injectable()
export class KeyEvaluation {
  constructor(
    private readonly admission: Admission,
    private readonly clock: Clock,
  ) {}

  /** The finding about a key; `undefined` if it breaks no rule or cannot be judged. */
  findingOf(
    rp: RelyingParty,
    key: StoredKey,
    statement: AttestationStatement | undefined,
  ): ActingBreach | undefined {
    const breaches = this.breachesOf(rp, key, statement) ?? [];
    return findingOf(breaches, rp.policy, this.clock.now());
  }

  /**
   * The rules about the key that its registration would break today.
   *
   * @returns `undefined` for keys that cannot be judged: imported ones, those registered before proofs were
   *   stored, and those whose statement was not verified. For keys registered before, the rules about the
   *   model still count if the registration had proved the model.
   */
  breachesOf(
    rp: RelyingParty,
    key: StoredKey,
    statement: AttestationStatement | undefined,
  ): readonly Breach[] | undefined {
    if (!isJudged(key, statement)) return undefined;
    const breaches = this.review(rp, key, { statement, credentials: 0 });
    return breaches.filter(({ rule }) =>
      isKept(key) ? !OF_THE_CEREMONY.includes(rule) : OF_THE_MODEL.includes(rule),
    );
  }

  /**
   * The rules that the same registration would break today.
   *
   * @param credentials how many keys the user had then
   * @returns `undefined` if the registration cannot be judged
   */
  breachesOfRegistration(
    rp: RelyingParty,
    key: StoredKey,
    { statement, credentials }: RegistrationToReview,
  ): readonly Breach[] | undefined {
    if (!isKept(key) || !isJudged(key, statement)) return undefined;
    return this.review(rp, key, { statement, credentials });
  }

  private review(
    rp: RelyingParty,
    key: StoredKey,
    { statement, credentials }: RegistrationToReview,
  ) {
    const { attestationFormat: format, attestationType: type } = key;
    return this.admission.review(
      rp,
      {
        ...key,
        aaguid: aaguidText(key.aaguid),
        attestation: statement ?? { format, type, trustPath: [] },
      },
      {
        attestationAsked: key.attestationAsked ?? false,
        residentKey: key.residentKey ?? undefined,
        credentials,
        registeredAt: new Date(key.registeredAt),
      },
    );
  }
}

interface RegistrationToReview {
  readonly statement: AttestationStatement | undefined;
  readonly credentials: number;
}

/** Whether the proof of the registration was stored. */
export const isKept = ({ attestationAsked }: StoredKey): boolean => attestationAsked !== null;

function isJudged(key: StoredKey, statement: AttestationStatement | undefined): boolean {
  if (key.importedFrom !== null) return false;
  if (!isKept(key)) return key.attestationTrusted;
  return statement !== undefined || key.attestationFormat === 'none';
}

/** From the mildest action to the most severe. */
const SEVERITY: readonly FindingAction[] = ['report', 'refuse-next-sign-in', 'disable'];

export interface ActingBreach extends Breach {
  readonly action: FindingAction;
}

/**
 * The finding about a key that breaks rules: the first of the most severe breaches. The action is `onFinding`; a rule
 * that also applies to sign-ins refuses them from its day on, even if `onFinding` says `report`.
 *
 * @param now in ms since 1970
 * @returns `undefined` if the key breaks no enforced rule
 */
export function findingOf(
  breaches: readonly Breach[],
  { onFinding }: Pick<Policy, 'onFinding'>,
  now: number,
): ActingBreach | undefined {
  const severity = ({ action }: ActingBreach) => SEVERITY.indexOf(action);
  return breaches
    .filter(({ mode }) => mode === 'enforce')
    .map((breach) => ({ ...breach, action: actionOf(breach, onFinding, now) }))
    .reduce<ActingBreach | undefined>(
      (worst, one) => (worst && severity(worst) >= severity(one) ? worst : one),
      undefined,
    );
}

function actionOf({ signInsFrom }: Breach, onFinding: FindingAction, now: number): FindingAction {
  const refuses = signInsFrom !== undefined && signInsFrom <= now;
  return refuses && onFinding === 'report' ? 'refuse-next-sign-in' : onFinding;
}
