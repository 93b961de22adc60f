/** What every answer of the JSON interfaces begins with when all is well. */
export const OK = { status: 'ok', errorMessage: '' } as const;
