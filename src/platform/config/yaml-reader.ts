import { isObject } from '../validation/field-validator.js';
import { isText } from '../validation/values/texts.js';

const MAX_TEXT = 500;
/** No line of text needs these characters. */
const CONTROL = /\p{Cc}/u;

/** Reads the content of a file, and continues after a mistake, so that all mistakes are reported at once. */
export class YamlReader {
  readonly mistakes: string[] = [];

  protected check(right: boolean, at: string, sentence: string): void {
    if (!right) this.mistakes.push(`${at} ${sentence}`);
  }

  protected whole(at: string, value: unknown, from: number, to: number): number {
    const right = Number.isSafeInteger(value) && Number(value) >= from && Number(value) <= to;
    this.check(right, at, `must be a whole number from ${from} to ${to}`);
    return right ? Number(value) : from;
  }

  /** @param known allowed names; if absent, any name */
  protected fields(
    at: string,
    value: unknown,
    known?: readonly string[],
  ): Readonly<Record<string, unknown>> {
    this.check(isObject(value), at, 'must hold named values');
    if (!isObject(value)) return {};
    for (const name of Object.keys(value)) {
      this.check(known?.includes(name) ?? true, at, `has "${name}", which means nothing`);
    }
    return value;
  }

  protected text(at: string, value: unknown): string {
    const right = typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TEXT;
    this.check(right, at, `must be a text of at most ${MAX_TEXT} characters`);
    const isLine = isText(value) && !CONTROL.test(value);
    this.check(!right || isLine, at, 'must be without control characters');
    return right ? value.trim() : '';
  }

  /** @returns `undefined` if the file does not contain it */
  protected oneOf<const Word extends string>(
    at: string,
    value: unknown,
    words: readonly Word[],
  ): Word | undefined {
    const known = words.find((word) => word === value);
    this.check(
      value === undefined || known !== undefined,
      at,
      `must be one of ${words.join(', ')}`,
    );
    return known;
  }

  protected optionalText(at: string, value: unknown): string | undefined {
    return value === undefined ? undefined : this.text(at, value);
  }
}
