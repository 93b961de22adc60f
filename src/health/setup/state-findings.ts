import type { RelyingParty } from '../../tenancy/relying-party.js';
import { originWarnings } from '../../tenancy/origin-list.js';
import type { SourceReport } from '../../trust/metadata/metadata.answer.js';
import type { SetupFinding } from './setup-finding.js';

const DAY_MS = 24 * 3_600_000;
/** Tokens live for minutes, and clocks that are kept by NTP differ by less than a second. */
const CLOCKS_APART_MS = 5_000;
const BACKUP_OLD_MS = 7 * DAY_MS;

const NO_METADATA: SetupFinding = {
  title: 'There is no metadata about authenticators yet.',
  text: 'Until then revoked models are taken for good ones.',
  mend: 'Upload it on the page of the metadata.',
  urgent: true,
};
const METADATA_OVERDUE: SetupFinding = {
  title: 'The metadata about authenticators is overdue.',
  text: 'Its announced successor was not received: revoked models may be taken for good ones.',
  mend: 'The page of the metadata says of which source, and why.',
  urgent: true,
};
const REVOCATIONS_OVERDUE: SetupFinding = {
  title: 'The list of revoked keys of phones is more than a week old.',
  text: 'Phones that were revoked since are taken for good ones.',
  mend: 'The log says why it cannot be had (--android-revocations).',
  urgent: true,
};
const LISTS_OVERDUE: SetupFinding = {
  title: 'A revocation list is missing or overdue.',
  text: 'Attestations by certificates that were revoked since are taken for good ones.',
  mend: 'The log says which list it is, and why (--crls).',
  urgent: true,
};
const NO_RELYING_PARTY: SetupFinding = {
  title: 'There is no relying party.',
  text: 'Nobody can register or sign in.',
  mend: 'Create one on the page of the tenants, or start with --domain.',
  urgent: true,
};

/** Metadata says which models are known to be broken: old metadata does not know the latest. */
export function metadataFindings(
  summary: { readonly entries: number; readonly stale: boolean } | undefined,
): SetupFinding[] {
  if (!summary?.stale) return [];
  return [summary.entries === 0 ? NO_METADATA : METADATA_OVERDUE];
}

/** Sources whose last attempt failed. */
export const sourceFindings = (sources: readonly SourceReport[]): SetupFinding[] =>
  sources
    .filter(({ error }) => error !== '')
    .map(({ source, error }) => ({
      title: `The metadata of ${source} could not be taken.`,
      text: error,
      mend: 'It is asked for again; what was taken before counts meanwhile.',
      urgent: false,
    }));

/** Google's list is made anew every few days. */
export const revocationFindings = (
  summary: { readonly stale: boolean } | undefined,
): SetupFinding[] => (summary?.stale ? [REVOCATIONS_OVERDUE] : []);

/** The lists of authorities tell when the next one comes. */
export const listFindings = (summary: { readonly stale: boolean } | undefined): SetupFinding[] =>
  summary?.stale ? [LISTS_OVERDUE] : [];

/** A receiver that answers nothing for three days is not told any more, and does not know it. */
export function webhookFindings(
  givenUp: readonly { readonly tenant: { readonly name: string } }[],
): SetupFinding[] {
  if (givenUp.length === 0) return [];
  const tenants = [...new Set(givenUp.map(({ tenant }) => tenant.name))].join(', ');
  return [
    {
      title: givenUp.length === 1 ? 'A webhook is off.' : `${givenUp.length} webhooks are off.`,
      text: `Nothing arrived for three days, or the receiver is gone (${tenants}).`,
      mend: "The tenant's page says which; switched on again, it goes on where it stopped.",
      urgent: true,
    },
  ];
}

/** What stands in the relying parties themselves. */
export function partyFindings(
  relyingParties: readonly Pick<RelyingParty, 'domain' | 'origins'>[],
): SetupFinding[] {
  if (relyingParties.length === 0) return [NO_RELYING_PARTY];
  const open = relyingParties
    .filter(({ origins }) => originWarnings(origins).length > 0)
    .map(({ domain }) => domain);
  if (open.length === 0) return [];
  return [
    {
      title: 'Pages without encryption may use keys.',
      text: `Relying parties that allow an origin with http: ${open.join(', ')}.`,
      mend: 'Write https in their allowed origins: browsers offer no keys elsewhere.',
      urgent: true,
    },
  ];
}

/** @param theirs the time of the database; `undefined` where it is the clock of this machine */
export function clockFindings(ours: number, theirs: number | undefined): SetupFinding[] {
  const apart = theirs === undefined ? 0 : ours - theirs;
  if (Math.abs(apart) < CLOCKS_APART_MS) return [];
  const seconds = Math.round(Math.abs(apart) / 1000);
  return [
    {
      title: 'The clocks differ.',
      text: `This machine is ${seconds} s ${apart > 0 ? 'ahead of' : 'behind'} the database: one of them is wrong, and tokens may count too long or not at all.`,
      mend: 'Let NTP keep the time on both.',
      urgent: true,
    },
  ];
}

/** @param made when; `undefined` for never, `null` where another program makes them */
export function backupFindings(now: number, made: number | undefined | null): SetupFinding[] {
  if (made === null || (made !== undefined && now - made < BACKUP_OLD_MS)) return [];
  const none = 'No backup was made yet.';
  return [
    {
      title: made === undefined ? none : 'The last backup is more than a week old.',
      text: 'With the file of the database all keys of all people would be lost.',
      mend: 'Let "servicefido backup FILE" run every day, and keep the files elsewhere.',
      urgent: false,
    },
  ];
}
