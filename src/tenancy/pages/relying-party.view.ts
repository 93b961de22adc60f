import type { ShownMove } from '../../users/moves/moves.js';
import { baseIn, baseOf, type LastChanges } from '../../platform/pages/form-base.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { tagOf } from '../../platform/http/versions.js';
import type { Faults } from '../../platform/validation/form.pipe.js';
import type { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { changedBy } from '../changes/relying-party-change.js';
import type { RelyingPartyEntity } from '../relying-party.entity.js';
import { originWarnings } from '../tenancy.rules.js';
import type { Tenant } from '../tenant.entity.js';
import { relatedWarnings } from '../well-known/related-labels.js';
import { filesOf } from '../well-known/well-known-files.js';
import { completeWellKnown } from '../well-known/well-known.js';
import { formMembers, partyChangedMeanwhile, typedChanges } from './changes.view.js';
import { textIn } from './form.js';
import { findField, pickerOf } from './model-picker.js';
import type { DecidingOptions } from './policy-fields.js';
import { enteredIn, enteredOf } from './policy-form.js';
import { policyView } from './policy.view.js';
import type { Preset } from './drafts/presets.js';
import {
  tenantAddress,
  commonView,
  shownFields,
  relyingPartyRow,
  type HoldingsByParty,
  type TenantPageVisit,
} from './tenants.view.js';
import { WELL_KNOWN_FIELDS, storedFields } from './well-known-form.js';

interface RelyingPartyParts {
  readonly tenant: Tenant;
  readonly rp: RelyingPartyEntity;
  readonly deciding: DecidingOptions;
  readonly models: AuthenticatorModels;
  readonly presets: readonly Preset[];
  readonly move: ShownMove | undefined;
  readonly last: LastChanges;
}

export function relyingPartyPage(
  { tenant, rp, deciding, models, presets, move, last }: RelyingPartyParts,
  holdings: HoldingsByParty,
  visit: TenantPageVisit,
) {
  const { domain } = rp;
  const { account, typed } = visit;
  const isStale = visit.sent?.isStale;
  // A stale form shows the stored values, with the changes that the user made in it.
  const typing = isStale ? { account } : visit;
  const { sent }: TenantPageVisit = typing;
  const shown = isStale && typed ? changedBy(rp, typedChanges(typed, rp)) : rp;
  const { name, origins, policy } = shown;
  // A form that only confirms a deletion contains no policy.
  const entered = isPolicyForm(sent) ? enteredIn(sent.fields) : enteredOf(policy);
  const wellKnown = completeWellKnown(shown.wellKnown);
  const { users, keys } = relyingPartyRow(tenant.name, rp, holdings);
  return {
    ...commonView(domain, visit),
    address: tenantAddress(tenant.name, domain),
    tenant: { address: tenantAddress(tenant.name), displayName: tenant.displayName },
    domain,
    /** The page on which users see their own keys. */
    ownKeys: `/my-keys?${new URLSearchParams({ relyingParty: domain }).toString()}`,
    held: { users, keys },
    created: new Date(rp.createdAt).toISOString(),
    /** The base of the form (`baseOf`). */
    base: baseIn(sent?.fields ?? {}) || baseOf(formMembers(rp)),
    /** The value for `If-Match`, for the form that deletes it. */
    tag: tagOf(rp.changedAt),
    meanwhile:
      isStale && typed
        ? partyChangedMeanwhile(typed.base, { now: rp, then: shown }, deciding, last)
        : undefined,
    fields: shownFields(typing, {
      ...storedFields(wellKnown),
      predecessor: shown.predecessor ?? '',
      colour: shown.colour ?? '',
      enrolmentUrl: shown.enrolmentUrl ?? '',
      name,
      origins: origins.join('\n'),
    }),
    /** Warnings for administrators about the allowed origins. */
    originWarnings: originWarnings(origins),
    /** Limits of browsers that affect the published files. */
    warnings: relatedWarnings(wellKnown.relatedOrigins),
    published: filesOf({ wellKnown }).map((file) => ({
      file,
      address: `/wellknown/${domain}/${file}`,
    })),
    policy: policyView(entered, {
      faults: sent?.faults ?? {},
      deciding,
      pick: (field, values) => {
        const text = textIn(sent?.fields, findField(field));
        return pickerOf(models, field, { values, text });
      },
    }),
    move,
    presets,
    preset: visit.preset,
    scripts: ['/static/js/policy.js'],
    /** The errors of the form, with the labels of its fields. */
    wrong: wrongFields(sent?.faults ?? {}),
    /** Folded sections that are open because they contain an error. */
    unfolded: {
      people: ['colour', 'enrolmentUrl'].some((field) => sent?.faults[field]),
      elsewhere: [...WELL_KNOWN_FIELDS, 'predecessor'].some((field) => sent?.faults[field]),
    },
    /** The effects of the policy in the form, if requested. */
    trial: visit.trial,
  };
}

/** Labels of the fields besides the policy. */
const LABELS: Readonly<Record<string, string>> = {
  name: 'tenants:fields.name',
  origins: 'tenants:add.origins',
  colour: 'tenants:fields.colour',
  enrolmentUrl: 'tenants:fields.enrolmentUrl',
  relatedOrigins: 'tenants:party.related',
  androidApps: 'tenants:party.android',
  appleApps: 'tenants:party.apple',
  enroll: 'tenants:fields.enroll',
  manage: 'tenants:fields.manage',
  predecessor: 'tenants:fields.predecessor',
};

/** The errors in the form of a relying party; the one of a deletion is beside its only field. */
const wrongFields = (faults: Faults) =>
  Object.entries(faults)
    .filter(([field]) => field !== 'confirm')
    .map(([field, error]) => ({
      field,
      label: phrase(LABELS[field] ?? `policy:fields.${field}.label`),
      error,
    }));

const isPolicyForm = (
  sent: TenantPageVisit['sent'],
): sent is NonNullable<TenantPageVisit['sent']> =>
  sent !== undefined && sent.faults['confirm'] === undefined;
