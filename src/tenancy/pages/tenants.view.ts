import type { Problem } from '../../platform/errors/reasons.js';
import type { Holdings } from '../../users/credentials/inventory.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import type { Phrase, Text } from '../../platform/pages/languages/phrase.js';
import type { MeanwhileView, PageView } from '../../platform/pages/page.view.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { may } from '../../platform/access/permissions.js';
import type { RelyingPartyEntity } from '../relying-party.entity.js';
import type { Tenant } from '../tenant.entity.js';
import { originWarnings } from '../tenancy.rules.js';
import { relatedWarnings } from '../well-known/related-labels.js';
import { completeWellKnown } from '../well-known/well-known.js';
import { filesOf } from '../well-known/well-known-files.js';
import type { ModelSearch } from '../../trust/model-search.js';
import { baseOf } from '../../platform/pages/form-base.js';
import { tagOf } from '../../platform/http/versions.js';
import { changedBy } from '../changes/relying-party-change.js';
import type { Faults, SentForm } from '../../platform/validation/form.pipe.js';
import { changedMeanwhile, formMembers, typedChanges } from './changes.view.js';
import type { TypedForm } from './changes.view.js';
import { isSent, textIn } from './form.js';
import { enteredIn, enteredOf } from './policy-form.js';
import type { DecidingOptions } from './policy-fields.js';
import { findField, pickerOf } from './model-picker.js';
import type { AppliedPreset, Preset } from './presets.js';
import { policyView } from './policy.view.js';
import type { PolicyView } from './policy.view.js';
import type { TrialView } from './trial.view.js';
import { WELL_KNOWN_FIELDS, storedFields } from './well-known-form.js';

const STYLES = ['/static/css/users.css', '/static/css/tenants.css'];

/** What a form's field holds again, and what was wrong with it. */
interface FieldView {
  readonly value: string;
  readonly error: Problem | undefined;
}

type Fields = Readonly<Record<string, FieldView>>;

interface RelyingPartyRow {
  readonly address: string;
  readonly domain: string;
  readonly name: string;
  readonly origins: readonly string[];
  readonly users: number;
  readonly keys: number;
}

interface TenantRow {
  readonly address: string;
  readonly tenant: string;
  readonly displayName: string;
  readonly relyingParties: readonly RelyingPartyRow[];
}

export interface CommonView extends PageView {
  /** What others have changed since the form that was sent was shown: nothing is saved. */
  readonly meanwhile?: readonly MeanwhileView[] | undefined;
  /** Whether a form was sent back. */
  readonly refused: boolean;
  readonly fields: Fields;
  readonly mayChange: boolean;
  /** Create and delete tenants. */
  readonly mayManage: boolean;
}

export interface TenantsView extends CommonView {
  readonly tenants: readonly TenantRow[];
  readonly filter: string;
  /** How many were found, where a page does not show everything that there is. */
  readonly count: number | undefined;
  readonly first: string | undefined;
  readonly next: string | undefined;
}

/** Which part of which tenants a page of the list shows. */
interface Part {
  readonly filter: string;
  readonly from: string;
  /** The short name at which the next page begins. */
  readonly next: string | undefined;
  /** How many there are on all pages. */
  readonly found: number;
}

export interface TenantPageView extends CommonView, TenantRow {
  /** What `If-Match` would say, for the form that renames it. */
  readonly tag: string;
  readonly mayReadKeys: boolean;
  readonly keysAddress: string;
  readonly webhooksAddress: string;
}

export interface RelyingPartyPageView extends CommonView {
  /** What the form shows (`baseOf`). */
  readonly base: string;
  readonly address: string;
  readonly tenant: { readonly address: string; readonly displayName: string };
  readonly domain: string;
  /** The page on which people see their own keys. */
  readonly ownKeys: string;
  readonly held: { readonly users: number; readonly keys: number };
  readonly created: string;
  readonly policy: PolicyView;
  /** What is wrong with the form, with the labels of its fields. */
  readonly wrong: readonly {
    readonly field: string;
    readonly label: Phrase;
    readonly error: Problem;
  }[];
  /** Folded sections that are open, since something is wrong in them. */
  readonly unfolded: Readonly<Record<'people' | 'elsewhere', boolean>>;
  /** What an administrator should know of the allowed origins. */
  readonly originWarnings: readonly Problem[];
  /** What browsers may not do with what is published. */
  readonly warnings: readonly Problem[];
  readonly published: readonly { readonly file: string; readonly address: string }[];
  /** What the policy in the form would mean, where that was asked. */
  readonly trial: TrialView | undefined;
  readonly presets: readonly Preset[];
  readonly preset: AppliedPreset | undefined;
}

/** Who looks, or at which form that was sent back. */
export interface TenantPageVisit {
  readonly account: Account;
  readonly sent?: Pick<SentForm, 'fields' | 'faults'>;
  /** What came of the policy in the form; then nothing is wrong with it. */
  readonly trial?: TrialView;
  /** It was put into the form, which is not saved. */
  readonly preset?: AppliedPreset;
  /** Models were looked for; nothing is saved. */
  readonly sought?: true;
  /** Others have changed meanwhile what the form that was sent changes. */
  readonly isStale?: boolean;
  /** What was typed into the form of a relying party. */
  readonly typed?: TypedForm | undefined;
}

/** A tenant with its relying parties. */
interface TenantParts {
  readonly tenant: Tenant;
  readonly relyingParties: readonly RelyingPartyEntity[];
}

/** A relying party of a tenant, and what decides where its policy says nothing. */
interface RelyingPartyParts {
  readonly tenant: Tenant;
  readonly rp: RelyingPartyEntity;
  readonly deciding: DecidingOptions;
  readonly models: ModelSearch;
  readonly presets: readonly Preset[];
}

/** Holdings by relying party ID (hex). */
type HoldingsByParty = ReadonlyMap<string, Holdings>;

export const addressOf = (tenant: string, domain?: string): string =>
  `/tenants/${encodeURIComponent(tenant)}${domain === undefined ? '' : `/${encodeURIComponent(domain)}`}`;

export function tenantsPage(
  parts: readonly TenantParts[],
  holdings: HoldingsByParty,
  { visit, search }: { readonly visit: TenantPageVisit; readonly search: Part },
): TenantsView {
  const { filter, from, next, found } = search;
  const address = (more: Record<string, string>) =>
    `/tenants?${new URLSearchParams({ ...(filter && { filter }), ...more }).toString()}`;
  const whole = filter === '' && found === parts.length;
  return {
    ...common(phrase('tenants:title'), visit),
    fields: fieldsOf(visit, {}),
    tenants: parts.map((part) => tenantRow(part, holdings)),
    filter,
    count: whole ? undefined : found,
    first: from === '' ? undefined : address({}),
    next: next && address({ from: next }),
  };
}

export function tenantPage(
  parts: TenantParts,
  holdings: HoldingsByParty,
  visit: TenantPageVisit,
): TenantPageView {
  const row = tenantRow(parts, holdings);
  const { isStale, sent } = visit;
  const typed = textIn(sent?.fields, 'displayName');
  const yours = typed === row.displayName ? undefined : typed;
  const renamed = { what: phrase('tenants:displayName'), now: row.displayName, yours };
  const isKept = !isStale && isSent(sent?.fields, 'version');
  const fields = fieldsOf(visit, { displayName: row.displayName });
  const mayReadKeys = may(visit.account, 'application-keys:read');
  return {
    ...common(row.displayName, visit),
    ...row,
    fields,
    tag: isKept ? textIn(sent?.fields, 'version') : tagOf(parts.tenant.changedAt),
    meanwhile: isStale ? [renamed] : undefined,
    mayReadKeys,
    keysAddress: `${row.address}/_keys`,
    webhooksAddress: `${row.address}/_webhooks`,
  };
}

export function relyingPartyPage(
  { tenant, rp, deciding, models, presets }: RelyingPartyParts,
  holdings: HoldingsByParty,
  visit: TenantPageVisit,
): RelyingPartyPageView {
  const { domain } = rp;
  const { isStale, typed } = visit;
  const typing = isStale ? withoutForm(visit) : visit;
  const { sent } = typing;
  const shown = isStale && typed ? changedBy(rp, typedChanges(typed, rp)) : rp;
  const { name, origins, policy } = shown;
  // A form that only confirms a deletion holds nothing of the policy.
  const entered = isPolicyForm(sent) ? enteredIn(sent.fields) : enteredOf(policy);
  const wellKnown = completeWellKnown(shown.wellKnown);
  const { users, keys } = relyingPartyRow(tenant.name, rp, holdings);
  return {
    ...common(domain, visit),
    address: addressOf(tenant.name, domain),
    tenant: { address: addressOf(tenant.name), displayName: tenant.displayName },
    domain,
    ownKeys: `/my-keys?${new URLSearchParams({ relyingParty: domain }).toString()}`,
    held: { users, keys },
    created: new Date(rp.createdAt).toISOString(),
    base: isSent(sent?.fields, 'base') ? textIn(sent?.fields, 'base') : baseOf(formMembers(rp)),
    meanwhile:
      isStale && typed
        ? changedMeanwhile(typed.base, { now: rp, then: shown }, deciding)
        : undefined,
    fields: fieldsOf(typing, {
      ...storedFields(wellKnown),
      predecessor: shown.predecessor ?? '',
      colour: shown.colour ?? '',
      enrolmentUrl: shown.enrolmentUrl ?? '',
      name,
      origins: origins.join('\n'),
    }),
    originWarnings: originWarnings(origins),
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
    presets,
    preset: visit.preset,
    scripts: ['/static/js/policy.js'],
    wrong: wrongFields(sent?.faults ?? {}),
    unfolded: {
      people: ['colour', 'enrolmentUrl'].some((field) => sent?.faults[field]),
      elsewhere: [...WELL_KNOWN_FIELDS, 'predecessor'].some((field) => sent?.faults[field]),
    },
    trial: visit.trial,
  };
}

/** The fields then show what is stored, with what somebody has changed in the form. */
const withoutForm = ({ account }: TenantPageVisit): TenantPageVisit => ({ account });

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

/** The faults of the form of a relying party; a deletion's is beside its only field. */
const wrongFields = (faults: Faults): RelyingPartyPageView['wrong'] =>
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

export const common = (
  title: Text,
  { account, sent, trial, preset, sought, isStale }: TenantPageVisit,
) => ({
  title,
  texts: 'tenants',
  nav: { tenants: true as const },
  styles: STYLES,
  refused: sent !== undefined && !trial && !preset && !sought && !isStale,
  mayChange: may(account, 'tenants:change'),
  maySeeWebhooks: may(account, 'webhooks:read'),
  mayManage: may(account, 'tenants:change') && account.tenants === undefined,
});

const FIELDS = [
  ...['tenant', 'displayName', 'domain', 'name', 'origins', 'confirm', 'url', 'events'],
  ...WELL_KNOWN_FIELDS,
  ...['predecessor', 'enrolmentUrl', 'colour'],
];

/** What stands in the fields: what was sent in the form that is shown again, else what is stored. */
export function fieldsOf(
  { sent }: TenantPageVisit,
  stored: Readonly<Record<string, string>>,
): Fields {
  const faults: Faults = sent?.faults ?? {};
  return Object.fromEntries(
    FIELDS.map((name) => {
      const typed = sent && isSent(sent.fields, name) ? textIn(sent.fields, name) : undefined;
      return [name, { value: typed ?? stored[name] ?? '', error: faults[name] }];
    }),
  );
}

function tenantRow({ tenant, relyingParties }: TenantParts, holdings: HoldingsByParty): TenantRow {
  const { name, displayName } = tenant;
  return {
    address: addressOf(name),
    tenant: name,
    displayName,
    relyingParties: relyingParties.map((rp) => relyingPartyRow(name, rp, holdings)),
  };
}

function relyingPartyRow(
  tenant: string,
  { id, domain, name, origins }: RelyingPartyEntity,
  holdings: HoldingsByParty,
): RelyingPartyRow {
  const { users = 0, enabled = 0, disabled = 0 } = holdings.get(id.toString('hex')) ?? {};
  const address = addressOf(tenant, domain);
  return { address, domain, name, origins, users, keys: enabled + disabled };
}
