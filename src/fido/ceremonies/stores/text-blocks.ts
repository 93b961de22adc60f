/** A pending sign-in takes one block, a registration one or two, the largest a dozen. */
const BLOCK_BYTES = 512;
/** Blocks of a segment, which is allocated at once: 1 MiB. */
const SEGMENT_BLOCKS = 2048;
/** Bytes before a text that contain its length. */
const HEAD_BYTES = 4;
const NONE = -1;

const offsetOf = (block: number) => (block % SEGMENT_BLOCKS) * BLOCK_BYTES;
const blocksFor = (length: number) => Math.ceil((HEAD_BYTES + length) / BLOCK_BYTES);

/**
 * Texts outside the JavaScript heap, in UTF-8, in blocks of one size. Freed blocks are reused at once, so the
 * process grows only by the blocks that are in use at the same time. By contrast, 128 MiB of strings of which the
 * oldest are constantly removed make it grow by 600 MiB: old garbage is collected late, and one character
 * beyond U+00FF doubles the size of a string.
 */
export class TextBlocks {
  private segments: Buffer[] = [];
  /** For each block, the next block of its text or, if it is free, the next free block. */
  private next = new Int32Array(0);
  private free = NONE;
  private used = 0;

  /** @returns the text's number, valid until the text is removed */
  put(text: string): number {
    const length = Buffer.byteLength(text);
    const first = this.take();
    if (HEAD_BYTES + length > BLOCK_BYTES) this.spread(first, length, text);
    else this.segmentOf(first).write(text, offsetOf(first) + HEAD_BYTES);
    this.segmentOf(first).writeUInt32LE(length, offsetOf(first));
    return first;
  }

  read(text: number): string {
    const length = this.lengthOf(text);
    const from = offsetOf(text) + HEAD_BYTES;
    if (HEAD_BYTES + length > BLOCK_BYTES) return this.gather(text, length);
    return this.segmentOf(text).toString('utf8', from, from + length);
  }

  /** @param prefix ASCII, shorter than a block */
  startsWith(text: number, prefix: string): boolean {
    if (prefix.length > this.lengthOf(text)) return false;
    const from = offsetOf(text) + HEAD_BYTES;
    return this.segmentOf(text).toString('latin1', from, from + prefix.length) === prefix;
  }

  bytesOf(text: number): number {
    return blocksFor(this.lengthOf(text)) * BLOCK_BYTES;
  }

  remove(text: number): void {
    let last = text;
    for (this.used -= 1; this.behind(last) !== NONE; this.used -= 1) last = this.behind(last);
    this.next[last] = this.free;
    this.free = text;
    // After a flood, returns all but one segment to the system.
    if (this.used === 0 && this.segments.length > 1) this.resize(1);
  }

  private lengthOf(text: number): number {
    return this.segmentOf(text).readUInt32LE(offsetOf(text));
  }

  private behind(block: number): number {
    return this.next[block] ?? NONE;
  }

  private segmentOf(block: number): Buffer {
    const segment = this.segments[Math.floor(block / SEGMENT_BLOCKS)];
    if (!segment) throw new RangeError('There is no such block.');
    return segment;
  }

  /** Takes a free block, which has no successor yet. */
  private take(): number {
    if (this.free === NONE) this.resize(this.segments.length + 1);
    const block = this.free;
    this.free = this.behind(block);
    this.next[block] = NONE;
    this.used += 1;
    return block;
  }

  /** Changes the number of segments. New segments are free, and so is the first if it is the only one left. */
  private resize(count: number): void {
    const from = this.used === 0 ? 0 : this.segments.length;
    this.segments = this.segments.slice(0, count);
    while (this.segments.length < count) {
      this.segments.push(Buffer.allocUnsafeSlow(SEGMENT_BLOCKS * BLOCK_BYTES));
    }
    const next = new Int32Array(count * SEGMENT_BLOCKS);
    next.set(this.next.subarray(0, from * SEGMENT_BLOCKS));
    this.next = next;
    const begin = from * SEGMENT_BLOCKS;
    const end = count * SEGMENT_BLOCKS;
    for (let block = begin; block < end; block += 1) next[block] = block + 1;
    if (end > begin) next[end - 1] = NONE;
    this.free = begin;
  }

  /** Writes a text of several blocks; the caller writes its head. */
  private spread(first: number, length: number, text: string): void {
    const whole = Buffer.allocUnsafe(HEAD_BYTES + length);
    whole.write(text, HEAD_BYTES);
    let block = first;
    for (let from = 0; from < whole.length; from += BLOCK_BYTES) {
      if (from > 0) block = this.next[block] = this.take();
      whole.copy(this.segmentOf(block), offsetOf(block), from, from + BLOCK_BYTES);
    }
  }

  private gather(text: number, length: number): string {
    const whole = Buffer.allocUnsafe(blocksFor(length) * BLOCK_BYTES);
    let block = text;
    for (let to = 0; to < whole.length; to += BLOCK_BYTES) {
      const from = offsetOf(block);
      this.segmentOf(block).copy(whole, to, from, from + BLOCK_BYTES);
      block = this.behind(block);
    }
    return whole.toString('utf8', HEAD_BYTES, HEAD_BYTES + length);
  }
}
