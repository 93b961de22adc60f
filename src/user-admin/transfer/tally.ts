/** What an import has done with the records of a file so far. */
export interface ImportTally {
  /** Records that were read: users, or rows that were put together to one user. */
  records: number;
  readonly users: {
    created: number;
    /** Users who were here already; keys may have been added to them. */
    present: number;
    refused: number;
    /** Users who were left out, since the file has no key of theirs. */
    withoutKeys: number;
  };
  readonly keys: { created: number; present: number; refused: number };
}

export const noTally = (): ImportTally => ({
  records: 0,
  users: { created: 0, present: 0, refused: 0, withoutKeys: 0 },
  keys: { created: 0, present: 0, refused: 0 },
});
