import { IsIn } from 'class-validator';
import { COLUMNS, type UserFilter, type UserOrder } from '../../../users/list/filter-and-order.js';
import { MayBeEmpty, MayBeText, Reads } from '../../../platform/validation/decorators.js';
import { code } from '../../../platform/validation/rule.js';
import { IsDay, dayOf, dayText } from '../../../platform/validation/values/moment.js';
import { IsAaguid } from '../../../trust/whitelist/aaguid.dto.js';
import { aaguidBytes } from '../../../webauthn/aaguid.js';
import { PageQuery } from '../pages.dto.js';

/** Orders as addresses name them: a minus reverses the direction. */
const SORTS = COLUMNS.flatMap((column) => [column, `-${column}`]);

/**
 * Parameters of the page that finds people, and of its file. They say all that a view shows: it can be
 * bookmarked.
 */
export class UsersQuery extends PageQuery {
  @MayBeText(code('E0045R'))
  filter?: string;

  /** Only people with a disabled key. */
  @MayBeEmpty()
  @IsIn(['disabled'], code('E0045R'))
  state?: 'disabled';

  /** Only people who never used a key. */
  @MayBeEmpty()
  @IsIn(['never'], code('E0045R'))
  used?: 'never';

  /** Only people with a single key to sign in with. */
  @MayBeEmpty()
  @IsIn(['one'], code('E0045R'))
  keys?: 'one';

  /** Only people with a key of this AAGUID. */
  @MayBeEmpty()
  @IsAaguid(code('E0045R'))
  model?: string;

  /** The beginning of a day, in milliseconds since 1970, as in `registeredBefore`. */
  @MayBeEmpty()
  @Reads(dayOf)
  @IsDay(code('E0045R'))
  unusedSince?: number;

  @MayBeEmpty()
  @Reads(dayOf)
  @IsDay(code('E0045R'))
  registeredBefore?: number;

  @MayBeEmpty()
  @IsIn(SORTS, code('E0045R'))
  sort?: string;

  @MayBeText(code('E0045R'))
  cursor?: string;
}

/** The conditions of a view besides names; `undefined` where there are none. */
export function filterIn(query: UsersQuery): UserFilter | undefined {
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
export function orderIn({ sort }: UsersQuery): UserOrder | undefined {
  if (sort === undefined) return undefined;
  const descending = sort.startsWith('-');
  const by = COLUMNS.find((column) => column === sort.slice(descending ? 1 : 0)) ?? 'name';
  return { by, descending };
}

/** The parameters of a view, as its address writes them. */
export type ViewParameters = Readonly<
  Record<Exclude<keyof UsersQuery, 'cursor'>, string | undefined>
>;

/** The parameters of a view's address, without the cursor of a page. */
export function parametersOf(query: UsersQuery): ViewParameters {
  const { filter, rp, state, used, keys, model, sort, unusedSince, registeredBefore } = query;
  const day = (at: number | undefined) => (at === undefined ? undefined : dayText(at));
  return {
    filter,
    rp,
    state,
    used,
    keys,
    model,
    sort,
    unusedSince: day(unusedSince),
    registeredBefore: day(registeredBefore),
  };
}
