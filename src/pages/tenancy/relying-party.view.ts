import type { ShownMove } from '../../users/moves/move-counts.js';
import { baseIn, baseOf, type LastChanges } from '../../platform/pages/form-base.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { tagOf } from '../../platform/http/versions.js';
import type { Problem } from '../../platform/errors/reasons.js';
import type { Faults } from '../../platform/validation/dto.pipe.js';
import type { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { changedBy } from '../../tenancy/changes/relying-party-change.js';
import type { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { appWarnings } from '../../tenancy/scope/app-origins.js';
import { originWarnings, relatedWarnings } from '../../tenancy/origin-warnings.js';
import type { Tenant } from '../../tenancy/tenant.entity.js';
import { filesOf, type WellKnown } from '../../tenancy/well-known/well-known.js';
import { formMembers, partyChangedMeanwhile, typedChanges } from './changes.view.js';
import { nonEmptyLines } from './form.js';
import type { DecidingOptions } from './policy-fields.js';
import { enteredIn, enteredOf } from './policy-form.js';
import { policyView } from './policy.view.js';
import type { PolicyPreset } from './drafts/presets.js';
import { trialView } from './drafts/trial.view.js';
import {
  tenantAddress,
  commonView,
  shownFields,
  relyingPartyRow,
  type CountsByParty,
  type TenantPageVisit,
} from './tenants.view.js';
import { WELL_KNOWN_FIELDS, storedFields } from './well-known-form.js';

interface RelyingPartyParts {
  readonly tenant: Tenant;
  readonly rp: RelyingPartyEntity;
  readonly deciding: DecidingOptions;
  readonly models: AuthenticatorModels;
  readonly presets: readonly PolicyPreset[];
  readonly move: ShownMove | undefined;
  readonly last: LastChanges;
  readonly storedWarnings: readonly Problem[];
  /** Whether applications sign their users in by OpenID Connect, which has a page of clients. */
  readonly hasClients: boolean;
}

export function relyingPartyPage(
  parts: RelyingPartyParts,
  holdings: CountsByParty,
  visit: TenantPageVisit,
) {
  const { tenant, rp, move, presets, hasClients } = parts;
  const { domain } = rp;
  const { users, keys } = relyingPartyRow(tenant.name, rp, holdings);
  return {
    ...commonView(domain, visit),
    address: tenantAddress(tenant.name, domain),
    tenant: { address: tenantAddress(tenant.name), displayName: tenant.displayName },
    domain,
    clientsAddress: hasClients ? `${tenantAddress(tenant.name, domain)}/_clients` : undefined,
    /** The page on which users see their own keys. */
    ownKeys: `/my-keys?${new URLSearchParams({ relyingParty: domain }).toString()}`,
    held: { users, keys },
    created: new Date(rp.createdAt).toISOString(),
    /** The value for `If-Match`, for the form that deletes it. */
    tag: tagOf(rp.changedAt),
    ...formView(parts, visit),
    move,
    presets,
    preset: visit.preset,
    scripts: ['/static/js/policy.js'],
    /** The effects of the policy in the form, if requested. */
    trial: visit.trial && trialView(visit.trial, domain, parts.models),
  };
}

/** The form, with the stored values or with those of a form that is shown again. */
function formView(
  { rp, deciding, models, last, storedWarnings }: RelyingPartyParts,
  { sent, typed }: TenantPageVisit,
) {
  const isStale = sent?.isStale;
  // A stale form shows the stored values, with the changes that the user made in it.
  const shownRp = isStale && typed ? changedBy(rp, typedChanges(typed, rp)) : rp;
  /** The sent form, if its own values are shown again. */
  const formShownAgain = isStale ? undefined : sent;
  const faults = formShownAgain?.faults ?? {};
  const { wellKnown } = shownRp;
  const fields = shownFields(
    { sent: formShownAgain },
    {
      ...storedFields(wellKnown),
      predecessor: shownRp.predecessor ?? '',
      colour: shownRp.colour ?? '',
      enrolmentUrl: shownRp.enrolmentUrl ?? '',
      name: shownRp.name,
      origins: shownRp.origins.join('\n'),
    },
  );
  return {
    /** The base of the form (`baseOf`). */
    base: baseIn(formShownAgain?.fields ?? {}) || baseOf(formMembers(rp)),
    meanwhile:
      isStale && typed
        ? partyChangedMeanwhile(typed.base, { stored: rp, saved: shownRp }, deciding, last)
        : undefined,
    fields,
    /** Warnings about the allowed origins in the form, and about what is stored: audiences, a move, clients. */
    originWarnings: [
      ...originWarnings({
        ...rp,
        origins: nonEmptyLines(fields['origins']?.value ?? ''),
        relatedOrigins: wellKnown.relatedOrigins,
      }),
      ...storedWarnings,
    ],
    appWarnings: appWarnings(rp),
    ...publishedFiles(rp.domain, wellKnown),
    policy: policyOfForm(shownRp, formShownAgain, { deciding, models }),
    ...formFaults(faults),
  };
}

/** The files under `/.well-known` that the server offers for the relying party. */
const publishedFiles = (domain: string, wellKnown: WellKnown) => ({
  /** Limits of browsers that affect the published files. */
  warnings: relatedWarnings(wellKnown.relatedOrigins),
  published: filesOf(wellKnown).map((file) => ({
    file,
    address: `/wellknown/${domain}/${file}`,
  })),
});

/** The policy of a form that is shown again, else of the relying party. */
function policyOfForm(
  { policy }: RelyingPartyEntity,
  form: TenantPageVisit['sent'],
  { deciding, models }: Pick<RelyingPartyParts, 'deciding' | 'models'>,
) {
  // A form that only confirms a deletion contains no policy.
  const isPolicyForm = form !== undefined && form.faults['confirm'] === undefined;
  const entered = isPolicyForm ? enteredIn(form.fields) : enteredOf(policy);
  return policyView(entered, {
    faults: form?.faults ?? {},
    deciding,
    models,
    fields: form?.fields,
  });
}

const formFaults = (faults: Faults) => ({
  /** The errors of the form, with the labels of its fields. */
  wrong: wrongFields(faults),
  /** Folded sections that are open because they contain an error. */
  unfolded: {
    userFacing: ['colour', 'enrolmentUrl'].some((field) => faults[field]),
    elsewhere: [...WELL_KNOWN_FIELDS, 'predecessor'].some((field) => faults[field]),
  },
});

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
