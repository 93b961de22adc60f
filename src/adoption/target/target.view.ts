import type { Problem } from '../../platform/errors/reasons.js';
import { tagOf } from '../../platform/http/versions.js';
import type { RefusedForm } from '../../platform/pages/submit-form.js';
import { heightOf } from '../curve.view.js';
import type { UsersView } from '../users.answer.js';
import type { Target, Targets } from './targets.js';

interface FieldView {
  readonly value: string;
  readonly error: Problem | undefined;
}

/** The target of a relying party, and the form that changes it. */
export interface TargetView {
  readonly set: (Target & { readonly y: string; readonly isReached: boolean }) | undefined;
  readonly mayChange: boolean;
  readonly version: string;
  readonly fields: { readonly share: FieldView; readonly by: FieldView };
}

interface Visit {
  readonly mayChange: boolean;
  readonly sent?: RefusedForm | undefined;
}

export function targetView(
  { target, version }: Awaited<ReturnType<Targets['find']>>,
  { total, withKey }: UsersView,
  { mayChange, sent }: Visit,
): TargetView {
  const field = (name: 'share' | 'by'): FieldView => {
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
    set: set ?? undefined,
    mayChange,
    version: tagOf(version),
    fields: { share: field('share'), by: field('by') },
  };
}
