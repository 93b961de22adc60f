import { phrase } from '../../platform/pages/languages/phrase.js';
import type { Warning } from '../../platform/pages/page.view.js';
import { countOf } from './figures.js';
import type { EventCount } from '../../events/hourly-event-counts.js';

/** W3C WebAuthn L3 §6.1.1: a counter that goes back may mean that a key was copied. */
export function cloneWarning(week: readonly EventCount[]): Warning[] {
  const count = countOf(week, 'clone-alarm');
  if (count === 0) return [];
  return [
    {
      title: phrase('dashboard:copied.title', { count }),
      text: phrase('dashboard:copied.text', { count }),
    },
  ];
}

/** Keys that no longer pass: metadata, a revocation list or the policy has changed. */
export function findingWarning(week: readonly EventCount[]): Warning[] {
  const count = countOf(week, 'finding');
  if (count === 0) return [];
  return [
    {
      title: phrase('dashboard:finding.title', { count }),
      text: phrase('dashboard:finding.text', { count }),
    },
  ];
}
