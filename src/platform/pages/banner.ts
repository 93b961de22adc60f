import type { Text } from './languages/phrase.js';

/** One thing that a change has changed, in words. */
export interface BannerChange {
  readonly what: Text;
  readonly before: Text;
  readonly after: Text;
}

/** What a page says once about what was done on the page before. */
export interface Banner {
  readonly tone: 'good' | 'bad';
  readonly icon: 'check' | 'cross';
  readonly text: Text;
  readonly changes?: readonly BannerChange[];
  /** How many further changes it has no room for. */
  readonly more?: number;
  /** For a deletion: what takes it back, and the person whose page the undo leads to. */
  readonly undo?: Undo;
  /** For a form that was not confirmed: the reason that was entered, so that nobody writes it twice. */
  readonly typed?: { readonly reason: string };
}

/** Names a deletion in the form that takes it back. */
interface Undo {
  readonly occasion: string;
  readonly name?: string;
  readonly rp?: string;
}

/** Answer of a form's handler: the page that the browser is led to, and what that page says. */
export interface RedirectWithBanner {
  readonly url: string;
  readonly banner: Banner;
}

export const done = (text: Text, changes?: readonly BannerChange[]): Banner => ({
  tone: 'good',
  icon: 'check',
  text,
  ...(changes && { changes }),
});

export const notDone = (text: Text): Banner => ({
  tone: 'bad',
  icon: 'cross',
  text,
});
