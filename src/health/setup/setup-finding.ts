import { plainText } from '../../presentation/languages/languages.js';
import { phrase } from '../../presentation/languages/phrase.js';
import type { Phrase } from '../../presentation/languages/phrase.js';
import type { Warning } from '../../presentation/page.view.js';

/** Something about how the server is set up that its operator should know. */
export interface SetupFinding {
  /** What is found, as a sentence. */
  readonly title: Phrase;
  /** What follows of it. */
  readonly text: Phrase;
  /** What to do about it. */
  readonly mend: Phrase;
  /** Whether somebody gets in, or is kept out, who should not be; else it could be better. */
  readonly urgent: boolean;
}

const findingOf =
  (urgent: boolean) =>
  (name: string, values?: Phrase['values']): SetupFinding => ({
    title: phrase(`findings:${name}.title`, values),
    text: phrase(`findings:${name}.text`, values),
    mend: phrase(`findings:${name}.mend`, values),
    urgent,
  });

/**
 * What somebody should mend at once, or could do better.
 *
 * @param name under which the catalogue of findings has its sentences
 */
export const toMend = findingOf(true);
export const toImprove = findingOf(false);

/** For the log and the terminal, which are English. */
export const titleOf = ({ title }: SetupFinding): string => plainText('en', title);

/** For the box of a page. */
export const warningOf = ({
  title,
  text,
  mend,
}: Pick<SetupFinding, 'title' | 'text' | 'mend'>): Warning => ({
  title,
  text: phrase('findings:textAndMend', { text, mend }),
});
