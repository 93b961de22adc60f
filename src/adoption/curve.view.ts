import { tagOf } from '../platform/http/versions.js';
import { shareText } from '../platform/pages/languages/phrase.js';
import type { RefusedForm } from '../platform/pages/submit-form.js';
import type { AdoptionView } from './adoption.answer.js';
import type { AdoptionTarget } from './target/target.entity.js';

/** The area of the curve, in percent of the height: the dates are below it, and nothing is drawn above it. */
const TOP = 8;
const BOTTOM = 86;
const LEFT = 2;
const RIGHT = 98;

const percent = (value: number): string => `${Math.round(value * 100) / 100}%`;
/** The height of a share, in percent of the chart. */
const heightOf = (share: number): string => percent(BOTTOM - Math.min(1, share) * (BOTTOM - TOP));

/** The curve from the week before the first key on; `undefined` if no user has a key. */
export function curveView({ curve, users }: Pick<AdoptionView, 'curve' | 'users'>) {
  const begin = curve.findIndex(({ withKey }) => withKey > 0);
  if (begin < 0) return undefined;
  const shown = curve.slice(Math.min(Math.max(begin - 1, 0), curve.length - 2));
  const points = shown.map(({ from, withKey }, n) => {
    const share = users.total === 0 ? 0 : withKey / users.total;
    const x = percent(LEFT + (n / (shown.length - 1)) * (RIGHT - LEFT));
    return { from, withKey, share: shareText(share, 1), x, y: heightOf(share) };
  });
  const lines = points.slice(1).map(({ x, y }, n) => {
    const { x: x1 = x, y: y1 = y } = points[n] ?? {};
    return { x1, y1, x2: x, y2: y };
  });
  return {
    points,
    lines,
    /** The lines of 0, 50 and 100 %. */
    grid: [0, 0.5, 1].map((share) => ({ y: heightOf(share), label: shareText(share, 1) })),
    first: points[0]?.from ?? '',
    last: points.at(-1)?.from ?? '',
  };
}

/** The target of a relying party, which is a line in the chart of the curve, and the form that changes it. */
export function targetView(
  target: AdoptionTarget | undefined,
  { total, withKey }: AdoptionView['users'],
  { mayChange, sent }: { readonly mayChange: boolean; readonly sent: RefusedForm | undefined },
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
    version: tagOf(target?.changedAt ?? 0),
    fields: { share: field('share'), by: field('by') },
  };
}
