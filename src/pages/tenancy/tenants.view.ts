import type { UserAndKeyCounts } from '../../users/credentials/inventory.js';
import { phrase, type Text } from '../../platform/pages/languages/phrase.js';
import { may } from '../../platform/access/permissions.js';
import type { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import type { Tenant } from '../../tenancy/tenant.entity.js';
import { tagOf } from '../../platform/http/versions.js';
import {
  baseIn,
  baseOf,
  changedMeanwhile,
  type LastChanges,
} from '../../platform/pages/form-base.js';
import type { PageVisit } from '../../platform/pages/submit-form.js';
import type { Faults } from '../../platform/validation/dto.pipe.js';
import { mapKey } from '../../platform/database/row-ids.js';
import type { PolicyEffects } from '../../trust/trial/policy-trial.js';
import type { TypedForm } from './changes.view.js';
import { isSent, textIn } from './form.js';
import type { AppliedPreset } from './drafts/presets.js';
import { WELL_KNOWN_FIELDS } from './well-known-form.js';

const STYLES = ['/static/css/users.css', '/static/css/tenants.css'];

interface TenantSearch {
  readonly filter: string;
  readonly from: string;
  /** The short name with which the next page begins. */
  readonly next: string | undefined;
  /** The number of tenants on all pages. */
  readonly found: number;
}

/** A visit to a page of a tenant; its form may also be an unsaved draft. */
export interface TenantPageVisit extends PageVisit {
  /** The effects of the policy in the form, which then has no errors. */
  readonly trial?: PolicyEffects;
  /** The preset that was applied to the form, which is not saved. */
  readonly preset?: AppliedPreset;
  /** Models were searched; nothing is saved. */
  readonly isModelSearch?: true;
  readonly typed?: TypedForm;
}

interface TenantParts {
  readonly tenant: Tenant;
  readonly relyingParties: readonly RelyingPartyEntity[];
}

/** Numbers of users and keys by relying party ID (`mapKey`). */
export type CountsByParty = ReadonlyMap<string, UserAndKeyCounts>;

export const tenantAddress = (tenant: string, domain?: string): string =>
  `/tenants/${encodeURIComponent(tenant)}${domain === undefined ? '' : `/${encodeURIComponent(domain)}`}`;

export function tenantsPage(
  parts: readonly TenantParts[],
  holdings: CountsByParty,
  { visit, search }: { readonly visit: TenantPageVisit; readonly search: TenantSearch },
) {
  const { filter, from, next, found } = search;
  const address = (more: Record<string, string>) =>
    `/tenants?${new URLSearchParams({ ...(filter && { filter }), ...more }).toString()}`;
  const whole = filter === '' && found === parts.length;
  return {
    ...commonView(phrase('tenants:title'), visit),
    fields: shownFields(visit, {}),
    tenants: parts.map((part) => tenantRow(part, holdings)),
    filter,
    /** The number found, if the page does not show all tenants. */
    count: whole ? undefined : found,
    first: from === '' ? undefined : address({}),
    next: next && address({ from: next }),
  };
}

export function tenantPage(
  parts: TenantParts,
  holdings: CountsByParty,
  visit: TenantPageVisit,
  last: LastChanges,
) {
  const row = tenantRow(parts, holdings);
  const { sent } = visit;
  const { displayName } = row;
  const shown = baseIn(sent?.fields ?? {});
  const fields = shownFields(visit, { displayName });
  const mayReadKeys = may(visit.account, 'application-keys:read');
  return {
    ...commonView(displayName, visit),
    ...row,
    fields,
    /** The base of the form that renames the tenant (`baseOf`). */
    base: sent?.isStale || shown === '' ? baseOf({ displayName }) : shown,
    /** The value for `If-Match`, for the form that deletes the tenant. */
    tag: tagOf(parts.tenant.changedAt),
    /** The changes by others since the submitted form was shown: nothing is saved. */
    meanwhile: sent?.isStale
      ? changedMeanwhile(
          ['displayName'],
          [
            {
              member: 'displayName',
              what: phrase('tenants:displayName'),
              valueOf: (edited: string) => edited,
            },
          ],
          {
            stored: displayName,
            saved: textIn(sent.fields, 'displayName'),
            storedWith: (_, value) => String(value),
          },
          last,
        )
      : undefined,
    mayReadKeys,
    keysAddress: `${row.address}/_keys`,
    webhooksAddress: `${row.address}/_webhooks`,
  };
}

export const commonView = (
  title: Text,
  { account, sent, trial, preset, isModelSearch }: TenantPageVisit,
) => ({
  title,
  texts: 'tenants',
  nav: { tenants: true },
  styles: STYLES,
  /** Whether the form is shown again because of errors. */
  refused: sent !== undefined && !trial && !preset && !isModelSearch && !sent.isStale,
  mayChange: may(account, 'tenants:change'),
  maySeeWebhooks: may(account, 'webhooks:read'),
  /** Whether the account may create and delete tenants. */
  mayManage: may(account, 'tenants:change') && account.tenants === undefined,
});

const FIELDS = [
  'tenant',
  'displayName',
  'domain',
  'name',
  'origins',
  'confirm',
  'url',
  'events',
  ...WELL_KNOWN_FIELDS,
  'predecessor',
  'enrolmentUrl',
  'colour',
];

/** The values of the fields: those of the form that is shown again, else the stored ones. */
export function shownFields(
  { sent }: { readonly sent?: TenantPageVisit['sent'] },
  stored: Readonly<Record<string, string>>,
) {
  const faults: Faults = sent?.faults ?? {};
  return Object.fromEntries(
    FIELDS.map((name) => {
      const typed = sent && isSent(sent.fields, name) ? textIn(sent.fields, name) : undefined;
      return [name, { value: typed ?? stored[name] ?? '', error: faults[name] }];
    }),
  );
}

function tenantRow({ tenant, relyingParties }: TenantParts, holdings: CountsByParty) {
  const { name, displayName } = tenant;
  return {
    address: tenantAddress(name),
    tenant: name,
    displayName,
    relyingParties: relyingParties.map((rp) => relyingPartyRow(name, rp, holdings)),
  };
}

export function relyingPartyRow(
  tenant: string,
  { id, domain, name, origins }: RelyingPartyEntity,
  holdings: CountsByParty,
) {
  const { users = 0, enabled = 0, disabled = 0 } = holdings.get(mapKey(id)) ?? {};
  const address = tenantAddress(tenant, domain);
  const shownName = name === domain ? undefined : name;
  return { address, domain, name: shownName, origins, users, keys: enabled + disabled };
}
