import type { CommandLine } from '../platform/config/load-options.js';
import { flagName } from '../platform/config/server-options.js';
import { COMMANDS, type Command, type CommandName, type FirstWord, type Runs } from './commands.js';

/** Loaded on demand, so that a mistake on the command line does not wait for the framework. */
const CODE: { readonly [First in FirstWord]: () => Promise<Runs<First>> } = {
  tenant: async () => (await import('./commands/tenancy.js')).tenancyCommands,
  'relying-party': async () => (await import('./commands/tenancy.js')).tenancyCommands,
  account: async () => (await import('./commands/accounts.js')).accountCommands,
  key: async () => (await import('./commands/application-keys.js')).keyCommands,
  export: async () => (await import('./commands/users.js')).userCommands,
  import: async () => (await import('./commands/users.js')).userCommands,
  users: async () => (await import('./commands/users.js')).userCommands,
  client: async () => (await import('./commands/oidc-clients.js')).clientCommands,
  webhook: async () => (await import('./commands/webhooks.js')).webhookCommands,
  backup: async () => (await import('./commands/backup.js')).backupCommand,
  restore: async () => (await import('./commands/restore.js')).restoreCommands,
  restored: async () => (await import('./commands/restore.js')).restoreCommands,
  document: async () => (await import('./commands/documents.js')).documentCommands,
  keys: async () => (await import('./commands/secrets.js')).secretCommands,
  secrets: async () => (await import('./commands/secrets.js')).secretCommands,
  password: async () => (await import('./commands/accounts.js')).accountCommands,
  audit: async () => (await import('./commands/audit.js')).auditCommands,
  verify: async () => (await import('./verify.js')).verifyCommand,
  authenticator: async () => (await import('./commands/authenticator.js')).authenticatorCommand,
};

/** Runs a command. */
export async function execute(name: CommandName, line: CommandLine): Promise<void> {
  const [first] = name.split(' ') as [FirstWord];
  const code = await CODE[first]();
  const command = code[name as keyof typeof code] as (input: object) => Promise<void>;
  await command(inputOf(COMMANDS[name], line));
}

/** The input of a command, by the names in its form. */
function inputOf(command: Command, { options, words, own }: CommandLine): object {
  const { words: names = [], repeats, flags = {}, lists = {}, switches = {} } = command;
  const valueOf = (name: string) => own.get(flagName(name));
  return Object.fromEntries([
    ['options', options],
    ...names.map((name, n) => [name, repeats ? words : words[n]]),
    ...Object.keys(flags).map((name) => [name, valueOf(name)]),
    ...Object.keys(lists).map((name) => [name, itemsIn(valueOf(name))]),
    ...Object.keys(switches).map((name) => [name, valueOf(name) !== undefined]),
  ]) as object;
}

const itemsIn = (list: string | undefined) => list?.split(',').map((item) => item.trim());
