import type { CommandLine } from '../platform/config/load-options.js';

export interface Command {
  /** The names of the command's arguments. */
  readonly words?: readonly string[];
  readonly repeatsLast?: boolean;
  readonly flags?: readonly string[];
  /** Flags that take lists, separated by commas or by repeating the flag. */
  readonly lists?: readonly string[];
  /** Flags that take no value. */
  readonly switches?: readonly string[];
  readonly summary: string;
  run(line: CommandLine): Promise<void>;
}

/** Loaded on demand, so that a mistake on the command line does not wait for the framework. */
const tenancy = () => import('./commands/tenancy.js');
const applicationKeys = () => import('./commands/application-keys.js');
const webhooks = () => import('./commands/webhooks.js');
const clients = () => import('./commands/oidc-clients.js');
const documents = () => import('./commands/documents.js');
const restoring = () => import('./commands/restore.js');

/** Every sub-command by its first words. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  'tenant list': {
    summary: 'lists the tenants and their relying parties',
    run: async (line) => (await tenancy()).listTenants(line),
  },
  'tenant add': {
    words: ['tenant'],
    flags: ['display-name'],
    summary: 'adds a tenant',
    run: async (line) => (await tenancy()).addTenant(line),
  },
  'tenant remove': {
    words: ['tenant'],
    summary: 'removes a tenant with all its users and keys',
    run: async (line) => (await tenancy()).removeTenant(line),
  },
  'relying-party add': {
    words: ['tenant', 'domain'],
    flags: ['name'],
    // The server's option for the relying party of --domain has the name --origin.
    lists: ['allow-origin', 'origin', 'related-origin'],
    summary:
      'adds a relying party; --allow-origin (or --origin) and --related-origin take origins, separated by commas',
    run: async (line) => (await tenancy()).addRelyingParty(line),
  },
  'relying-party change': {
    words: ['tenant', 'domain', 'file'],
    summary:
      'changes a relying party by a JSON file with name, origins, policy, relatedOrigins, apps or passkeyEndpoints; - is standard input',
    run: async (line) => (await tenancy()).changeRelyingParty(line),
  },
  'relying-party remove': {
    words: ['tenant', 'domain'],
    summary: 'removes a relying party with all its users and keys',
    run: async (line) => (await tenancy()).removeRelyingParty(line),
  },
  'account reset': {
    words: ['name'],
    summary:
      'resets the password of an account of the administration: prints a new one, or says where it is configured',
    run: async (line) => (await import('./commands/accounts.js')).resetAccount(line),
  },
  'account break-glass': {
    words: ['name'],
    switches: ['off'],
    summary:
      'lets a local account sign in with --console-local break-glass, or with --off no longer',
    run: async (line) => (await import('./commands/accounts.js')).setBreakGlass(line),
  },
  'key add': {
    words: ['tenant', 'name'],
    flags: ['expires'],
    lists: ['scopes', 'relying-parties'],
    summary:
      'issues an application key; --scopes and --relying-parties take lists, separated by commas',
    run: async (line) => (await applicationKeys()).addKey(line),
  },
  'key list': {
    summary: 'lists the application keys, each with its ID',
    run: async (line) => (await applicationKeys()).listKeys(line),
  },
  'key revoke': {
    words: ['id'],
    summary: 'revokes an application key on all instances',
    run: async (line) => (await applicationKeys()).revokeApplicationKey(line),
  },
  'key confirm': {
    words: ['id'],
    summary: 'reactivates an application key that a restore suspended',
    run: async (line) => (await applicationKeys()).confirmApplicationKey(line),
  },
  export: {
    words: ['domain'],
    summary: 'writes the users of a relying party with their keys to standard output',
    run: async (line) => (await import('./commands/users.js')).exportUsers(line),
  },
  import: {
    words: ['domain', 'file'],
    flags: ['format'],
    switches: ['dry-run', 'assume-verified'],
    summary:
      'takes users with their keys from a file; - is standard input; --format says which server it is from, --dry-run stores nothing, --assume-verified counts the user verification of keys for which the file does not state it',
    run: async (line) => (await import('./commands/users.js')).importUsers(line),
  },
  'users erase': {
    words: ['name'],
    flags: ['relying-party'],
    summary:
      'deletes a user with all keys and replaces the name by a pseudonym in events, lists and audit trail; --relying-party says where',
    run: async (line) => (await import('./commands/users.js')).eraseUser(line),
  },
  'client add': {
    words: ['domain', 'name'],
    flags: ['kind', 'algorithm', 'groups', 'tenant-id', 'app-id', 'user-claim'],
    lists: ['redirect-uris', 'logout-uris'],
    summary:
      'adds a client of OpenID Connect and prints its ID and secret; --kind is web, public or entra; --redirect-uris and --logout-uris take lists, separated by commas; --algorithm is ES256 or RS256; --groups yes lets it read groups; a client of the kind entra takes --tenant-id, --app-id and --user-claim (oid or preferred_username)',
    run: async (line) => (await clients()).addClient(line),
  },
  'client list': {
    words: ['domain'],
    summary: 'lists the clients of OpenID Connect of a relying party, each with its ID',
    run: async (line) => (await clients()).listClients(line),
  },
  'client secret': {
    words: ['domain', 'id'],
    summary: 'prints a new secret of a client; the former one is invalid at once',
    run: async (line) => (await clients()).rotateClientSecret(line),
  },
  'client remove': {
    words: ['domain', 'id'],
    summary: 'removes a client of OpenID Connect',
    run: async (line) => (await clients()).removeClient(line),
  },
  'client rotate-keys': {
    words: ['domain'],
    switches: ['revoke'],
    summary:
      'adds new signing keys of the issuers of OpenID Connect; they sign after five minutes, for Entra ID after two days; with --revoke they replace stolen ones at once',
    run: async (line) => (await clients()).rotateIssuerKeys(line),
  },
  'webhook add': {
    words: ['tenant', 'url'],
    flags: ['format'],
    lists: ['events', 'relying-parties'],
    summary:
      'adds a webhook and prints its secret; --events and --relying-parties take lists, separated by commas; --format ocsf sends records of OCSF',
    run: async (line) => (await webhooks()).addWebhook(line),
  },
  'webhook list': {
    summary: 'lists the webhooks with ID, state and format of the messages',
    run: async (line) => (await webhooks()).listWebhooks(line),
  },
  'webhook on': {
    words: ['id'],
    summary: 'switches a webhook on again: it continues where it stopped',
    run: async (line) => (await webhooks()).switchWebhook(line, true),
  },
  'webhook off': {
    words: ['id'],
    summary: 'switches a webhook off',
    run: async (line) => (await webhooks()).switchWebhook(line, false),
  },
  'webhook rotate': {
    words: ['id'],
    summary: 'prints a new secret of a webhook; for a day messages are signed with both',
    run: async (line) => (await webhooks()).rotateWebhook(line),
  },
  'webhook remove': {
    words: ['id'],
    summary: 'removes a webhook',
    run: async (line) => (await webhooks()).removeWebhook(line),
  },
  backup: {
    words: ['file'],
    summary: 'copies the SQLite database while the server runs; for other databases it says how',
    run: async (line) => (await import('./commands/backup.js')).backup(line),
  },
  restore: {
    words: ['file'],
    flags: ['log', 'last-document'],
    summary:
      "replaces the SQLite database by a backup; --log takes the server's log since the backup, --last-document the number of the last invoice or credit note that was sent out",
    run: async (line) => (await restoring()).restore(line),
  },
  restored: {
    flags: ['log', 'last-document'],
    summary: 'to be run once after a database was restored by other means; flags as for restore',
    run: async (line) => (await restoring()).restored(line),
  },
  'document last': {
    words: ['number'],
    summary:
      'names the last invoice or credit note that was sent out before a restore; until then nothing is stored',
    run: async (line) => (await documents()).lastDocument(line),
  },
  'document enter': {
    words: ['file'],
    summary: 'stores a document again that a restore has lost, from the JSON that was sent out',
    run: async (line) => (await documents()).enterDocument(line),
  },
  'document cancel': {
    words: ['number'],
    summary:
      'gives up a document that a restore has lost and that was cancelled with its recipient',
    run: async (line) => (await documents()).cancelDocument(line),
  },
  'keys rotate': {
    summary: 'adds a new signing key for tokens; it signs after a minute',
    run: async (line) => (await import('./commands/secrets.js')).rotateKeys(line),
  },
  'keys revoke': {
    words: ['kid'],
    summary: 'takes a signing key out of use at once, when it may have been stolen',
    run: async (line) => (await import('./commands/secrets.js')).revokeKey(line),
  },
  'secrets reseal': {
    summary: 'seals the secrets in the database with the first key of --secret-key-file',
    run: async (line) => (await import('./commands/secrets.js')).verifyResealed(line),
  },
  'password hash': {
    summary: 'reads a password from standard input and prints its hash for --accounts',
    run: async () => (await import('./commands/accounts.js')).printPasswordHash(),
  },
  'audit verify': {
    flags: ['expect'],
    summary:
      'checks that no row of the audit trail was altered or removed; --expect takes a hash noted earlier',
    run: async (line) => (await import('./commands/audit.js')).verifyAudit(line),
  },
  'audit seal': {
    summary: 'begins to seal the audit trail with the key of --audit-key-file',
    run: async (line) => (await import('./commands/audit.js')).sealAudit(line),
  },
  'audit key': {
    words: ['file'],
    summary: 'seals the audit trail with the key of another file from now on; none: without a key',
    run: async (line) => (await import('./commands/audit.js')).changeAuditKey(line),
  },
  verify: {
    words: ['file'],
    repeatsLast: true,
    flags: ['transaction'],
    lists: ['roots'],
    switches: ['second-opinion'],
    summary:
      'evaluates recorded ceremonies; - is standard input; --roots takes a directory of trust anchors, --transaction the text to which the user must have consented, --second-opinion asks @simplewebauthn/server too',
    run: async (line) => (await import('./verify.js')).verifyCeremonies(line),
  },
  authenticator: {
    summary:
      'an authenticator and a server for tests in any language: takes requests as lines of JSON on standard input, and answers them on standard output',
    run: async () => (await import('./commands/authenticator.js')).answerAsAuthenticator(),
  },
};
