import { isDeepStrictEqual } from 'node:util';
import type { BannerChange } from '../../presentation/banner.js';
import type { RelyingPartyChange } from '../../tenancy/relying-party-change.js';
import type { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { completeWellKnown } from '../../tenancy/well-known/well-known.js';
import { enteredOf } from './policy-form.js';
import { RULES, SETTINGS, whatHolds } from './policy-fields.js';
import type { Deciding, PolicyField } from './policy-fields.js';
import { storedFields } from './well-known-form.js';

const NOTHING = 'nothing';
const MODE_WORDS: Readonly<Record<string, string>> = {
  enforce: 'enforced',
  report: 'only reported',
  off: 'off',
};

type WithPolicy = Pick<RelyingPartyEntity, 'policy'>;

/** What differs between a relying party before and after, in the words of its page. */
export function changesOf(
  { before, after }: RelyingPartyChange,
  deciding: Deciding,
): BannerChange[] {
  const plain: BannerChange[] = Object.entries(plainOf(after)).map(([what, value]) => ({
    what,
    before: plainOf(before)[what] || NOTHING,
    after: value || NOTHING,
  }));
  const policy = policyChangesOf({ before, after }, deciding);
  return [...plain.filter(({ before: was, after: is }) => was !== is), ...policy];
}

/** What differs between two policies, in the words of the page. */
export function policyChangesOf(
  { before, after }: { readonly before: WithPolicy; readonly after: WithPolicy },
  deciding: Deciding,
): BannerChange[] {
  return [...RULES, ...SETTINGS]
    .filter(({ name }) => !isDeepStrictEqual(before.policy[name], after.policy[name]))
    .map((field) => ({
      what: field.label,
      before: memberOf(field, before, deciding),
      after: memberOf(field, after, deciding),
    }));
}

/** What has no modes, by the label of the page. */
function plainOf({ name, origins, wellKnown, ...rp }: RelyingPartyEntity): Record<string, string> {
  const published = storedFields(completeWellKnown(wellKnown));
  return {
    'Name that authenticators show': name,
    'Allowed origins': origins.join(', '),
    'Page for invitations': rp.enrolmentUrl ?? '',
    'Colour of the pages for people': rp.colour ?? '',
    'Related origins': published.relatedOrigins.replaceAll('\n', ', '),
    'Android apps': published.androidApps.replaceAll('\n', ', '),
    'Apple apps': published.appleApps.replaceAll('\n', ', '),
    'Page where people add a key': published.enroll,
    'Page where people manage their keys': published.manage,
    'Old domain whose people come here': rp.predecessor ?? '',
  };
}

/** `enforced: ticket`, `not set: open, as --registration says` */
function memberOf(field: PolicyField, { policy }: WithPolicy, deciding: Deciding): string {
  const { mode = '', values = [] } = enteredOf(policy).get(field.name) ?? {};
  if (mode === 'off') return 'off';
  if (values.length === 0) return `not set: ${whatHolds(field, deciding)}`;
  const isRule = RULES.includes(field);
  const said = field.name === 'anchors' ? certificates(values.length) : values.join(', ');
  return isRule ? `${MODE_WORDS[mode] ?? mode}: ${said}` : said;
}

const certificates = (number: number): string =>
  number === 1 ? '1 certificate' : `${number} certificates`;
