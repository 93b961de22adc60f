import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/common/clock.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { aaguidText } from '../../../webauthn/aaguid.js';
import type {
  AttestationStatement,
  AttestationType,
} from '../../../webauthn/attestation/format.js';
import type { ExtensionOutputs } from '../../../webauthn/authenticator-data.js';
import { Admission } from '../../admission.js';
import type { RuleBreach } from '../../rule.js';
import type { Credential } from '../../../users/credentials/credential.entity.js';
import { policyMembers, type FindingAction, type Policy } from '../../../tenancy/policy/policy.js';
import { rulesFor } from '../../../tenancy/policy/rules-for.js';
import { isReported } from '../../../users/credentials/key-state.js';
import {
  isOfReport,
  nextKeyState,
  type EvaluatedState,
  type NextKeyState,
} from './next-key-state.js';

export interface KeyToEvaluate
  extends
    EvaluatedState,
    Readonly<Pick<Credential, 'id' | 'credentialHash' | 'userId' | 'aaguid' | 'algorithm'>>,
    Readonly<Pick<Credential, 'attestationFormat' | 'attestationTrusted' | 'attestationAsked'>>,
    Readonly<Pick<Credential, 'userVerified' | 'residentKey' | 'registeredAt' | 'importedFrom'>> {
  readonly username: string;
  /** The groups that decide which profile applies; empty without profiles. */
  readonly groups: readonly string[];
  readonly attestationType: AttestationType;
  readonly backupEligible: boolean;
  /** Whether the proof of its registration refers to a CA certificate that the database has lost. */
  readonly lacksCertificate: boolean;
  /** The proof of its registration, if it was stored completely. */
  readonly statement: AttestationStatement | undefined;
  /** The authenticator's extension outputs in the proof, if a rule needs them and the proof was stored. */
  readonly extensions: ExtensionOutputs | undefined;
}

export interface FindingChange extends NextKeyState {
  readonly key: KeyToEvaluate;
}

/**
 * Rules about the ceremony, not about the key: how many keys the user had, and whether the user was verified.
 * Every sign-in verifies the user again.
 */
const OF_THE_CEREMONY: readonly string[] = policyMembers.flatMap(([name, { onKeys }]) =>
  onKeys ? [] : [name],
);
/** Rules that find a model unsafe. They can be evaluated without a stored proof. */
const OF_THE_MODEL: readonly string[] = ['block', 'status'];

/** Evaluates stored keys by the current rules of their users for registrations. */
@Injectable()
export class KeyEvaluation {
  constructor(
    private readonly admission: Admission,
    private readonly clock: Clock,
  ) {}

  /** The change of a key under the current rules and data; `undefined` if it stays the same. */
  changeOf(rp: RelyingParty, key: KeyToEvaluate): FindingChange | undefined {
    if (key.lacksCertificate) return changeWithoutRules(key);
    const breaches = this.breachesOf(rp, key) ?? [];
    const { policy } = rulesFor(rp, key.groups);
    const next = nextKeyState(key, findingOf(breaches, policy, this.clock.now()));
    return next && { key, ...next };
  }

  /**
   * The rules about the key that its registration would break today.
   *
   * @returns `undefined` for keys that cannot be judged: imported ones, those registered before proofs were
   *   stored, and those whose statement was not verified. For keys registered before, the rules about the
   *   model still count if the registration had proved the model.
   */
  breachesOf(rp: RelyingParty, key: KeyToEvaluate): readonly RuleBreach[] | undefined {
    if (!isJudged(key)) return undefined;
    const breaches = this.review(rp, key, 0);
    return breaches.filter(({ rule }) =>
      hasStoredProof(key) ? !OF_THE_CEREMONY.includes(rule) : OF_THE_MODEL.includes(rule),
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
    key: KeyToEvaluate,
    credentials: number,
  ): readonly RuleBreach[] | undefined {
    return hasStoredProof(key) && isJudged(key) ? this.review(rp, key, credentials) : undefined;
  }

  private review(rp: RelyingParty, key: KeyToEvaluate, credentials: number) {
    const { attestationFormat: format, attestationType: type, statement } = key;
    return this.admission.review(
      rulesFor(rp, key.groups),
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

/** The change of a key that no rule can be applied to at the moment: it keeps its finding, unless its user reports it. */
export function changeWithoutRules(key: KeyToEvaluate): FindingChange | undefined {
  if (!isReported(key) || (key.finding && isOfReport(key.finding))) return undefined;
  const next = nextKeyState(key, key.finding);
  return next && { key, ...next };
}

/** Whether a rule of the policy is about something that was not stored: no breach then says nothing. */
export const lacksFacts = ({ minPinLength }: Policy, key: KeyToEvaluate): boolean =>
  !hasStoredProof(key) || (minPinLength !== undefined && key.extensions === undefined);

/** Whether the proof of the registration was stored. */
const hasStoredProof = ({ attestationAsked }: KeyToEvaluate): boolean => attestationAsked !== null;

function isJudged(key: KeyToEvaluate): boolean {
  if (key.importedFrom !== null) return false;
  if (!hasStoredProof(key)) return key.attestationTrusted;
  return key.statement !== undefined || key.attestationFormat === 'none';
}

/** From the mildest action to the most severe. */
const SEVERITY: readonly FindingAction[] = ['report', 'refuse-next-sign-in', 'disable'];

export interface ActingBreach extends RuleBreach {
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
  breaches: readonly RuleBreach[],
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

function actionOf(
  { signInsFrom }: RuleBreach,
  onFinding: FindingAction,
  now: number,
): FindingAction {
  const refuses = signInsFrom !== undefined && signInsFrom <= now;
  return refuses && onFinding === 'report' ? 'refuse-next-sign-in' : onFinding;
}
