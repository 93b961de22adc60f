import { plainText } from '../../platform/pages/languages/languages.js';
import { phrase, type Phrase } from '../../platform/pages/languages/phrase.js';
import type { Warning } from '../../platform/pages/page.view.js';

/** A fact about the server's setup that its operator should know. */
export interface SetupFinding {
  /** For example `open-registration`; its texts in the catalogue of findings have the same name. */
  readonly name: string;
  /** The finding, as a sentence. */
  readonly title: Phrase;
  /** The consequence. */
  readonly text: Phrase;
  /** The remedy. */
  readonly mend: Phrase;
  /** Whether it wrongly lets someone in or keeps someone out; otherwise it is an improvement. */
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
 * @param name the name of its texts in the catalogue of findings
 */
export const urgentFinding = findingOf(true);
export const advisoryFinding = findingOf(false);

/** The title in English, for the log and the terminal. */
export const titleOf = ({ title }: SetupFinding): string => plainText('en', title);

export const warningOf = ({ title, text, mend }: SetupFinding): Warning => ({
  title,
  text: phrase('findings:textAndMend', { text, mend }),
});
