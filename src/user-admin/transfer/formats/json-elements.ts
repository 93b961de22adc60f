import { ApiError } from '../../../platform/errors/api-error.js';
import { MAX_RECORD_BYTES, itemOf, type JsonItem } from './json-lines.js';

const LF = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const MAX_DEPTH = 200;
/** The maximum number of bytes that are kept of a name or text of the outermost object. */
const MAX_TEXT = 256;

export interface WantedMembers {
  /** The member of the outermost object that contains the array; absent if the document is the array itself. */
  readonly member?: string;
  /** Called with each text member of the outermost object. */
  readonly text?: (name: string, value: string) => void;
}

/**
 * Yields the elements of an array in a JSON document of any size: the document itself, or one member of its
 * outermost object. Scans only for the beginning and end of elements; each is then parsed separately, so that
 * memory contains one. Everything else in the document is ignored.
 *
 * @throws ApiError E0045R if the document has no such array, or is incomplete
 */
export async function* jsonElements(
  file: AsyncIterable<Buffer>,
  wanted: WantedMembers,
): AsyncGenerator<JsonItem> {
  const scanner = new Scanner(wanted);
  for await (const chunk of file) {
    for (const { line, bytes } of scanner.scan(chunk)) {
      const item = itemOf(line, bytes);
      if (item) yield item;
    }
  }
  if (!scanner.done) throw new ApiError('E0045R', 'file.jsonCut');
}

interface Element {
  readonly line: number;
  /** `undefined` if the element is longer than `MAX_RECORD_BYTES`. */
  readonly bytes: Buffer | undefined;
}

class Scanner {
  private readonly open: number[] = [];
  private inString = false;
  private escaped = false;
  private line = 1;
  /** The depth of elements while the array of records is open; otherwise `undefined`. */
  private elementsAt: number | undefined;
  private begun: number | undefined;
  private parts: Buffer[] = [];
  private size = 0;
  private text: number[] = [];
  private name: string | undefined;
  /** Whether the document is complete. */
  done = false;

  constructor(private readonly wanted: WantedMembers) {}

  scan(chunk: Buffer): Element[] {
    const elements: Element[] = [];
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (byte === LF) this.line += 1;
      if (this.inString) this.readString(byte);
      else {
        if (this.begins(byte)) {
          this.begun = this.line;
          from = at;
        }
        if (this.ends(byte)) elements.push(this.takeElement(chunk.subarray(from, at)));
        this.readStructure(byte);
      }
    }
    if (this.begun !== undefined) this.keep(chunk.subarray(from));
    return elements;
  }

  private begins(byte: number): boolean {
    if (this.begun !== undefined || this.open.length !== this.elementsAt) return false;
    return byte > 0x20 && byte !== COMMA && byte !== CLOSE_ARRAY;
  }

  private ends(byte: number): boolean {
    if (this.begun === undefined || this.open.length !== this.elementsAt) return false;
    return byte === COMMA || byte === CLOSE_ARRAY;
  }

  private takeElement(last: Buffer): Element {
    this.keep(last);
    const line = this.begun ?? this.line;
    const bytes = this.size > MAX_RECORD_BYTES ? undefined : Buffer.concat(this.parts);
    this.begun = undefined;
    this.parts = [];
    this.size = 0;
    return { line, bytes };
  }

  private keep(bytes: Buffer): void {
    this.size += bytes.length;
    if (this.size > MAX_RECORD_BYTES) this.parts = [];
    else this.parts.push(Buffer.from(bytes));
  }

  private readString(byte: number): void {
    if (this.escaped) this.escaped = false;
    else if (byte === BACKSLASH) this.escaped = true;
    else if (byte === QUOTE) {
      this.inString = false;
      return;
    }
    if (this.open.length === 1 && this.text.length < MAX_TEXT) this.text.push(byte);
  }

  private readStructure(byte: number): void {
    switch (byte) {
      case QUOTE:
        this.inString = true;
        this.text = [];
        return;
      case COLON:
        if (this.open.length === 1) this.name = this.takeText();
        return;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        return this.enter(byte);
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        return this.leave(byte);
      case COMMA:
        return this.endMember();
    }
  }

  private enter(byte: number): void {
    if (this.done) throw new ApiError('E0045R', 'file.jsonSeveral');
    const isArray = byte === OPEN_ARRAY;
    const depth = this.open.push(byte);
    if (depth > MAX_DEPTH) throw new ApiError('E0045R', 'file.jsonTooDeep');
    const { member } = this.wanted;
    const isDocument = depth === 1 && isArray && member === undefined;
    const isMember = depth === 2 && isArray && member !== undefined && this.name === member;
    if ((isDocument || isMember) && this.elementsAt === undefined) this.elementsAt = depth;
    if (depth === 1 && !isDocument && (isArray || member === undefined)) {
      throw new ApiError('E0045R', 'file.jsonOther');
    }
  }

  private leave(byte: number): void {
    if (this.elementsAt === this.open.length) this.elementsAt = undefined;
    this.endMember();
    const opened = this.open.pop();
    if (opened !== (byte === CLOSE_ARRAY ? OPEN_ARRAY : OPEN_OBJECT)) {
      throw new ApiError('E0045R', 'file.notJson');
    }
    this.done = this.open.length === 0;
  }

  /** At the end of a member of the outermost object: reports it, if it is a text. */
  private endMember(): void {
    if (this.open.length !== 1 || this.name === undefined) return;
    if (this.text.length > 0) this.wanted.text?.(this.name, this.takeText());
    this.name = undefined;
  }

  private takeText(): string {
    const text = Buffer.from(this.text).toString('utf8');
    this.text = [];
    return text;
  }
}
