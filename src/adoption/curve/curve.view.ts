import { tagOf } from '../../platform/http/versions.js';
import { shareText } from '../../platform/pages/languages/phrase.js';
import type { RefusedForm } from '../../platform/pages/submit-form.js';
import type { AdoptionView } from '../adoption.answer.js';
import type { CurvePoint } from '../users.answer.js';
import type { AdoptionTarget } from '../target/target.entity.js';

/** The area of the curve, in percent of the height: the dates are below it, and nothing is drawn above it. */
const TOP = 8;
const BOTTOM = 86;
const LEFT = 2;
const RIGHT = 98;

const percent = (value: number): string => `${Math.round(value * 100) / 100}%`;
/** The height of a share, in percent of the chart. */
const heightOf = (share: number): string => percent(BOTTOM - Math.min(1, share) * (BOTTOM - TOP));

/** The curve from the week before the first key on; `undefined` if no user had a key. */
export function curveView({
  curve,
  knownSince,
  users,
}: Pick<AdoptionView, 'curve' | 'knownSince' | 'users'>) {
  const begin = curve.findIndex(({ withKey }) => withKey > 0);
  if (begin < 0) return undefined;
  const shown = curve.slice(Math.max(begin - 1, 0));
  const timeOf = (point: CurvePoint | undefined) => Date.parse(point?.from ?? '');
  const first = timeOf(shown[0]);
  const span = timeOf(shown.at(-1)) - first;
  const points = shown.map((point) => {
    const { day, withKey } = point;
    const expected = Math.max(users.expected, point.users);
    const share = expected === 0 ? 0 : withKey / expected;
    const x = span === 0 ? RIGHT : LEFT + ((timeOf(point) - first) / span) * (RIGHT - LEFT);
    return {
      day,
      withKey,
      expected,
      share: shareText(share, 1),
      x: percent(x),
      y: heightOf(share),
    };
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
    first: points[0]?.day ?? '',
    last: points.at(-1)?.day ?? '',
    knownSince,
  };
}

/** The target of a relying party, which is a line in the chart of the curve, and the form that changes it. */
export function targetView(
  target: AdoptionTarget | undefined,
  { expected, withKey }: AdoptionView['users'],
  { mayChange, sent }: { readonly mayChange: boolean; readonly sent: RefusedForm | undefined },
) {
  const field = (name: 'share' | 'by' | 'expectedUsers') => {
    const typed = sent?.fields[name];
    const value = typeof typed === 'string' ? typed : String(target?.[name] ?? '');
    return { value, error: sent?.faults[name] };
  };
  const set = target && {
    ...target,
    y: heightOf(target.share / 100),
    isReached: expected > 0 && withKey * 100 >= target.share * expected,
  };
  return {
    set,
    mayChange,
    version: tagOf(target?.changedAt ?? 0),
    fields: {
      share: field('share'),
      by: field('by'),
      expectedUsers: field('expectedUsers'),
    },
  };
}
