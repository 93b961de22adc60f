/** IDs (hex) of the relying parties that an account may see. */
export type VisibleRelyingParties = ReadonlySet<string>;

/** The rows of the relying parties that an account may see. */
export const within = <Row extends { readonly relyingParty: string }>(
  scope: VisibleRelyingParties,
  rows: readonly Row[],
): Row[] => rows.filter(({ relyingParty }) => scope.has(relyingParty));
