import { phrase, type Phrase } from '../../../platform/pages/languages/phrase.js';
import { dayText } from '../../../platform/validation/values/moment.js';
import { queryOf } from '../addresses.js';
import { DAY_MS } from '../../../platform/common/durations.js';
import { parametersOf, type UsersQuery, type ViewParameters } from './users.query.js';

/** A key unused for this many days may be lost or forgotten. */
const LONG_UNUSED_DAYS = 90;

/** The address of a view with some changed parameters. */
const addressOf = (view: ViewParameters, change: Partial<ViewParameters>): string =>
  `/userapi${queryOf({ ...view, ...change })}`;

/** Links to the most frequent views; each keeps the search text. */
export function chipsOf(query: UsersQuery, now: number) {
  const { filter, rp, sort, ...conditions } = parametersOf(query);
  const current = queryOf(conditions);
  const unusedSince = dayText(now - LONG_UNUSED_DAYS * DAY_MS);
  const chip = (text: Phrase, view: Partial<ViewParameters>) => ({
    text,
    address: `/userapi${queryOf({ filter, rp, ...view, sort })}`,
    current: queryOf(view) === current,
  });
  return [
    chip(phrase('users:chips.everybody'), {}),
    chip(phrase('users:chips.disabled'), { state: 'disabled' }),
    chip(phrase('users:chips.neverUsed'), { used: 'never' }),
    chip(phrase('users:chips.oneKey'), { keys: 'one' }),
    chip(phrase('users:chips.unused', { days: LONG_UNUSED_DAYS }), { unusedSince }),
  ];
}

/** Links of the headings that sort the table; the link of the current order reverses it. */
export function sortLinks(query: UsersQuery) {
  const view = parametersOf(query);
  const link = (column: string, first: string) => {
    const other = first.startsWith('-') ? column : `-${column}`;
    const sorted = [column, `-${column}`].includes(query.sort ?? '');
    const up = query.sort === column;
    const direction = up ? 'ascending' : 'descending';
    return {
      address: addressOf(view, { sort: query.sort === first ? other : first }),
      /** The value of `aria-sort`; absent if the table is not sorted by this column. */
      sorted: sorted ? direction : undefined,
      icon: up ? 'up' : 'down',
    };
  };
  return {
    name: link('name', 'name'),
    used: link('used', 'used'),
    created: link('created', '-created'),
  };
}

/** The orders that the form offers in words, for layouts without headings. */
const SORTS = ['name', '-name', 'used', '-used', 'created', '-created'] as const;

/** The orders that the form offers, with the current one selected. */
export const sortChoices = ({ sort: current }: UsersQuery) =>
  SORTS.map((sort) => ({
    sort,
    text: phrase(`users:sorts.${sort}`),
    selected: sort === current,
  }));
