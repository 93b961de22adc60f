import type { Warning } from '../../presentation/page.view.js';
import { countOf } from './figures.js';
import type { EventCount } from '../../ledger/hourly-event-counts.js';

/** W3C WebAuthn L3 §6.1.1: a counter that goes back may mean that there are two of one key. */
export function cloneWarning(week: readonly EventCount[]): Warning[] {
  const n = countOf(week, 'clone-alarm');
  if (n === 0) return [];
  return [
    {
      title: n === 1 ? 'A key may have been copied.' : 'Keys may have been copied.',
      text: `${n === 1 ? 'Once' : `${n} times`} in the last seven days the signature counter of a key went back. "Explain a refusal" says whose it was; disable the key until you know more.`,
    },
  ];
}

/** What a registration proved does not hold any more: metadata, a list or the policy has changed. */
export function findingWarning(week: readonly EventCount[]): Warning[] {
  const n = countOf(week, 'finding');
  if (n === 0) return [];
  return [
    {
      title: n === 1 ? 'A key would not pass any more.' : 'Keys would not pass any more.',
      text: `${n === 1 ? 'Once' : `${n} times`} in the last seven days a key broke a rule for registrations that it kept before. GET /userapi/findings lists those that still do; "onFinding" of the policy says what is done about them.`,
    },
  ];
}

const NO_METADATA: Warning = {
  title: 'There is no metadata about authenticators yet.',
  text: 'Upload it on the page of the metadata: until then revoked models are taken for good ones.',
};

/** Metadata says which models are known to be broken: old metadata does not know the latest. */
export function staleWarning(
  summary: { readonly entries: number; readonly stale: boolean } | undefined,
): Warning[] {
  if (!summary?.stale) return [];
  if (summary.entries === 0) return [NO_METADATA];
  return [
    {
      title: 'The metadata about authenticators is overdue.',
      text: 'Its announced successor was not received: revoked models may be taken for good ones.',
    },
  ];
}

/** A receiver that answers nothing for three days is not told any more, and does not know it. */
export function webhookWarning(
  givenUp: readonly { readonly tenant: { readonly name: string } }[],
): Warning[] {
  if (givenUp.length === 0) return [];
  const tenants = [...new Set(givenUp.map(({ tenant }) => tenant.name))].join(', ');
  const many = `${givenUp.length} webhooks are off.`;
  return [
    {
      title: givenUp.length === 1 ? 'A webhook is off.' : many,
      text: `Nothing arrived for three days, or the receiver is gone (${tenants}). The tenant's page says which; switched on again, it goes on where it stopped.`,
    },
  ];
}
