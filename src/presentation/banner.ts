/** One of the things that a change has changed, in words. */
export interface BannerChange {
  readonly what: string;
  readonly before: string;
  readonly after: string;
}

/** What a page says once about what was done on the page before. */
export interface Banner {
  readonly tone: 'good' | 'bad';
  readonly icon: 'check' | 'cross';
  readonly text: string;
  readonly changes?: readonly BannerChange[];
}

/** Answer of a form's handler: the page that the browser is led to, and what that says. */
export interface Led {
  readonly url: string;
  readonly banner: Banner;
}

export const done = (text: string, changes?: readonly BannerChange[]): Banner => ({
  tone: 'good',
  icon: 'check',
  text,
  ...(changes && { changes }),
});

export const notDone = (text: string): Banner => ({
  tone: 'bad',
  icon: 'cross',
  text,
});
