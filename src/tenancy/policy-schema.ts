import { algorithmNames } from '../validation/algorithm-name.js';
import { isOneOf } from '../validation/decorators.js';
import { Field, isObject, sentenceOf } from '../validation/field.js';
import type { Coded, Fault } from '../validation/field.js';
import { isCertificatePem } from '../validation/pem.js';
import { isAaguidText } from '../webauthn/aaguid.js';
import { ATTESTATION_TYPES } from '../webauthn/attestation/format.js';
import { supportedFormats } from '../webauthn/attestation/registry.js';
import {
  CERTIFICATION_LEVELS,
  CERTIFICATION_PROFILES,
  FIPS_LEVELS,
  FIPS_REVISIONS,
} from '../webauthn/metadata/certification.js';
import { KEY_PROTECTIONS, MATCHER_PROTECTIONS } from '../webauthn/metadata/statement.js';
import { STATUS_VERDICTS } from '../webauthn/metadata/status.js';
import { isOriginList } from './origin-list.js';
import {
  CALLERS,
  FINDING_ACTIONS,
  MODES,
  TRUST_DEMANDS,
  UNKNOWN_USERS,
  WHENS,
  USERNAMES,
} from './policy.js';

const MAX_CREDENTIALS = 100;
const MAX_ANCHORS = 20;
const MAX_AAGUIDS = 500;
const MAX_AUDIENCES = 20;
/** Visible ASCII: tokens name it as it is written. */
const AUDIENCE = /^[\x21-\x7e]{1,255}$/;
const REQUIREMENTS = ['required', 'preferred', 'discouraged'];
const VERDICTS = ['accept', 'warn', 'refuse'];

/** What a member of the policy may hold, in code and in words. */
interface Member {
  readonly fits: (setting: unknown) => boolean;
  readonly says: string;
}

const isMode = (value: unknown): boolean => isOneOf(MODES, value);

/** A member without modes. */
const setting = (fits: Member['fits'], says: string): Member => ({ fits, says });

const DAY = /^\d{4}-\d{2}-\d{2}$/;

const isDay = (value: unknown): boolean =>
  typeof value === 'string' &&
  DAY.test(value) &&
  !Number.isNaN(Date.parse(value)) &&
  new Date(value).toISOString().startsWith(value);

/** Whether a rule has no other members than these, `when`, and, where that is `both`, `from`. */
function isPhased(written: Readonly<Record<string, unknown>>, members: readonly string[]): boolean {
  const { when, from } = written;
  const known = [...members, 'when', 'from'];
  return (
    Object.keys(written).every((name) => known.includes(name)) &&
    (when === undefined || isOneOf(WHENS, when)) &&
    (from === undefined || (when === 'both' && isDay(from)))
  );
}

/** `VALUE`, or `{"mode": …, "value": VALUE}`; a list is called `list` there. */
function rule(member: 'value' | 'list', fits: Member['fits'], says: string): Member {
  const moded = (written: unknown) =>
    isObject(written) &&
    isMode(written['mode']) &&
    fits(written[member]) &&
    isPhased(written, ['mode', member]);
  return {
    fits: (written) => fits(written) || moded(written),
    says: `${says}, alone or as {"mode": "off", "report" or "enforce", "${member}": …}`,
  };
}

const word = (...words: readonly string[]): Member =>
  rule('value', (value) => isOneOf(words, value), `one of ${words.join(', ')}`);

const list = (most: number, fits: (item: unknown) => boolean, says: string): Member => {
  const isList = (value: unknown) =>
    Array.isArray(value) && value.length > 0 && value.length <= most && value.every(fits);
  return rule('list', isList, `an array of 1 to ${most} ${says}`);
};

/** A rule whose value is a list of some of a few words. */
const among = (words: readonly string[]): Member =>
  list(words.length, (item) => isOneOf(words, item), `of ${words.join(', ')}`);

const trustRule = word(...TRUST_DEMANDS);

/** A mode alone is how the rule was written before it had values. */
const isTrust = (written: unknown): boolean =>
  isMode(written) ||
  trustRule.fits(written) ||
  (isObject(written) && isMode(written['mode']) && isPhased(written, ['mode']));

function isStatus(written: unknown): boolean {
  if (!isObject(written) || !isPhased(written, Object.keys(written))) return false;
  const statuses = Object.entries(written).filter(([name]) => !['when', 'from'].includes(name));
  return statuses.every(([name, value]) =>
    name === 'mode'
      ? isMode(value)
      : Object.hasOwn(STATUS_VERDICTS, name) && isOneOf(VERDICTS, value),
  );
}

const isAnchors = (written: unknown): boolean =>
  Array.isArray(written) && written.length <= MAX_ANCHORS && written.every(isCertificatePem);

const isAudiences = (written: unknown): boolean =>
  Array.isArray(written) &&
  written.length <= MAX_AUDIENCES &&
  written.every((item) => typeof item === 'string' && AUDIENCE.test(item));

const isCap = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_CREDENTIALS;

const isAlgorithm = (value: unknown): boolean =>
  typeof value === 'string' && algorithmNames().includes(value.toLowerCase());

const aaguids = () => list(MAX_AAGUIDS, isAaguidText, 'AAGUIDs written as hyphenated UUIDs');

const MEMBERS: ReadonlyMap<string, Member> = new Map([
  [
    'attestation',
    setting(
      (value) => isOneOf(['none', 'indirect', 'direct', 'enterprise'], value),
      'one of none, indirect, direct, enterprise',
    ),
  ],
  [
    'aaguid',
    setting(
      (value) => isOneOf(['verified', 'attested', 'reported'], value),
      'one of verified, attested, reported',
    ),
  ],
  ['anchors', setting(isAnchors, `an array of at most ${MAX_ANCHORS} certificates in PEM`)],
  ['topOrigins', setting(isOriginList, 'an array of origins')],
  ['userVerification', word(...REQUIREMENTS)],
  ['residentKey', word(...REQUIREMENTS)],
  ['registration', word('open', 'first-only', 'ticket')],
  ['callers', setting((value) => isOneOf(CALLERS, value), `one of ${CALLERS.join(', ')}`)],
  [
    'unknownUsers',
    setting((value) => isOneOf(UNKNOWN_USERS, value), `one of ${UNKNOWN_USERS.join(', ')}`),
  ],
  ['usernames', setting((value) => isOneOf(USERNAMES, value), `one of ${USERNAMES.join(', ')}`)],
  [
    'onFinding',
    setting((value) => isOneOf(FINDING_ACTIONS, value), `one of ${FINDING_ACTIONS.join(', ')}`),
  ],
  ['secondOpinion', setting(isMode, `one of ${MODES.join(', ')}`)],
  [
    'audiences',
    setting(
      isAudiences,
      `an array of at most ${MAX_AUDIENCES} names of 1 to 255 visible characters`,
    ),
  ],
  ['counter', word('reject', 'warn', 'disable')],
  ['trust', setting(isTrust, `${trustRule.says}, or one of ${MODES.join(', ')}`)],
  ['formats', list(20, (value) => isOneOf(supportedFormats(), value), 'attestation formats')],
  ['attestationTypes', among(ATTESTATION_TYPES)],
  ['certification', word(...CERTIFICATION_LEVELS)],
  ['certificationProfiles', among(CERTIFICATION_PROFILES)],
  ['fips', word(...FIPS_LEVELS)],
  ['fipsRevision', word(...FIPS_REVISIONS)],
  ['fipsPhysicalSecurity', word(...FIPS_LEVELS)],
  ['keyProtection', among(KEY_PROTECTIONS)],
  ['matcherProtection', among(MATCHER_PROTECTIONS)],
  ['algorithms', list(20, isAlgorithm, 'algorithm names such as es256')],
  ['allow', aaguids()],
  ['block', aaguids()],
  ['backupEligible', word('allowed', 'refused')],
  ['maxCredentials', rule('value', isCap, `a whole number from 1 to ${MAX_CREDENTIALS}`)],
  [
    'status',
    setting(
      isStatus,
      'an object of metadata statuses, each with accept, warn or refuse, and perhaps "mode"',
    ),
  ],
]);

/** What is wrong with the `policy` of a relying party, if anything: E0045R, which member, and what it takes. */
export function policyRule(value: unknown): Fault | undefined {
  if (!isObject(value)) return ['E0045R', '"policy" must be an object.'];
  for (const [name, written] of Object.entries(value)) {
    const member = MEMBERS.get(name);
    if (!member) {
      return ['E0045R', `A policy knows ${[...MEMBERS.keys()].join(', ')}.`];
    }
    if (!member.fits(written)) return ['E0045R', `"policy.${name}" must be ${member.says}.`];
  }
  return undefined;
}

/** The policy of a relying party, as `policyRule` takes it. */
export const IsPolicy = (options: Coded): PropertyDecorator =>
  Field('isPolicy', options, () => (value) => {
    const fault = policyRule(value);
    return fault && [options.context.code, sentenceOf(fault)];
  });
