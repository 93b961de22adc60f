import { phrase } from '../../../platform/pages/languages/phrase.js';
import type { Phrase } from '../../../platform/pages/languages/phrase.js';
import type { PageView } from '../../../platform/pages/page.view.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import type { UploadTally, Upload } from '../../lists/upload-store.js';
import type { UploadState } from '../../lists/upload.entity.js';
import type { Preview, PreviewLine, SimilarLine } from './list-preview.js';
import type { PickerEntry } from '../page-scope.js';
import { queryOf } from '../addresses.js';

interface Step {
  readonly name: Phrase;
  readonly current: boolean;
  readonly done: boolean;
}

export interface ListView extends PageView {
  readonly tab: { readonly list: true };
  readonly rights: { readonly users: true };
  readonly steps: readonly Step[];
  readonly choices: readonly PickerEntry[];
  readonly domain: string | undefined;
  /** The address that the file is sent to; the form's token is added to it. */
  readonly action: string | undefined;
  readonly list: object | undefined;
  /** Seconds until the page loads itself again, where no script does it. */
  readonly refresh: number | undefined;
}

interface Stored {
  readonly upload: Upload;
  readonly rp: RelyingParty;
  readonly tally: UploadTally;
  /** Only before the deletion. */
  readonly found: Preview | undefined;
  readonly lines: readonly PreviewLine[];
  readonly similar: readonly SimilarLine[];
  /** Whether the number typed was not that of the users found. */
  readonly failed: boolean;
  /** Whether users that it deleted can be brought back. */
  readonly canUndo: boolean;
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
  texts: 'users',
  nav: { users: true } as const,
  styles: ['/static/css/users.css'],
  tab: { list: true } as const,
  rights: { users: true } as const,
  steps: STEPS.map((step, n) => ({
    name: phrase(`users:deletion.steps.${step}`),
    current: n === at,
    done: n < at,
  })),
});

/** The form for a file; where there are several relying parties, one is chosen first. */
export function uploadPage({
  choices,
  rp,
}: {
  choices: readonly PickerEntry[];
  rp: RelyingParty | undefined;
}): ListView {
  return {
    ...common(0),
    choices,
    domain: rp?.domain,
    action: rp && `/userapi/deletelistusers/file${queryOf({ rp: rp.domain })}`,
    list: undefined,
    refresh: undefined,
  };
}

const idOf = ({ id }: Upload): string => id.toString('base64url');

/** A list that is stored: its preview, its progress or its result. */
export function listPage(stored: Stored): ListView {
  const { upload, rp, tally, found, lines, similar, failed, canUndo } = stored;
  const { state } = upload;
  const { deleted, missing, left, invalid, credentials } = tally;
  const names = deleted + missing + left;
  const address = `/userapi/deletelistusers/${idOf(upload)}`;
  return {
    ...common(STEP_OF[state]),
    scripts: state === 'deleting' ? ['/static/js/progress.js'] : [],
    choices: [],
    domain: rp.domain,
    action: undefined,
    refresh: state === 'deleting' ? 2 : undefined,
    list: {
      address,
      state: { [state]: true },
      undo: canUndo && state !== 'deleting' ? { occasion: idOf(upload) } : undefined,
      failed,
      similar,
      addable: similar.some(({ held }) => !held),
      preview: found && {
        found: found.found,
        any: found.found > 0,
        missing: found.missing,
        invalid: found.invalid,
        lines: lines.map((line) => ({ ...line, is: { [line.state]: true } })),
        more: Math.max(names + invalid - lines.length, 0),
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
