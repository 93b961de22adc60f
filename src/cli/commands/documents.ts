import { readFileSync } from 'node:fs';
import { DocumentStore } from '../../billing/invoices/document-store.js';
import { DocumentSeries } from '../../billing/invoices/document-series.js';
import { OptionMistakes } from '../../platform/config/option-types.js';
import type { CommandLine } from '../../platform/config/load-options.js';
import { withCommandLog } from '../application.js';
import { nameLastDocument, RestoreModule } from '../restore/begin-epoch.js';
import { runAudited, commitAudited } from './audit.js';

/** Names the last invoice or credit note that was sent before a restore. */
export const lastDocument = ({ options, words: [numbers = ''] }: CommandLine) =>
  withCommandLog(options, RestoreModule.with(options, false), async (app) => {
    for (const line of await nameLastDocument(app, numbers)) console.log(line);
  });

/**
 * Stores a lost document again.
 *
 * @throws ApiError E0044R if it is not lost; E0045R for a file in another format
 */
export const enterDocument = ({ options, words: [file = ''] }: CommandLine) => {
  const text = read(file);
  return withCommandLog(options, RestoreModule.with(options, false), async (app) => {
    const { number } = await runAudited(app, { action: 'invoice.issue' }, (call) =>
      app.get(DocumentStore).enter(call, text),
    );
    console.log(`Document ${number} is stored again and no longer lost.`);
  });
};

/**
 * Gives up a lost document, which was cancelled by agreement with its recipient.
 *
 * @throws ApiError E0044R if it is not lost
 */
export const cancelDocument = ({ options, words: [number = ''] }: CommandLine) =>
  withCommandLog(options, RestoreModule.with(options, false), async (app) => {
    const step = await app.get(DocumentSeries).settle(number);
    await commitAudited(
      app,
      { action: 'invoice.cancel', target: number, detail: { number, lost: true } },
      [step],
    );
    console.log(`Document ${number} is given up: its month can be invoiced again.`);
  });

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new OptionMistakes([`${file} cannot be read: ${String(error)}`]);
  }
}
