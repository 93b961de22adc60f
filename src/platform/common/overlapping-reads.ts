/**
 * For what is read again and again and kept in memory: of two readings that overlap, the one that began first
 * may end last, and must not replace what the other found.
 */
export class OverlappingReads {
  private begun = 0;
  private kept = 0;

  /**
   * To be called before a reading begins.
   *
   * @returns asked once the reading has ended: whether to keep what it found; `false` where one that began
   *   later is kept already
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
