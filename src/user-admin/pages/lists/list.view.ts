import { phrase } from '../../../platform/pages/languages/phrase.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { MAX_UNDONE } from '../../../users/deletions/deletions.js';
import type { UploadTally } from '../../lists/upload-lines.js';
import { uploadIdOf, type Upload, type UploadState } from '../../lists/upload.entity.js';
import type { PickerEntry } from '../page-parties.js';
import { USERS_PAGE, queryOf } from '../page-frame.js';
import type { ListPreview } from './list-preview.js';

interface Stored {
  readonly upload: Upload;
  readonly rp: RelyingParty;
  readonly tally: UploadTally;
  /** Only before the deletion. */
  readonly preview: Awaited<ReturnType<ListPreview['of']>> | undefined;
  /** The number of its deletions that can be undone; at most `MAX_UNDONE`. */
  readonly undoable: number;
}

const STEPS = ['file', 'preview', 'deletion', 'result'] as const;
const STEP_OF: Readonly<Record<UploadState, number>> = {
  receiving: 0,
  ready: 1,
  deleting: 2,
  stopped: 2,
  done: 3,
};

const common = (at: number) => ({
  title: phrase('users:deletion.title'),
  ...USERS_PAGE,
  tab: { list: true },
  permissions: { users: true, invite: true },
  steps: STEPS.map((step, n) => ({
    name: phrase(`users:deletion.steps.${step}`),
    current: n === at,
    done: n < at,
  })),
});

/** Up to this many relying parties are shown as links, which saves a click; more are shown as a list. */
const MAX_LINKS = 8;

/** The form for a file; if there are several relying parties, one is chosen first. */
export function uploadPage(choices: readonly PickerEntry[], rp: RelyingParty | undefined) {
  return {
    ...common(0),
    choices,
    links:
      choices.length <= MAX_LINKS
        ? choices.map(({ domain, selected }) => ({ domain, selected, address: addressAt(domain) }))
        : undefined,
    domain: rp?.domain,
    /** The address to which the file is sent; the form's token is added to it. */
    action: rp && `/userapi/deletelistusers/file${queryOf({ rp: rp.domain })}`,
  };
}

const addressAt = (domain: string): string => `/userapi/deletelistusers${queryOf({ rp: domain })}`;

/** A stored list: its preview, its progress or its result. */
export function listPage(stored: Stored) {
  const { upload, rp, tally, preview, undoable } = stored;
  const { similar = [] } = preview ?? {};
  const { state } = upload;
  const { deleted, missing, left, invalid, credentials } = tally;
  const names = deleted + missing + left;
  const address = `/userapi/deletelistusers/${uploadIdOf(upload)}`;
  return {
    ...common(STEP_OF[state]),
    scripts: state === 'deleting' ? ['/static/js/progress.js'] : [],
    domain: rp.domain,
    /** Seconds until the page reloads, for browsers without scripts. */
    refresh: state === 'deleting' ? 2 : undefined,
    list: {
      address,
      state: { [state]: true },
      undo: undoable > 0 && state !== 'deleting' ? { occasion: uploadIdOf(upload) } : undefined,
      onlyLeft: undoable < Math.min(deleted, MAX_UNDONE) ? undoable : 0,
      noneLeft: undoable === 0 && deleted > 0 && state !== 'deleting',
      similar,
      addable: similar.some(({ isListed }) => !isListed),
      preview: preview && {
        found: preview.found,
        any: preview.found > 0,
        missing: preview.missing,
        invalid: preview.invalid,
        lines: preview.lines.map((line) => ({ ...line, is: { [line.state]: true } })),
        more: Math.max(names + invalid - preview.lines.length, 0),
      },
      progress: {
        max: names,
        value: deleted + missing,
        percent: names === 0 ? 100 : Math.floor(((deleted + missing) / names) * 100),
        left,
        deleted,
        missing,
        invalid,
        credentials,
      },
    },
  };
}
