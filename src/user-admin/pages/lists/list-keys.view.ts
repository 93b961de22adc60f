import { isUnderWay } from '../../../batches/batches.js';
import { phrase } from '../../../platform/pages/languages/phrase.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import type { KeyChange } from '../../lists/change-keys-job.js';
import type { KeyChangeBatch } from '../../lists/key-change-batches.js';
import { uploadIdOf, type Upload } from '../../lists/upload.entity.js';
import { USERS_PAGE } from '../page-frame.js';
import type { ListPreview } from './list-preview.js';

/** The words of the pages that change ticked users. */
const WORDS = { disable: 'disable-all', enable: 'enable-all', undo: 'undo-disable-all' } as const;

const common = (upload: Upload, { domain }: RelyingParty, change: KeyChange) => ({
  ...USERS_PAGE,
  domain,
  change,
  address: `/userapi/changelistkeys/${uploadIdOf(upload)}`,
  consequence: phrase(`users:bulk.means.${WORDS[change]}`),
});

/** The users of a list, before their keys are changed. */
export function keyPreviewPage(
  upload: Upload,
  rp: RelyingParty,
  {
    change,
    preview,
  }: {
    change: KeyChange;
    preview: Pick<Awaited<ReturnType<ListPreview['of']>>, 'found' | 'lines'>;
  },
) {
  const { found, lines } = preview;
  const users = lines.filter(({ state }) => state === 'found');
  const button = phrase(`users:bulk.actions.${WORDS[change]}`, { count: found });
  const heading = phrase('users:bulk.question', { what: button });
  return {
    ...common(upload, rp, change),
    title: phrase('users:bulk.title', { heading }),
    heading,
    preview: {
      users,
      more: found - users.length,
      button: found > 0 ? button : undefined,
      danger: change === 'disable',
    },
  };
}

/** A change of a list: its progress and its result. */
export function keyChangePage(upload: Upload, rp: RelyingParty, { change, batch }: KeyChangeBatch) {
  const { state, total, looked, reason } = batch;
  const isRunning = isUnderWay(state);
  const isDone = state === 'done';
  // The list may contain users who no longer exist.
  const value = isDone ? total : Math.min(looked, total);
  const heading = phrase(
    isDone ? `users:bulk.made.${WORDS[change]}` : `users:listKeys.${state}.${change}`,
  );
  return {
    ...common(upload, rp, change),
    title: phrase('users:bulk.title', { heading }),
    heading,
    scripts: isRunning ? ['/static/js/progress.js'] : [],
    /** Seconds until the page reloads, for browsers without scripts. */
    refresh: isRunning ? 2 : undefined,
    progress: {
      value,
      max: total,
      percent: total === 0 ? 100 : Math.floor((value / total) * 100),
      users: batch.changedUsers,
      keys: batch.changedKeys,
      reason,
      stop: isRunning,
      resume: state === 'stopped',
      undo: change === 'disable' && !isRunning,
    },
  };
}
