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
