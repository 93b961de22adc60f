import type { ServerOptions } from '../platform/config/server-config.js';

/** How a command is written. The names of its flags, lists and switches have dashes on the command line. */
export interface Command {
  /** The names of the command's arguments. */
  readonly words?: readonly string[];
  /** Whether its only argument may be repeated. */
  readonly repeats?: boolean;
  readonly flags?: readonly string[];
  /** Flags that take lists, separated by commas or by repeating the flag. */
  readonly lists?: readonly string[];
  /** Flags that take no value. */
  readonly switches?: readonly string[];
  readonly summary: string;
}

const FORMS = {
  'tenant list': {
    summary: 'lists the tenants and their relying parties',
  },
  'tenant add': {
    words: ['tenant'],
    flags: ['displayName'],
    summary: 'adds a tenant',
  },
  'tenant remove': {
    words: ['tenant'],
    summary: 'removes a tenant with all its users and keys',
  },
  'relying-party add': {
    words: ['tenant', 'domain'],
    flags: ['name'],
    // The server's option for the relying party of --domain has the name --origin.
    lists: ['allowOrigin', 'origin', 'relatedOrigin'],
    summary:
      'adds a relying party; --allow-origin (or --origin) and --related-origin take origins, separated by commas',
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
    switches: ['off'],
    summary:
      'lets a local account sign in with --console-local break-glass, or with --off no longer',
  },
  'key add': {
    words: ['tenant', 'name'],
    flags: ['expires'],
    lists: ['scopes', 'relyingParties'],
    summary:
      'issues an application key; --scopes and --relying-parties take lists, separated by commas',
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
    flags: ['format'],
    switches: ['dryRun', 'assumeVerified'],
    summary:
      'takes users with their keys from a file; - is standard input; --format says which server it is from, --dry-run stores nothing, --assume-verified counts the user verification of keys for which the file does not state it',
  },
  'users erase': {
    words: ['name'],
    flags: ['relyingParty'],
    summary:
      'deletes a user with all keys and replaces the name by a pseudonym in events, lists and audit trail; --relying-party says where',
  },
  'client add': {
    words: ['domain', 'name'],
    flags: ['kind', 'algorithm', 'groups', 'tenantId', 'appId', 'userClaim'],
    lists: ['redirectUris', 'logoutUris'],
    summary:
      'adds a client of OpenID Connect and prints its ID and secret; --kind is web, public or entra; --redirect-uris and --logout-uris take lists, separated by commas; --algorithm is ES256 or RS256; --groups yes lets it read groups; a client of the kind entra takes --tenant-id, --app-id and --user-claim (oid or preferred_username)',
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
    switches: ['revoke'],
    summary:
      'adds new signing keys of the issuers of OpenID Connect; they sign after five minutes, for Entra ID after two days; with --revoke they replace stolen ones at once',
  },
  'webhook add': {
    words: ['tenant', 'url'],
    flags: ['format'],
    lists: ['events', 'relyingParties'],
    summary:
      'adds a webhook and prints its secret; --events and --relying-parties take lists, separated by commas; --format ocsf sends records of OCSF',
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
    flags: ['log', 'lastDocument'],
    summary:
      "replaces the SQLite database by a backup; --log takes the server's log since the backup, --last-document the number of the last invoice or credit note that was sent out",
  },
  restored: {
    flags: ['log', 'lastDocument'],
    summary: 'to be run once after a database was restored by other means; flags as for restore',
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
    flags: ['expect'],
    summary:
      'checks that no row of the audit trail was altered or removed; --expect takes a hash noted earlier',
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
    flags: ['transaction'],
    lists: ['roots'],
    switches: ['secondOpinion'],
    summary:
      'evaluates recorded ceremonies; - is standard input; --roots takes a directory of trust anchors, --transaction the text to which the user must have consented, --second-opinion asks @simplewebauthn/server too',
  },
  authenticator: {
    summary:
      'an authenticator and a server for tests in any language: takes requests as lines of JSON on standard input, and answers them on standard output',
  },
} as const satisfies Readonly<Record<string, Command>>;

export type CommandName = keyof typeof FORMS;

/** Every sub-command by its first words. */
export const COMMANDS: Readonly<Record<CommandName, Command>> = FORMS;

type NamesIn<Form, Kind extends keyof Command> = Form extends {
  readonly [K in Kind]: readonly (infer Name extends string)[];
}
  ? Name
  : never;

/** What a command receives: its arguments, and the values of its flags. */
type Input<Form> = { readonly options: ServerOptions } & Readonly<
  Record<NamesIn<Form, 'words'>, Form extends { repeats: true } ? readonly string[] : string> &
    Record<NamesIn<Form, 'flags'>, string | undefined> &
    Record<NamesIn<Form, 'lists'>, string[] | undefined> &
    Record<NamesIn<Form, 'switches'>, boolean>
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
