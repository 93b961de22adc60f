import type { AuditAction, AuditDetail } from '../audit-entry.js';
import type { AuditRow } from '../audit-row.entity.js';
import { isRefusalFact } from '../refusal-facts.js';

export type RenamingRow = Readonly<Pick<AuditRow, 'seq' | 'at'>>;

/** A relying party, as rows of the trail name it. */
export interface AuditedPlace {
  readonly tenant: string;
  readonly relyingParty: string;
}

/** A user whom a pseudonym replaces, at one relying party. */
export interface ErasedUser extends AuditedPlace {
  /** The tenant's first row: earlier ones belong to a former tenant of the same name. */
  readonly tenantSince: number;
  readonly pseudonym: string;
  /** In NFC. */
  readonly name: string;
  /** Former names, each with the row of the renaming that ended it: later the name may belong to another user. */
  readonly formerNames: ReadonlyMap<string, RenamingRow>;
  /**
   * Names that another user gave up before, each with the row of that renaming: until then they belonged to that
   * user.
   */
  readonly heldSince: ReadonlyMap<string, RenamingRow>;
}

/** The role in rows about actions of users without an account on their own keys. */
const ROLE_WITHOUT_ACCOUNT = 'person';

/** The kind of an action: the word before the dot. */
type ActionKind<Action extends string> = Action extends `${infer Kind}.${string}` ? Kind : Action;

/**
 * Whether the target or the detail of an action can name a user, by the kind of the action. Other rows contain names of
 * accounts, policy rules, keys and the like. These may be equal to a user's name, and are not the user's.
 */
const NAMES_USERS = {
  aaguid: false,
  account: false,
  'application-key': false,
  audit: false,
  'break-glass': false,
  console: false,
  credential: true,
  database: false,
  deletion: true,
  finding: true,
  group: true,
  invitation: true,
  invoice: false,
  mds: false,
  model: true,
  'my-keys': true,
  'oidc-client': false,
  'oidc-keys': false,
  'relying-party': false,
  secrets: false,
  'signing-key': false,
  tenant: false,
  ticket: true,
  user: true,
  users: true,
  webhook: false,
} as const satisfies Record<ActionKind<AuditAction>, boolean>;

const canNameUser = (action: string): boolean => {
  const [kind = ''] = action.split('.');
  return Object.hasOwn(NAMES_USERS, kind) && NAMES_USERS[kind as keyof typeof NAMES_USERS];
};

/** The action of a row about users of all tenants. */
const EXPORT: AuditAction = 'users.export';

/** Whether a row names the user, as its target or in its details. */
export function mentionsUser(row: AuditRow, user: ErasedUser): boolean {
  if (!canNameUser(row.action) || !concerns(row, user)) return false;
  return isAbout(row, user) || textsOf(row.detail).some((text) => isNamedIn(text, row, user));
}

/**
 * Returns the row without the user: numbers, the reason of a refusal and its values stay, and all other texts of its
 * detail are removed, since any of them may contain a name.
 */
export function withoutUser(row: AuditRow, user: ErasedUser): AuditRow {
  const about = isAbout(row, user);
  return {
    ...row,
    address: about && row.role === ROLE_WITHOUT_ACCOUNT ? '' : row.address,
    target: about ? Buffer.from(user.pseudonym) : row.target,
    detail: JSON.stringify(withoutTexts(row.detail)),
    salt: null,
  };
}

/**
 * Whether a row is about the relying party. A row may name none, or no tenant, if the call was refused before they were
 * known, or exported the users of all tenants. The former owner of a domain is another tenant.
 */
function concerns(row: AuditRow, user: ErasedUser): boolean {
  const { seq, tenant, relyingParty: rp, result, action } = row;
  if (seq < user.tenantSince) return false;
  if (rp !== null && rp.toString('utf8') !== user.relyingParty) return false;
  if (tenant !== null) return tenant.toString('utf8') === user.tenant;
  return result === 'refused' || action === EXPORT;
}

function isAbout({ target, seq }: AuditRow, user: ErasedUser): boolean {
  const text = target?.toString('utf8').normalize('NFC');
  return text !== undefined && namesAt(seq, user).includes(text);
}

/** The names that identify the user in a row of this number. */
function namesAt(seq: number, { name, formerNames, heldSince }: ErasedUser): string[] {
  const former = [...formerNames].flatMap(([was, until]) => (seq <= until.seq ? was : []));
  return [name, ...former].filter((one) => seq > (heldSince.get(one)?.seq ?? 0));
}

/** Whether a text contains a name of the user as a whole word: `adapter` does not contain `ada`. */
function isNamedIn(text: string, { seq }: AuditRow, user: ErasedUser): boolean {
  return namesAt(seq, user).some((one) => hasWord(text.normalize('NFC'), one));
}

const ENDS_IN_WORD = /[\p{L}\p{N}]$/u;
const BEGINS_WITH_WORD = /^[\p{L}\p{N}]/u;

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const before = text.slice(0, at);
    const behind = text.slice(at + word.length);
    if (!ENDS_IN_WORD.test(before) && !BEGINS_WITH_WORD.test(behind)) return true;
  }
  return false;
}

/** Whether a fact may contain a name: all texts may, except the reason of a refusal and its values. */
const mayContainName = ([name, value]: [string, AuditDetail[string]]): boolean =>
  typeof value === 'string' && !isRefusalFact(name);

const factsIn = (detail: string) => Object.entries(JSON.parse(detail) as AuditDetail);

const textsOf = (detail: string): string[] =>
  factsIn(detail)
    .filter(mayContainName)
    .map(([, value]) => String(value));

const withoutTexts = (detail: string): AuditDetail =>
  Object.fromEntries(factsIn(detail).filter((fact) => !mayContainName(fact)));
