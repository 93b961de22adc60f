import { isDeepStrictEqual } from 'node:util';
import type { BannerChange } from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import type { Text } from '../../platform/pages/languages/phrase.js';
import type { RelyingPartyChange } from '../changes/relying-party-change.js';
import type { RelyingPartyEntity } from '../relying-party.entity.js';
import { completeWellKnown } from '../well-known/well-known.js';
import { enteredOf } from './policy-form.js';
import { RULES, SETTINGS, labelOf, valuesText, whatHolds } from './policy-fields.js';
import type { Deciding, PolicyField } from './policy-fields.js';
import { storedFields } from './well-known-form.js';

const NOTHING = phrase('policy:was.nothing');

type WithPolicy = Pick<RelyingPartyEntity, 'policy'>;

/** The differences between a relying party before and after a change, in the words of its page. */
export function changesOf(
  { before, after }: RelyingPartyChange,
  deciding: Deciding,
): BannerChange[] {
  const was = plainOf(before);
  const plain = Object.entries(plainOf(after))
    .filter(([what, value]) => was[what] !== value)
    .map(([what, value]) => ({
      what: phrase(what),
      before: was[what] || NOTHING,
      after: value || NOTHING,
    }));
  return [...plain, ...policyChangesOf({ before, after }, deciding)];
}

/** The differences between two policies, in the words of the page. */
export function policyChangesOf(
  { before, after }: { readonly before: WithPolicy; readonly after: WithPolicy },
  deciding: Deciding,
): BannerChange[] {
  return [...RULES, ...SETTINGS]
    .filter(({ name }) => !isDeepStrictEqual(before.policy[name], after.policy[name]))
    .map((field) => ({
      what: labelOf(field),
      before: memberOf(field, before, deciding),
      after: memberOf(field, after, deciding),
    }));
}

/** The members besides the policy, by the name of the text that labels them on the page. */
function plainOf({ name, origins, wellKnown, ...rp }: RelyingPartyEntity): Record<string, string> {
  const published = storedFields(completeWellKnown(wellKnown));
  return {
    'tenants:fields.name': name,
    'policy:plain.origins': origins.join(', '),
    'tenants:fields.enrolmentUrl': rp.enrolmentUrl ?? '',
    'tenants:fields.colour': rp.colour ?? '',
    'policy:plain.relatedOrigins': published.relatedOrigins.replaceAll('\n', ', '),
    'policy:plain.androidApps': published.androidApps.replaceAll('\n', ', '),
    'policy:plain.appleApps': published.appleApps.replaceAll('\n', ', '),
    'tenants:fields.enroll': published.enroll,
    'tenants:fields.manage': published.manage,
    'tenants:fields.predecessor': rp.predecessor ?? '',
  };
}

/** `enforced: ticket`, `not set: open, as --registration says` */
function memberOf(field: PolicyField, { policy }: WithPolicy, deciding: Deciding): Text {
  const { mode = '', values = [] } = enteredOf(policy).get(field.name) ?? {};
  if (mode === 'off') return phrase('policy:was.off');
  const said = valuesText(field, values);
  if (!said) return phrase('policy:was.unset', { holds: whatHolds(field, deciding) });
  const isRule = RULES.includes(field);
  return isRule ? phrase(`policy:was.${mode}`, { said }) : said;
}
