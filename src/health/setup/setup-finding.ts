import type { Warning } from '../../presentation/page.view.js';

/** Something about how the server is set up that its operator should know. */
export interface SetupFinding {
  /** What is found, as a sentence. */
  readonly title: string;
  /** What follows of it. */
  readonly text: string;
  /** What to do about it. */
  readonly mend: string;
  /** Whether somebody gets in, or is kept out, who should not be; else it could be better. */
  readonly urgent: boolean;
}

/** For the box of a page. */
export const warningOf = ({ title, text, mend }: SetupFinding): Warning => ({
  title,
  text: `${text} ${mend}`,
});
