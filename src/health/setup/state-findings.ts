import type { X509Certificate } from 'node:crypto';
import type { ServerOptions } from '../../platform/config/server-config.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { domainWarning, encryptionWarning, suffixWarning } from '../../tenancy/origin-warnings.js';
import { filesOf } from '../../tenancy/well-known/well-known.js';
import type { SourceReport } from '../../trust/metadata/metadata.answer.js';
import type { TenantWebhook } from '../../webhooks/webhook-rows.js';
import { webhookStateOf } from '../../webhooks/webhook.answer.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { DAY_MS } from '../../platform/common/durations.js';
import { dayText } from '../../platform/validation/values/moment.js';
import { advisoryFinding, urgentFinding, type SetupFinding } from './setup-finding.js';

/**
 * The maximum difference from the clock of the database: half of the five seconds by which the clocks of two instances
 * may differ. Clocks kept by NTP differ by under a second.
 */
const CLOCKS_APART_MS = 2_500;
const BACKUP_OLD_MS = 7 * DAY_MS;
/** A certificate of 90 days is usually renewed 30 days before its end; if 14 days are left, the renewal has failed. */
const CERTIFICATE_ENDS_MS = 14 * DAY_MS;

/** Findings about metadata, which lists compromised models: old metadata lacks the latest. */
export function metadataFindings(
  summary: { readonly entries: number; readonly stale: boolean } | undefined,
): SetupFinding[] {
  if (!summary?.stale) return [];
  return [urgentFinding(summary.entries === 0 ? 'no-metadata' : 'metadata-overdue')];
}

/** Findings about sources of metadata whose last download failed. */
export const sourceFindings = (sources: readonly SourceReport[]): SetupFinding[] =>
  sources
    .filter(({ error }) => error !== '')
    .map(({ source, error }) => advisoryFinding('source-failed', { source, error }));

const ifStale =
  (name: string) =>
  (summary: { readonly stale: boolean } | undefined): SetupFinding[] =>
    summary?.stale ? [urgentFinding(name)] : [];

/** Findings about Google's revocation list, which is renewed every few days. */
export const revocationFindings = ifStale('revocations-overdue');

/** Findings about revocation lists of authorities, which contain the time of the next one. */
export const listFindings = ifStale('lists-overdue');

/** Findings about webhooks whose events do not arrive, or that were switched off for that reason. */
export function webhookFindings(webhooks: readonly TenantWebhook[]): SetupFinding[] {
  const found = (state: 'failing' | 'given-up', name: string) => {
    const those = webhooks.filter((webhook) => webhookStateOf(webhook) === state);
    const tenants = [...new Set(those.map(({ tenant }) => tenant.displayName))].join(', ');
    return those.length === 0 ? [] : [urgentFinding(name, { count: those.length, tenants })];
  };
  return [...found('given-up', 'webhook-off'), ...found('failing', 'webhook-failing')];
}

/** Findings about accounts for emergencies: those that have signed in of late, and that there is none. */
export const breakGlassFindings = (
  names: readonly string[],
  isMissing: boolean,
): SetupFinding[] => [
  ...(names.length === 0 ? [] : [urgentFinding('break-glass', { names: names.join(', ') })]),
  ...(isMissing ? [urgentFinding('no-break-glass')] : []),
];

/** The finding about accounts of version 1.0 whose names the audit trail uses for other callers. */
export const accountFindings = (names: readonly string[]): SetupFinding[] =>
  names.length === 0 ? [] : [advisoryFinding('reserved-names', { names: names.join(', ') })];

/**
 * The finding about accounts and groups of the configuration that are limited to tenants that do not exist. Such a
 * tenant may be created later.
 *
 * @param limits the tenants, by the accounts and groups
 * @param known the names of the tenants that exist
 */
export function tenantFindings(
  limits: ReadonlyMap<string, readonly string[]>,
  known: readonly string[],
): SetupFinding[] {
  const wrong = [...limits].flatMap(([name, tenants]) => {
    const missing = tenants.filter((tenant) => !known.includes(tenant));
    return missing.length === 0 ? [] : [`${name} (${missing.join(', ')})`];
  });
  return wrong.length === 0 ? [] : [urgentFinding('unknown-tenants', { names: wrong.join(', ') })];
}

/** Findings about missing relying parties, and about their origins. */
export function partyFindings(
  relyingParties: readonly Pick<RelyingParty, 'domain' | 'origins'>[],
): SetupFinding[] {
  if (relyingParties.length === 0) return [urgentFinding('no-relying-party')];
  const open = relyingParties.filter(({ origins }) => encryptionWarning(origins));
  // Pages of other domains can be deliberate: as related origins they work.
  const suffixes = relyingParties.filter(({ domain }) => suffixWarning(domain));
  const elsewhere = relyingParties.filter(({ domain, origins }) => domainWarning(domain, origins));
  return [
    ...(open.length === 0 ? [] : [urgentFinding('open-origins', domainsOf(open))]),
    ...(suffixes.length === 0 ? [] : [urgentFinding('public-suffix', domainsOf(suffixes))]),
    ...(elsewhere.length === 0 ? [] : [advisoryFinding('other-origins', domainsOf(elsewhere))]),
  ];
}

/** Findings about audiences for which these relying parties get no tokens, since they belong to another tenant. */
export function audienceFindings(
  relyingParties: readonly Pick<RelyingParty, 'domain' | 'foreignAudiences'>[],
): SetupFinding[] {
  const found = relyingParties.flatMap(({ domain, foreignAudiences }) =>
    foreignAudiences.map((audience) => `${audience} (${domain})`),
  );
  return found.length === 0
    ? []
    : [urgentFinding('foreign-audiences', { audiences: found.join(', ') })];
}

const domainsOf = (relyingParties: readonly Pick<RelyingParty, 'domain'>[]) => ({
  domains: relyingParties.map(({ domain }) => domain).join(', '),
});

/**
 * Findings about E0025R, which lists the domains of all tenants to strangers: customers of one installation may
 * not want the others to know of them.
 */
export function domainListFindings(
  { listDomains }: Pick<ServerOptions, 'listDomains'>,
  relyingParties: readonly Pick<RelyingParty, 'tenant'>[],
): SetupFinding[] {
  const tenants = new Set(relyingParties.map(({ tenant }) => tenant)).size;
  return listDomains && tenants > 1 ? [advisoryFinding('listed-domains', { count: tenants })] : [];
}

/**
 * Findings about `X-Forwarded-Host`, which a trusted proxy may pass on from a client: it selects the published
 * files, and their answers are cached.
 */
export function forwardedHostFindings(
  { trustProxy }: Pick<ServerOptions, 'trustProxy'>,
  relyingParties: readonly Pick<RelyingParty, 'domain' | 'wellKnown'>[],
): SetupFinding[] {
  const publishing = relyingParties.filter(({ wellKnown }) => filesOf(wellKnown).length > 0);
  if (trustProxy === 0 || publishing.length === 0) return [];
  return [advisoryFinding('forwarded-host', domainsOf(publishing))];
}

/** Findings about the certificate for HTTPS that the server has loaded. */
export function certificateFindings(
  now: number,
  certificate: Pick<X509Certificate, 'validFromDate' | 'validToDate'> | undefined,
): SetupFinding[] {
  if (certificate === undefined) return [];
  const { validFromDate: from, validToDate: to } = certificate;
  const days = { from: dayText(from.getTime()), to: dayText(to.getTime()) };
  if (now < from.getTime() || now > to.getTime())
    return [urgentFinding('certificate-invalid', days)];
  return to.getTime() - now < CERTIFICATE_ENDS_MS
    ? [advisoryFinding('certificate-ends', days)]
    : [];
}

/** @param databaseTime `undefined` if the database has the clock of this machine */
export function clockFindings(
  serverTime: number,
  databaseTime: number | undefined,
): SetupFinding[] {
  const apart = databaseTime === undefined ? 0 : serverTime - databaseTime;
  if (Math.abs(apart) < CLOCKS_APART_MS) return [];
  const seconds = Math.round(Math.abs(apart) / 1000);
  const which = apart > 0 ? 'findings:clocks-apart.ahead' : 'findings:clocks-apart.behind';
  return [{ ...urgentFinding('clocks-apart'), text: phrase(which, { count: seconds }) }];
}

/** @param made the time of the last backup; `undefined` for never, `null` if another program makes them */
export function backupFindings(now: number, made: number | undefined | null): SetupFinding[] {
  if (made === null || (made !== undefined && now - made < BACKUP_OLD_MS)) return [];
  return [advisoryFinding(made === undefined ? 'no-backup' : 'old-backup')];
}
