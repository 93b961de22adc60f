import { plainText } from '../../platform/pages/languages/languages.js';
import { phrase, type Phrase } from '../../platform/pages/languages/phrase.js';
import type { Warning } from '../../platform/pages/page.view.js';

/** Something about the server's setup that its operator should know. */
export interface SetupFinding {
  /** Such as `open-registration`: its texts in the catalogue of findings have it, too. */
  readonly name: string;
  /** What was found, as a sentence. */
  readonly title: Phrase;
  /** What follows from it. */
  readonly text: Phrase;
  /** What to do about it. */
  readonly mend: Phrase;
  /** Whether somebody gets in, or is kept out, who should not be; otherwise something could be better. */
  readonly urgent: boolean;
}

const findingOf =
  (urgent: boolean) =>
  (name: string, values?: Phrase['values']): SetupFinding => ({
    name,
    title: phrase(`findings:${name}.title`, values),
    text: phrase(`findings:${name}.text`, values),
    mend: phrase(`findings:${name}.mend`, values),
    urgent,
  });

/**
 * A finding that should be mended at once, or one that could be improved.
 *
 * @param name under which the catalogue of findings has its sentences
 */
export const toMend = findingOf(true);
export const toImprove = findingOf(false);

/** The title in English, for the log and the terminal. */
export const titleOf = ({ title }: SetupFinding): string => plainText('en', title);

export const warningOf = ({
  title,
  text,
  mend,
}: Pick<SetupFinding, 'title' | 'text' | 'mend'>): Warning => ({
  title,
  text: phrase('findings:textAndMend', { text, mend }),
});
