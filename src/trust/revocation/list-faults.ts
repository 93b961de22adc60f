import {
  RevocationListError,
  type RevocationListFault,
} from '../../webauthn/certificates/revocation-list.js';
import { sourceFailureText } from '../metadata/metadata-source.js';

const SENTENCES: Readonly<Record<RevocationListFault, string>> = {
  'too-large': 'The list is larger than 1 MiB.',
  malformed: 'It is no certificate revocation list (RFC 5280 §5) of at most 20,000 certificates.',
  indirect: 'It lists certificates of other authorities, which is not supported: it is ignored.',
  delta: 'It is a delta list, which is not supported: it is ignored.',
  'critical-extension': 'It has a critical extension that is not understood: it is ignored.',
};

/** Faults of lists that are valid, but of a kind that is not supported. */
const IGNORED: readonly RevocationListFault[] = ['indirect', 'delta', 'critical-extension'];

/** An overdue list is still used: its certificates stay revoked. */
export const LIST_OVERDUE = 'Its successor is overdue: later revocations are not known.';

/** A file is ignored if a newer list of the same authority is in force. */
export const LIST_OUTDATED = 'It is older than the one that is here: it is ignored.';

/** The list of a deleted file is still used. */
export const LIST_FILE_MISSING =
  'The file no longer exists; its list stays in force until a later one of this authority is here.';

/** Why a list was refused, as a sentence for administrators. */
export const listFaultText = (error: unknown): string =>
  error instanceof RevocationListError ? SENTENCES[error.fault] : sourceFailureText(error);

/** Whether a list is valid, but of a kind that is not supported. */
export const isUnsupportedList = (error: unknown): boolean =>
  error instanceof RevocationListError && IGNORED.includes(error.fault);
