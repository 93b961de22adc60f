import { IsIn } from 'class-validator';
import {
  SORT_COLUMNS,
  type UserFilter,
  type UserOrder,
} from '../../../users/list/filter-and-order.js';
import { MayBeEmpty, MayBeText, Reads } from '../../../platform/validation/decorators.js';
import {
  IsDay,
  IsTimeZone,
  dayText,
  startOfDay,
  startOfDayIn,
} from '../../../platform/validation/values/moment.js';
import { normalizeName } from '../../../platform/validation/values/names.js';
import { IsAaguid } from '../../../trust/whitelist/aaguid.dto.js';
import { aaguidBytes } from '../../../webauthn/aaguid.js';
import { KEY_CHANGES, type KeyChange } from '../../lists/change-keys-job.js';
import { PageQuery } from '../pages.dto.js';

/** Orders in addresses: a minus reverses the direction. */
const SORTS = SORT_COLUMNS.flatMap((column) => [column, `-${column}`]);

/**
 * Parameters of the page that finds users, and of its file. They describe a view completely, so it can
 * be bookmarked.
 */
export class UsersQuery extends PageQuery {
  @MayBeText()
  filter?: string;

  /** Only users who cannot sign in. */
  @MayBeEmpty()
  @IsIn(['no'])
  signIn?: 'no';

  /** Only users with a disabled key. */
  @MayBeEmpty()
  @IsIn(['disabled'])
  state?: 'disabled';

  /** Only suspended users. */
  @MayBeEmpty()
  @IsIn(['yes'])
  suspended?: 'yes';

  /** Only members of this group. */
  @MayBeText()
  group?: string;

  /** Only users who have never used a key. */
  @MayBeEmpty()
  @IsIn(['never'])
  used?: 'never';

  /** Only users with exactly one enabled key. */
  @MayBeEmpty()
  @IsIn(['one'])
  keys?: 'one';

  /** Only users with a key of this AAGUID. */
  @MayBeEmpty()
  @IsAaguid()
  model?: string;

  /** The beginning of a day (UTC), in milliseconds since 1970, as in `registeredBefore`. */
  @MayBeEmpty()
  @Reads(startOfDay)
  @IsDay()
  unusedSince?: number;

  @MayBeEmpty()
  @Reads(startOfDay)
  @IsDay()
  registeredBefore?: number;

  /** The time zone of the days; UTC if absent. */
  @MayBeEmpty()
  @IsTimeZone()
  zone?: string;

  @MayBeEmpty()
  @IsIn(SORTS)
  sort?: string;

  @MayBeText()
  cursor?: string;
}

/** A view whose users become a file, which programs request too. */
export class UsersFileQuery extends UsersQuery {
  @MayBeText()
  relyingParty?: string;
}

/** A view whose users become a list, and what is to be done to their keys. */
export class MatchesQuery extends UsersQuery {
  @IsIn(KEY_CHANGES)
  change!: KeyChange;
}

/** The conditions of a view other than names; `undefined` if there are none. */
export function filterIn(query: UsersQuery): UserFilter | undefined {
  const { signIn, state, suspended, group, used, keys, model, zone, ...days } = query;
  const { unusedSince, registeredBefore } = days;
  const day = (at: number | undefined) => (at === undefined ? undefined : startOfDayIn(at, zone));
  const onKeys = [signIn, state, suspended, group, used, keys, model];
  if ([...onKeys, unusedSince, registeredBefore].every((value) => value === undefined))
    return undefined;
  return {
    cannotSignIn: signIn === 'no',
    disabled: state === 'disabled',
    suspended: suspended === 'yes',
    group: group === undefined ? undefined : normalizeName(group.trim()),
    neverUsed: used === 'never',
    oneKey: keys === 'one',
    model: model === undefined ? undefined : aaguidBytes(model.toLowerCase()),
    unusedSince: day(unusedSince),
    registeredBefore: day(registeredBefore),
  };
}

export function orderIn({ sort }: UsersQuery): UserOrder | undefined {
  if (sort === undefined) return undefined;
  const descending = sort.startsWith('-');
  const by = SORT_COLUMNS.find((column) => column === sort.slice(descending ? 1 : 0)) ?? 'name';
  return { by, descending };
}

export type ViewParameters = Readonly<
  Record<Exclude<keyof UsersQuery, 'cursor'>, string | undefined>
>;

/** The parameters of a view's address, without the page cursor. */
export function parametersOf(query: UsersQuery): ViewParameters {
  const { filter, rp, signIn, state, suspended, group, used, keys, model, ...others } = query;
  const { sort, zone, unusedSince, registeredBefore } = others;
  const day = (at: number | undefined) => (at === undefined ? undefined : dayText(at));
  return {
    filter,
    rp,
    signIn,
    state,
    suspended,
    group,
    used,
    keys,
    model,
    sort,
    unusedSince: day(unusedSince),
    registeredBefore: day(registeredBefore),
    zone,
  };
}
