import { tagOf } from '../../platform/http/versions.js';
import type { RefusedForm } from '../../platform/pages/submit-form.js';
import { heightOf } from '../curve.view.js';
import type { UsersView } from '../users.answer.js';
import type { StoredTarget } from './targets.js';

interface Visit {
  readonly mayChange: boolean;
  readonly sent?: RefusedForm | undefined;
}

/** The target of a relying party, and the form that changes it. */
export function targetView(
  target: StoredTarget | undefined,
  { total, withKey }: UsersView,
  { mayChange, sent }: Visit,
) {
  const field = (name: 'share' | 'by') => {
    const typed = sent?.fields[name];
    const value = typeof typed === 'string' ? typed : String(target?.[name] ?? '');
    return { value, error: sent?.faults[name] };
  };
  const set = target && {
    ...target,
    y: heightOf(target.share / 100),
    isReached: total > 0 && withKey * 100 >= target.share * total,
  };
  return {
    set,
    mayChange,
    version: tagOf(target?.version ?? 0),
    fields: { share: field('share'), by: field('by') },
  };
}
