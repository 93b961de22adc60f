import { COLUMNS } from '../../credentials/people/people-order.js';
import type { PeopleFilter } from '../../credentials/people/people-filter.js';
import type { PeopleOrder } from '../../credentials/people/people-order.js';
import { EmptyIsAbsent, IsOneOf, MayBeText, Reads } from '../../validation/decorators.js';
import { Rule, code, optional } from '../../validation/field.js';
import { IsDay, dayOf, dayText } from '../../validation/moment.js';
import { aaguidBytes, isAaguidText } from '../../webauthn/aaguid.js';
import { PageQuery } from './pages.dto.js';

/** As addresses have it: a minus for the other direction. */
export const SORTS = COLUMNS.flatMap((column) => [column, `-${column}`]);

/** Of the page that finds people, and of its file: all of what is shown, so that a bookmark is a view. */
export class UsersQuery extends PageQuery {
  @MayBeText(code('E0045R'))
  filter?: string;

  /** Only who has a disabled key. */
  @EmptyIsAbsent()
  @IsOneOf(['disabled'], optional(code('E0045R')))
  state?: 'disabled';

  /** Only who never used a key. */
  @EmptyIsAbsent()
  @IsOneOf(['never'], optional(code('E0045R')))
  used?: 'never';

  /** Only who has one key to sign in with. */
  @EmptyIsAbsent()
  @IsOneOf(['one'], optional(code('E0045R')))
  keys?: 'one';

  /** An AAGUID. */
  @EmptyIsAbsent()
  @Rule('isAaguid', optional(code('E0045R')), isAaguidText, 'must be an AAGUID')
  model?: string;

  /** Milliseconds since 1970, of the day's beginning, as the next one. */
  @EmptyIsAbsent()
  @Reads(dayOf)
  @IsDay(optional(code('E0045R')))
  unusedSince?: number;

  @EmptyIsAbsent()
  @Reads(dayOf)
  @IsDay(optional(code('E0045R')))
  registeredBefore?: number;

  @EmptyIsAbsent()
  @IsOneOf(SORTS, optional(code('E0045R')))
  sort?: string;

  @MayBeText(code('E0045R'))
  cursor?: string;
}

/** What is asked of people besides their names; `undefined` where that is nothing. */
export function filterIn(query: UsersQuery): PeopleFilter | undefined {
  const { state, used, keys, model, unusedSince, registeredBefore } = query;
  const asked = [state, used, keys, model, unusedSince, registeredBefore];
  if (asked.every((value) => value === undefined)) return undefined;
  return {
    disabled: state === 'disabled',
    neverUsed: used === 'never',
    oneKey: keys === 'one',
    model: model === undefined ? undefined : aaguidBytes(model.toLowerCase()),
    unusedSince,
    registeredBefore,
  };
}

/** The order that was asked for. */
export function orderIn({ sort }: UsersQuery): PeopleOrder | undefined {
  if (sort === undefined) return undefined;
  const descending = sort.startsWith('-');
  const by = COLUMNS.find((column) => column === sort.slice(descending ? 1 : 0)) ?? 'name';
  return { by, descending };
}

/** What a view is made of, as its address says it. */
export type ViewParameters = Readonly<
  Record<Exclude<keyof UsersQuery, 'cursor'>, string | undefined>
>;

/** The address's parameters of a view, without the page of it. */
export function parametersOf(query: UsersQuery): ViewParameters {
  const { filter, rp, state, used, keys, model, sort, unusedSince, registeredBefore } = query;
  const day = (at: number | undefined) => (at === undefined ? undefined : dayText(at));
  return {
    ...{ filter, rp, state, used, keys, model, sort },
    unusedSince: day(unusedSince),
    registeredBefore: day(registeredBefore),
  };
}
