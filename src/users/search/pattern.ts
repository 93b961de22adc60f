import { foldedName } from '../../platform/validation/values/folded-name.js';
import { normalizeName } from '../../platform/validation/values/names.js';

/** No UTF-8 text has a byte like this, so that every one lies below it. */
const ABOVE_ALL = Buffer.from([0xff]);

/** The least byte string behind this one. */
export const justBehind = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.of(0)]);

/** The least byte string behind all that begin with these bytes, which are UTF-8. */
export function behindPrefix(prefix: Buffer): Buffer {
  if (prefix.length === 0) return ABOVE_ALL;
  const end = Buffer.from(prefix);
  const last = end.length - 1;
  end.writeUInt8(end.readUInt8(last) + 1, last);
  return end;
}

/**
 * A text in which `*` matches any characters, even none, and nothing else is special. What it
 * is held against must be in NFC, as stored names are; then it is compared byte for byte: two
 * well-formed texts are the same UTF-16 exactly when they are the same UTF-8.
 */
export class Pattern {
  /** As it was asked for, in NFC. */
  readonly text: string;
  private readonly parts: readonly string[];
  private readonly first: string;
  private readonly middle: readonly string[];
  /** What follows the last asterisk; `undefined` without one. */
  private readonly last: string | undefined;

  /** @param parts the texts between the special asterisks */
  constructor(text: string, parts: readonly string[] = normalizeName(text).split('*')) {
    this.text = normalizeName(text);
    this.parts = parts;
    const [first = '', ...rest] = parts;
    this.first = first;
    this.last = rest.pop();
    this.middle = rest.filter((part) => part !== '');
  }

  /** Matches this text alone: an asterisk in it is one. */
  static literal(text: string): Pattern {
    return new Pattern(text, [normalizeName(text)]);
  }

  /** The same for names that are held against it in their folded form. */
  get folded(): Pattern {
    return new Pattern(this.text, this.parts.map(foldedName));
  }

  /** Whether it matches one text alone. */
  get isLiteral(): boolean {
    return this.last === undefined;
  }

  /** Whether there is nothing but asterisks. */
  get matchesEverything(): boolean {
    return this.isRange && this.first === '' && this.last === '';
  }

  /** Whether all in the range `from` … `to` matches: a literal, or a beginning and an asterisk. */
  get isRange(): boolean {
    return this.middle.length === 0 && !this.last;
  }

  /** Nothing that matches lies below these bytes. */
  get from(): Buffer {
    return Buffer.from(this.first, 'utf8');
  }

  /** Nothing that matches lies at or behind these bytes. */
  get to(): Buffer {
    const { from } = this;
    return this.last === undefined ? justBehind(from) : behindPrefix(from);
  }

  /** Bytes that all that matches holds, as long as the pattern knows; empty where it knows none. */
  get needle(): Buffer {
    const parts = [...this.middle, this.last ?? ''];
    const longest = parts.reduce((best, part) => (part.length > best.length ? part : best), '');
    return Buffer.from(longest, 'utf8');
  }

  /** Looks for each part once, from left to right: no pattern makes it go back. */
  matches(text: string): boolean {
    const { first, last } = this;
    if (last === undefined) return text === first;
    const end = text.length - last.length;
    if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const part of this.middle) {
      const found = text.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return at <= end;
  }
}
