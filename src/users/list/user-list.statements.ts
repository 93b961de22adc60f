import { select, type Parameters, type RowOf } from '../../platform/database/statement.js';
import { USER_ROW } from '../user-rows.js';
import {
  computed,
  COUNT,
  forEachKind,
  tableOf,
  type Expression,
} from '../../platform/database/entities/table.js';
import { Credential } from '../credentials/credential.entity.js';
import { UserGroup } from '../groups/user-group.entity.js';
import { eachNameForm } from '../name-forms.js';
import { canSignIn } from '../sign-in-state.js';
import { User } from '../user.entity.js';

/*
 * Statements that follow an index of users, a slice at a time. They select only by relying party, so that the index
 * alone yields the slice.
 */

const users = tableOf(User);
const credentials = tableOf(Credential);
const userGroups = tableOf(UserGroup);
const user = tableOf(User, 'u');
const credential = tableOf(Credential, 'c');

interface Slice {
  readonly relyingPartyId: Buffer;
  readonly limit: number;
}
const OF_RELYING_PARTY = `${users.from} WHERE ${users.relyingPartyId} = :relyingPartyId`;

/** The users of a slice, unordered, with the number of their enabled keys and the last use. */
const selectFacts = <Params extends Parameters<Params>>(slice: string) =>
  select({
    userId: user.id,
    ...user.pick('username', 'createdAt'),
    canSignIn: computed<number>(`CASE WHEN ${canSignIn(user)} THEN 1 ELSE 0 END`),
    lastUsedAt: computed<number | null>(`MAX(${credential.lastUsedAt})`),
    enabledKeys: computed<number>(`COUNT(CASE WHEN ${credential.enabled} = 1 THEN 1 END)`),
  }).from<Slice & Params>(`
    (${slice} LIMIT :limit) k JOIN ${user.from} ON ${user.id} = k.id
    LEFT JOIN ${credential.from} ON ${credential.userId} = k.id
  GROUP BY ${user.list('id', 'username', 'createdAt', 'suspendedBy')}`);

type Direction = 'ASC' | 'DESC';

/** Names from `from` (included) to `to` (excluded). */
const alongNames = (direction: Direction) =>
  eachNameForm(users, (name) =>
    selectFacts<{ from: Buffer; to: Buffer }>(`SELECT ${users.id} FROM ${OF_RELYING_PARTY}
      AND ${name} >= :from AND ${name} < :to ORDER BY ${name} ${direction}`),
  );
export const FACTS_BY_NAME = { forwards: alongNames('ASC'), backwards: alongNames('DESC') };
export type FactsRow = RowOf<(typeof FACTS_BY_NAME)['forwards']['exact']>;

/**
 * Users who were created later, or earlier, the newest first; and separately those created in the same millisecond,
 * which are many after an import: a single condition on time and ID would read all of them again for each page.
 */
const alongCreation = (sign: '>' | '<', direction: Direction) => {
  const inOrder = `ORDER BY ${users.createdAt} ${direction}, ${users.id} ${direction}`;
  return {
    others: selectFacts<{ createdAt: number }>(`SELECT ${users.id} FROM ${OF_RELYING_PARTY}
      AND ${users.createdAt} ${sign} :createdAt ${inOrder}`),
    same: selectFacts<{
      createdAt: number;
      id: Buffer;
    }>(`SELECT ${users.id} FROM ${OF_RELYING_PARTY}
      AND ${users.createdAt} = :createdAt AND ${users.id} ${sign} :id ${inOrder}`),
  };
};
export const FACTS_BY_CREATION = {
  forwards: alongCreation('>', 'ASC'),
  backwards: alongCreation('<', 'DESC'),
};

/** The users of the credentials that meet a condition, in the order of a column that an index of `source` has. */
const usersAlong = <Params extends Parameters<Params>>({
  source,
  column,
  condition,
}: {
  source: string;
  column: Expression<Buffer>;
  condition: string;
}) =>
  select({ place: computed<Buffer>('k.place'), ...USER_ROW }).from<
    Slice & { after: Buffer } & Params
  >(`
    (SELECT ${column} AS place, ${credentials.userId} AS owner FROM ${source}
    WHERE ${credentials.relyingPartyId} = :relyingPartyId AND ${condition}
      AND ${column} > :after
    ORDER BY ${column} LIMIT :limit) k
  JOIN ${user.from} ON ${user.id} = k.owner JOIN ${credential.from} ON ${credential.userId} = k.owner`);

/** The users of a slice after an ID, with their keys. */
const usersAfter = <Params extends Parameters<Params>>(slice: string) =>
  select(USER_ROW).from<Slice & { after: Buffer } & Params>(`(${slice} LIMIT :limit) k
  JOIN ${user.from} ON ${user.id} = k.id LEFT JOIN ${credential.from} ON ${credential.userId} = k.id`);

/** The members of a group. */
export const USERS_OF_GROUP = usersAfter<{ name: Buffer }>(`SELECT ${userGroups.userId} AS id
  FROM ${userGroups.from} WHERE ${userGroups.relyingPartyId} = :relyingPartyId AND ${userGroups.name} = :name
    AND ${userGroups.userId} > :after ORDER BY ${userGroups.userId}`);

/** Through the index of suspended users: those whom the same sides suspend. */
export const SUSPENDED_USERS = usersAfter<{ suspendedBy: number }>(`SELECT ${users.id}
  FROM ${OF_RELYING_PARTY} AND ${users.suspendedBy} = :suspendedBy
    AND ${users.id} > :after ORDER BY ${users.id}`);

/** Through the index of disabled credentials. */
export const USERS_OF_DISABLED = usersAlong({
  source: credentials.from,
  column: credentials.id,
  condition: `${credentials.enabled} = 0`,
});

/** A user's row, and the index entry by which it was found. */
export type PlacedRow = RowOf<typeof USERS_OF_DISABLED>;

/** Through the index of a model's credentials. */
export const USERS_OF_MODEL = forEachKind((kind) =>
  usersAlong<{ aaguid: Buffer }>({
    source: credentials.forceIndex(kind, 'ix_credentials_of_model'),
    column: credentials.credentialHash,
    condition: `${credentials.aaguid} = :aaguid`,
  }),
);

/** Number of keys of a model, read from the index alone. */
export const COUNT_OF_MODEL = select(COUNT).from<{ relyingPartyId: Buffer; aaguid: Buffer }>(
  `${credentials.from}
  WHERE ${credentials.relyingPartyId} = :relyingPartyId AND ${credentials.aaguid} = :aaguid`,
  { patienceMs: 30_000 },
);

/** The next AAGUID in ascending order; `null` after the last. */
export const NEXT_MODEL = select({
  aaguid: computed<Buffer | null>(`MIN(${credentials.aaguid})`),
}).from<{ relyingPartyId: Buffer; aaguid: Buffer }>(`
  ${credentials.from}
  WHERE ${credentials.relyingPartyId} = :relyingPartyId AND ${credentials.aaguid} > :aaguid`);
