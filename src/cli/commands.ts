import type { ServerOptions } from '../platform/config/server-config.js';

/** How a command is written. The names of its flags, lists and switches have dashes on the command line. */
export interface Command {
  /** The names of the command's arguments. */
  readonly words?: readonly string[];
  /** Whether its only argument may be repeated. */
  readonly repeats?: boolean;
  readonly flags?: FlagTexts;
  /** Flags that take lists, separated by commas or by repeating the flag. */
  readonly lists?: FlagTexts;
  /** Flags that take no value. */
  readonly switches?: FlagTexts;
  readonly summary: string;
}

/** Flags, each with its text in the help. */
type FlagTexts = Readonly<Record<string, string>>;

const RESTORE_FLAGS = {
  log: "the server's log since the backup",
  lastDocument: 'number of the last invoice or credit note that was sent out',
} as const;

const FORMS = {
  'tenant list': {
    summary: 'lists the tenants and their relying parties',
  },
  'tenant add': {
    words: ['tenant'],
    flags: { displayName: 'name that the administration shows' },
    summary: 'adds a tenant',
  },
  'tenant remove': {
    words: ['tenant'],
    summary: 'removes a tenant with all its users and keys',
  },
  'relying-party add': {
    words: ['tenant', 'domain'],
    flags: { name: 'name that authenticators show' },
    lists: {
      allowOrigin: 'origins of pages and apps that may call for it',
      // The server's option for the relying party of --domain has this name.
      origin: 'the same as --allow-origin',
      relatedOrigin: 'origins on other domains that may use its keys',
    },
    summary: 'adds a relying party',
  },
  'relying-party change': {
    words: ['tenant', 'domain', 'file'],
    summary:
      'changes a relying party by a JSON file with name, origins, policy, relatedOrigins, apps or passkeyEndpoints; - is standard input',
  },
  'relying-party remove': {
    words: ['tenant', 'domain'],
    summary: 'removes a relying party with all its users and keys',
  },
  'account reset': {
    words: ['name'],
    summary:
      'resets the password of an account of the administration: prints a new one, or says where it is configured',
  },
  'account break-glass': {
    words: ['name'],
    switches: { off: 'lets the account do so no longer' },
    summary: 'lets a local account sign in with --console-local break-glass',
  },
  'key add': {
    words: ['tenant', 'name'],
    flags: { expires: 'day or time (UTC) from which on the key is invalid, such as 2030-01-31' },
    lists: {
      scopes: 'what the key may do, such as ceremonies',
      relyingParties: 'domains for which the key is valid; all of the tenant if not set',
    },
    summary: 'issues an application key',
  },
  'key list': {
    summary: 'lists the application keys, each with its ID',
  },
  'key revoke': {
    words: ['id'],
    summary: 'revokes an application key on all instances',
  },
  'key confirm': {
    words: ['id'],
    summary: 'reactivates an application key that a restore suspended',
  },
  export: {
    words: ['domain'],
    summary: 'writes the users of a relying party with their keys to standard output',
  },
  import: {
    words: ['domain', 'file'],
    flags: { format: 'which server the file is from; servicefido if not set' },
    switches: {
      dryRun: 'stores nothing',
      assumeVerified: 'counts the user verification of keys for which the file does not state it',
    },
    summary: 'takes users with their keys from a file; - is standard input',
  },
  'users erase': {
    words: ['name'],
    flags: { relyingParty: 'domain of the user; needed if there are several relying parties' },
    summary:
      'deletes a user with all keys and replaces the name by a pseudonym in events, lists and audit trail',
  },
  'client add': {
    words: ['domain', 'name'],
    flags: {
      kind: 'web, public or entra; web if not set',
      algorithm: 'signature of ID tokens: ES256 or RS256',
      groups: 'yes or no: whether the client may read the groups of users',
      tenantId: 'tenant ID of Entra ID; only for the kind entra',
      appId: 'application (client) ID of the app registration there; only for the kind entra',
      userClaim: 'claim that names the user: oid or preferred_username; only for the kind entra',
    },
    lists: {
      redirectUris: 'addresses to which users may return',
      logoutUris: 'addresses to which users may return after a sign-out',
    },
    summary: 'adds a client of OpenID Connect and prints its ID and secret',
  },
  'client list': {
    words: ['domain'],
    summary: 'lists the clients of OpenID Connect of a relying party, each with its ID',
  },
  'client secret': {
    words: ['domain', 'id'],
    summary: 'prints a new secret of a client; the former one is invalid at once',
  },
  'client remove': {
    words: ['domain', 'id'],
    summary: 'removes a client of OpenID Connect',
  },
  'client rotate-keys': {
    words: ['domain'],
    switches: { revoke: 'replaces the present keys at once, which may have been stolen' },
    summary:
      'adds new signing keys of the issuers of OpenID Connect; they sign after five minutes, for Entra ID after two days',
  },
  'webhook add': {
    words: ['tenant', 'url'],
    flags: { format: 'form of the messages; ocsf: records of OCSF' },
    lists: {
      events: 'kinds of events to send',
      relyingParties: 'domains whose events are sent; all of the tenant if not set',
    },
    summary: 'adds a webhook and prints its secret',
  },
  'webhook list': {
    summary: 'lists the webhooks with ID, state and format of the messages',
  },
  'webhook on': {
    words: ['id'],
    summary: 'switches a webhook on again: it continues where it stopped',
  },
  'webhook off': {
    words: ['id'],
    summary: 'switches a webhook off',
  },
  'webhook rotate': {
    words: ['id'],
    summary: 'prints a new secret of a webhook; for a day messages are signed with both',
  },
  'webhook remove': {
    words: ['id'],
    summary: 'removes a webhook',
  },
  backup: {
    words: ['file'],
    summary: 'copies the SQLite database while the server runs; for other databases it says how',
  },
  restore: {
    words: ['file'],
    flags: RESTORE_FLAGS,
    summary: 'replaces the SQLite database by a backup',
  },
  restored: {
    flags: RESTORE_FLAGS,
    summary: 'to be run once after a database was restored by other means',
  },
  'document last': {
    words: ['number'],
    summary:
      'names the last invoice or credit note that was sent out before a restore; until then nothing is stored',
  },
  'document enter': {
    words: ['file'],
    summary: 'stores a document again that a restore has lost, from the JSON that was sent out',
  },
  'document cancel': {
    words: ['number'],
    summary:
      'gives up a document that a restore has lost and that was cancelled with its recipient',
  },
  'keys rotate': {
    summary: 'adds a new signing key for tokens; it signs after a minute',
  },
  'keys revoke': {
    words: ['kid'],
    summary: 'takes a signing key out of use at once, when it may have been stolen',
  },
  'secrets reseal': {
    summary: 'seals the secrets in the database with the first key of --secret-key-file',
  },
  'password hash': {
    summary: 'reads a password from standard input and prints its hash for --accounts',
  },
  'audit verify': {
    flags: { expect: 'a hash noted earlier, which the trail must contain' },
    summary: 'checks that no row of the audit trail was altered or removed',
  },
  'audit seal': {
    summary: 'begins to seal the audit trail with the key of --audit-key-file',
  },
  'audit key': {
    words: ['file'],
    summary: 'seals the audit trail with the key of another file from now on; none: without a key',
  },
  verify: {
    words: ['file'],
    repeats: true,
    flags: { transaction: 'the text to which the user must have consented' },
    lists: { roots: 'files or directories of trust anchors' },
    switches: { secondOpinion: 'asks @simplewebauthn/server too' },
    summary: 'evaluates recorded ceremonies; - is standard input',
  },
  authenticator: {
    summary:
      'an authenticator and a server for tests in any language: takes requests as lines of JSON on standard input, and answers them on standard output',
  },
} as const satisfies Readonly<Record<string, Command>>;

export type CommandName = keyof typeof FORMS;

/** Every sub-command by its first words. */
export const COMMANDS: Readonly<Record<CommandName, Command>> = FORMS;

type WordsIn<Form> = Form extends { readonly words: readonly (infer Name extends string)[] }
  ? Name
  : never;

type FlagsIn<Form, Kind extends 'flags' | 'lists' | 'switches'> = Form extends {
  readonly [K in Kind]: infer Texts;
}
  ? keyof Texts
  : never;

/** What a command receives: its arguments, and the values of its flags. */
type Input<Form> = { readonly options: ServerOptions } & Readonly<
  Record<WordsIn<Form>, Form extends { repeats: true } ? readonly string[] : string> &
    Record<FlagsIn<Form, 'flags'>, string | undefined> &
    Record<FlagsIn<Form, 'lists'>, string[] | undefined> &
    Record<FlagsIn<Form, 'switches'>, boolean>
>;

type Code = {
  readonly [Name in CommandName]: (input: Input<(typeof FORMS)[Name]>) => Promise<void>;
};
export type FirstWord<Name = CommandName> = Name extends `${infer First} ${string}` ? First : Name;

/** The code of the commands with one of these first words. */
export type Runs<First extends FirstWord> = Pick<
  Code,
  Extract<CommandName, First | `${First} ${string}`>
>;
