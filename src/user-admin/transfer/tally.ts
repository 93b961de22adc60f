/** What has become of the records of a file so far. */
export interface Tally {
  /** Records read: users, or rows that were put together to one. */
  records: number;
  readonly users: {
    created: number;
    /** They were here already; keys may have been added. */
    present: number;
    refused: number;
    /** Left out, since the file has no key of theirs. */
    withoutKeys: number;
  };
  readonly keys: { created: number; present: number; refused: number };
}

export const noTally = (): Tally => ({
  records: 0,
  users: { created: 0, present: 0, refused: 0, withoutKeys: 0 },
  keys: { created: 0, present: 0, refused: 0 },
});
