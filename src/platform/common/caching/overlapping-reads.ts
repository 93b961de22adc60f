/**
 * For data that is read repeatedly and kept in memory: of two overlapping reads, the one that began first may end last,
 * and must not replace the result of the other.
 */
export class OverlappingReads {
  private begun = 0;
  private kept = 0;

  /**
   * Must be called before a read begins.
   *
   * @returns a function to call when the read has ended: whether to keep its result; `false` if the result of a later
   *   read is kept already
   */
  begin(): () => boolean {
    this.begun += 1;
    const reading = this.begun;
    return () => {
      if (reading < this.kept) return false;
      this.kept = reading;
      return true;
    };
  }
}
