import { readFileSync } from 'node:fs';
import type { INestApplicationContext } from '@nestjs/common';
import { DocumentStore } from '../../billing/invoices/document-store.js';
import { DocumentSeries } from '../../billing/invoices/document-series.js';
import { OptionMistakes } from '../../platform/config/option-types.js';
import type { ServerOptions } from '../../platform/config/server-config.js';
import { withCommandLog } from '../application.js';
import type { Runs } from '../commands.js';
import { nameLastDocument, RestoreModule } from '../restore/begin-epoch.js';
import { ensureStored, runAudited } from '../run-audited.js';

type Action = (app: INestApplicationContext) => Promise<void>;

const withDocuments = (options: ServerOptions, action: Action): Promise<void> =>
  withCommandLog(options, RestoreModule.with(options, false), action);

export const documentCommands: Runs<'document'> = {
  /** Names the last invoice or credit note that was sent before a restore. */
  'document last': ({ options, number }) =>
    withDocuments(options, async (app) => {
      for (const line of await nameLastDocument(app, number)) console.log(line);
    }),

  /**
   * Stores a lost document again.
   *
   * @throws ApiError E0044R if it is not lost; E0045R for a file in another format
   */
  'document enter': ({ options, file }) => {
    const text = read(file);
    return withDocuments(options, async (app) => {
      const { number } = await runAudited(app, { action: 'invoice.issue' }, (call) =>
        app.get(DocumentStore).enter(call, text),
      );
      console.log(`Document ${number} is stored again and no longer lost.`);
    });
  },

  /**
   * Gives up a lost document, which was cancelled by agreement with its recipient.
   *
   * @throws ApiError E0044R if it is not lost
   */
  'document cancel': ({ options, number }) =>
    withDocuments(options, async (app) => {
      const detail = { number, lost: true };
      const note = { action: 'invoice.cancel', target: number, detail } as const;
      await runAudited(app, note, async ({ commit }) => {
        ensureStored(await commit([await app.get(DocumentSeries).settle(number)], {}));
      });
      console.log(`Document ${number} is given up: its month can be invoiced again.`);
    }),
};

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new OptionMistakes([`${file} cannot be read: ${String(error)}`]);
  }
}
