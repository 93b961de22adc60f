import { disablingIn, keyStateOf } from '../../../users/credentials/key-state.js';
import { isUsable } from '../../../users/sign-in-state.js';
import { type WithLabel } from '../../../users/credentials/key-label.js';
import { Credential } from '../../../users/credentials/credential.entity.js';
import { credentialIdText, type FoundCredential } from '../../../users/user-rows.js';
import { transportsOf } from '../../../users/credentials/transports.js';
import {
  momentValue,
  phrase,
  ruleLabel,
  type Phrase,
  type Text,
} from '../../../platform/pages/languages/phrase.js';
import { visibleJson } from '../../../platform/pages/visible-characters.js';
import { isOfReport } from '../../../trust/findings/evaluation/next-key-state.js';
import { type OpenFinding } from '../../../trust/findings/key-findings.js';
import {
  AuthenticatorModels,
  statusText,
  type KeyProvenance,
} from '../../../trust/authenticator-models.js';
import type { FindingKind } from '../../../trust/findings/decisions/finding-decision.entity.js';
import { NO_AAGUID, aaguidText } from '../../../webauthn/aaguid.js';
import {
  USER_VERIFICATION_METHODS,
  methodsOf,
} from '../../../webauthn/user-verification-methods.js';

/** Columns of a key that lists of users omit: the results of its registration. */
export const REGISTRATION_RESULTS = {
  attestationType: true,
  attestationTrusted: true,
  userVerified: true,
  residentKey: true,
  importedFrom: true,
} as const satisfies Partial<Record<keyof Credential, true>>;

/** Facts about a key that lists of users omit. */
interface KnownFacts extends Partial<Pick<Credential, keyof typeof REGISTRATION_RESULTS>> {
  readonly origin: KeyProvenance | undefined;
  /** The user verification methods of the registration, as JSON. */
  readonly uvm: string | null | undefined;
  /** The predecessor's domain, if the key is registered there. */
  readonly domain?: string | undefined;
  readonly finding?: OpenFinding | undefined;
  /** When its counter last went back, in milliseconds since 1970. */
  readonly copiedAt?: number | undefined;
  /** What accounts decided about the kinds of findings that concern the key. */
  readonly decided?: Readonly<Record<FindingKind, readonly Phrase[]>>;
}

export type KeyCard = ReturnType<typeof keyCard>;

/** Transports that have a text (W3C WebAuthn L3 §5.8.4); others are shown as they were sent. */
const TRANSPORTS: readonly string[] = ['usb', 'nfc', 'ble', 'smart-card', 'hybrid', 'internal'];

export function keyCard(
  credential: WithLabel<FoundCredential>,
  facts: KnownFacts,
  models: AuthenticatorModels,
) {
  const { label, deviceName, enabled, registeredAt, lastUsedAt, signCount, deviceMetadata } =
    credential;
  const aaguid = aaguidText(credential.aaguid);
  const transports = transportsOf(credential);
  const format = credential.attestationFormat;
  const model = models.name(aaguid);
  const against = models.statusAgainst(aaguid) ?? facts.origin?.against;
  return {
    label,
    /** The name by which the audit trail and scripts know the key, if it differs from the label. */
    storedName: deviceName === label ? undefined : deviceName,
    enabled,
    /** Whether it signs its user in: a finding may refuse an enabled key. */
    usable: isUsable(credential),
    /** Who or what disabled the key, apart from a finding; otherwise absent. */
    disabled: disablingOf(credential),
    aaguid,
    /** The credential ID, which identifies the key in forms. */
    key: credentialIdText(credential),
    model: model ?? phrase(aaguid === NO_AAGUID ? 'users:card.noModel' : 'users:card.unknownModel'),
    /** A `data:` URL. */
    picture: models.icon(aaguid),
    /** An icon of the sprite, used without a picture. */
    icon: transports.includes('internal') || transports.includes('hybrid') ? 'phone' : 'key',
    registered: new Date(registeredAt).toISOString(),
    lastUsed: lastUsedAt === null ? undefined : new Date(lastUsedAt).toISOString(),
    transports: transports.map(transportText),
    synced: syncText(credential),
    trusted: facts.attestationTrusted ?? false,
    /** The metadata's warning of the model, which then is not shown as trusted. */
    against: against === undefined ? undefined : statusText(against),
    modelPage: aaguid === NO_AAGUID ? undefined : `/userapi/aaguid/${aaguid}`,
    attestation: format === 'none' ? undefined : `${format}, ${facts.attestationType ?? ''}`,
    proven: facts.origin && provenText(facts.origin, facts),
    /** Whether it can sign in without a user name. */
    discoverable: discoverableText(facts.residentKey),
    /** How the user was verified at the registration. */
    verifiedBy: facts.uvm ? methodsOf(facts.uvm).map(methodText) : undefined,
    verified: facts.userVerified ?? false,
    signCount,
    serialNumber: credential.serialNumber,
    keypair: deviceMetadata === null ? undefined : visibleJson(JSON.parse(deviceMetadata)),
    domain: facts.domain,
    /** When an enabled key may have been copied. */
    copied: enabled && facts.copiedAt ? new Date(facts.copiedAt).toISOString() : undefined,
    decided: facts.decided,
    // A report by the user is the reason of the disabling already.
    finding: facts.finding && !isOfReport(facts.finding) ? keyFinding(facts.finding) : undefined,
  };
}

/** A finding that disables the key is a separate text: both may apply. */
function disablingOf(credential: FoundCredential): Phrase | undefined {
  const { disablingJson } = keyStateOf(credential);
  if (disablingJson === null) return undefined;
  const { account, reason, cause, reportedAt } = disablingIn(disablingJson);
  if (reportedAt !== undefined) {
    return phrase('users:card.disabled.reported', { at: momentValue(reportedAt) });
  }
  if (cause) return phrase(`users:card.disabled.${cause}`);
  if (account === undefined) return phrase('users:card.disabled.somebody');
  return reason
    ? phrase('users:card.disabled.because', { account, reason })
    : phrase('users:card.disabled.account', { account });
}

const transportText = (one: string): Text =>
  TRANSPORTS.includes(one) ? phrase(`users:card.transports.${one}`) : one;

const methodText = (method: string): Text =>
  USER_VERIFICATION_METHODS.includes(method)
    ? phrase(`users:card.methods.${method === 'no verification' ? 'none' : method}`)
    : method;

function discoverableText(residentKey: boolean | null | undefined): Phrase {
  if (typeof residentKey !== 'boolean') return phrase('users:card.notTold');
  return residentKey ? phrase('users:card.yes') : phrase('users:card.no');
}

/** What vouched for the key. An imported key is marked, since this server has not checked whether to trust it. */
function provenText(
  { format, root, certified }: KeyProvenance,
  { importedFrom }: KnownFacts,
): Phrase {
  const by =
    root === undefined
      ? phrase('users:card.proven.itself', { format })
      : phrase('users:card.proven.root', { format, root });
  const text =
    certified === undefined ? by : phrase('users:card.proven.certified', { by, certified });
  return importedFrom ? phrase('users:card.proven.imported', { by: text }) : text;
}

/** W3C WebAuthn L3 §6.1.3: whether the key can leave its device, and whether it has. */
function syncText({ backupEligible, backedUp }: FoundCredential): Phrase {
  if (backedUp) return phrase('users:card.synced');
  return backupEligible ? phrase('users:card.syncable') : phrase('users:card.bound');
}

/** A policy rule that a key breaks, and the effect on its user. */
export const keyFinding = (found: OpenFinding) => ({
  rule: ruleLabel(found.rule),
  code: found.code,
  means: meaningOf(found),
});

function meaningOf(found: OpenFinding): Phrase {
  const { action, enabled, from } = found;
  const { disablingJson, disabledByRule, acceptedBy, refusedWith } = keyStateOf(found);
  const means = (name: string, values = {}) => phrase(`users:finding.${name}`, values);
  if (refusedWith !== null) return means('refused');
  if (acceptedBy) return means('letInBy', { account: acceptedBy });
  // Earlier versions recorded nothing when an account enabled the key in spite of the finding.
  if (acceptedBy !== null || (action !== 'report' && enabled)) return means('letIn');
  if (disabledByRule !== null || action === 'disable') {
    return means(disablingJson === null ? 'off' : 'offToo');
  }
  if (from !== undefined) return means('due', { from: momentValue(from) });
  return means(action === 'report' ? 'reported' : 'refused');
}
