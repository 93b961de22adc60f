import { foldedName } from '../../platform/validation/values/folded-name.js';
import { normalizeName } from '../../platform/validation/values/names.js';

/** No UTF-8 text contains this byte, so every text sorts below it. */
const ABOVE_ALL = Buffer.from([0xff]);

/** The least byte string after this one. */
export const nextBytes = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.of(0)]);

/** The least byte string after all that begin with these bytes, which are UTF-8. */
export function endOfPrefix(prefix: Buffer): Buffer {
  if (prefix.length === 0) return ABOVE_ALL;
  const end = Buffer.from(prefix);
  const last = end.length - 1;
  end.writeUInt8(end.readUInt8(last) + 1, last);
  return end;
}

/**
 * A text in which `*` matches any characters, even none, and nothing else is special. Texts to match must be in NFC,
 * as stored names are; then the comparison is byte for byte: two well-formed texts are the same UTF-16 exactly
 * when they are the same UTF-8.
 */
export class Pattern {
  /** The pattern's text, in NFC. */
  readonly text: string;
  private readonly parts: readonly string[];
  private readonly first: string;
  private readonly middle: readonly string[];
  /** The part after the last asterisk; `undefined` without one. */
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

  /** Matches only this text: an asterisk in it is an ordinary character. */
  static literal(text: string): Pattern {
    return new Pattern(text, [normalizeName(text)]);
  }

  /** The same pattern for folded names. */
  get folded(): Pattern {
    return new Pattern(this.text, this.parts.map(foldedName));
  }

  /** Whether it matches only one text. */
  get isLiteral(): boolean {
    return this.last === undefined;
  }

  /** Whether it consists of asterisks only. */
  get matchesEverything(): boolean {
    return this.isRange && this.first === '' && this.last === '';
  }

  /** Whether everything in the range `from` … `to` matches: a literal, or a prefix and an asterisk. */
  get isRange(): boolean {
    return this.middle.length === 0 && !this.last;
  }

  /** Lower limit (included) of all matches. */
  get from(): Buffer {
    return Buffer.from(this.first, 'utf8');
  }

  /** Upper limit (excluded) of all matches. */
  get to(): Buffer {
    const { from } = this;
    return this.last === undefined ? nextBytes(from) : endOfPrefix(from);
  }

  /** Bytes that every match contains after the prefix; empty if there are none. */
  get needle(): Buffer {
    const parts = [...this.middle, this.last ?? ''];
    const longest = parts.reduce((best, part) => (part.length > best.length ? part : best), '');
    return Buffer.from(longest, 'utf8');
  }

  /** Searches for each part once, from left to right, without backtracking. */
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
