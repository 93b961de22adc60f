import type { Command } from './command.js';

const documents = () => import('./commands/documents.js');
const restoring = () => import('./commands/restore.js');

/** The sub-commands of backups, and of what follows a restore. */
export const RECOVERY: Readonly<Record<string, Command>> = {
  backup: {
    words: '<file>',
    flags: [],
    summary: 'copies the SQLite database while the server runs; of others, says how',
    run: async (line) => (await import('./commands/backup.js')).backup(line),
  },
  restore: {
    words: '<file>',
    flags: ['log', 'last-document'],
    summary:
      "puts a backup in the place of the SQLite database; --log takes the server's log since the backup, --last-document the number of the last invoice or credit note that was sent out",
    run: async (line) => (await restoring()).restore(line),
  },
  restored: {
    words: '',
    flags: ['log', 'last-document'],
    summary: 'to be run once after a database was restored by other means; flags as for restore',
    run: async (line) => (await restoring()).restored(line),
  },
  'document last': {
    words: '<number>',
    flags: [],
    summary:
      'names the last invoice or credit note that was sent out before a restore; nothing is stored before',
    run: async (line) => (await documents()).lastDocument(line),
  },
  'document enter': {
    words: '<file>',
    flags: [],
    summary: 'stores a document again that a restore has lost, from the JSON that was sent out',
    run: async (line) => (await documents()).enterDocument(line),
  },
  'document cancel': {
    words: '<number>',
    flags: [],
    summary:
      'gives up a document that a restore has lost and that was cancelled with its recipient',
    run: async (line) => (await documents()).cancelDocument(line),
  },
};
